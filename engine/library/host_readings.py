"""What the collectors of a run in progress send, as rows: their states, and their readings in a compact form.

A reading has some dozens of values a second; the devices, names and units, which are the same in most readings, are
stored once.
"""

import hashlib
import json
import math
import struct
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from sqlalchemy import Connection, RowMapping, insert, select

from engine.library.tables import collectors, host_counters, host_readings
from engine.telemetry.host import CollectorState, CollectorStatus, HostReading

Counters = tuple[tuple[str, str, str], ...]
"""The device, name and unit of each value of a reading."""


@dataclass(frozen=True, slots=True)
class PackedReading:
    """A reading as it is stored; ``counters`` is shared by all readings with the same."""

    collector: int
    utc_us: int
    digest: int
    counters: Counters
    values: bytes


class ReadingPacker:
    """Packs readings; for one thread.

    A counter that a reading lacks, such as the latency of a disk without an operation, is not a number in it: so the
    counters change only when there is a new one, or when most of them are gone.
    """

    def __init__(self) -> None:
        self._columns: dict[int, _Columns] = {}

    def packed(self, reading: HostReading) -> PackedReading:
        found = {(each.device, each.name, each.unit): each.value for each in reading.values}
        columns = self._columns.get(reading.collector)
        if columns is None or len(found) < len(columns.counters) / 2:
            columns = self._columns[reading.collector] = _Columns.of(tuple(found))
        elif more := found.keys() - columns.known:
            added = tuple(counter for counter in found if counter in more)
            columns = self._columns[reading.collector] = _Columns.of((*columns.counters, *added))
        return PackedReading(
            collector=reading.collector,
            utc_us=round(reading.utc_seconds * 1e6),
            digest=columns.digest,
            counters=columns.counters,
            values=columns.layout.pack(*(found.get(counter, math.nan) for counter in columns.counters)),
        )


@dataclass(frozen=True)
class _Columns:
    """The counters of a collector's readings, and what packs a value of each."""

    counters: Counters
    known: frozenset[tuple[str, str, str]]
    digest: int
    layout: struct.Struct

    @classmethod
    def of(cls, counters: Counters) -> Self:
        return cls(counters, frozenset(counters), _digest_of(counters), struct.Struct(f"<{len(counters)}d"))


def write_host(connection: Connection, key: int, items: Sequence[CollectorStatus | PackedReading]) -> None:
    """Write states and readings; a later state of the same collector replaces the earlier."""
    states = {item.number: item for item in items if isinstance(item, CollectorStatus)}
    if states:
        rows = [{"run_key": key, **asdict(each), "state": each.state.value} for each in states.values()]
        connection.execute(insert(collectors).prefix_with("OR REPLACE"), rows)
    readings = [item for item in items if isinstance(item, PackedReading)]
    if readings:
        used = {each.digest: each.counters for each in readings}
        rows = [{"run_key": key, "digest": digest, "counters": each} for digest, each in used.items()]
        connection.execute(insert(host_counters).prefix_with("OR IGNORE"), rows)
        connection.execute(insert(host_readings).prefix_with("OR REPLACE"), [_row(key, each) for each in readings])


def read_statuses(connection: Connection, key: int) -> list[CollectorStatus]:
    """The newest state of each collector, in the order of their numbers."""
    query = select(collectors).where(collectors.c.run_key == key).order_by(collectors.c.number)
    return [_status(row) for row in connection.execute(query).mappings()]


def has_readings(connection: Connection, key: int) -> bool:
    """Whether a run has readings that are not packed."""
    query = select(host_readings.c.collector).where(host_readings.c.run_key == key).limit(1)
    return connection.execute(query).first() is not None


def _status(row: RowMapping) -> CollectorStatus:
    values = {name: value for name, value in row.items() if name != "run_key"}
    return CollectorStatus(**{**values, "state": CollectorState(row["state"])})


def _row(key: int, reading: PackedReading) -> dict[str, Any]:
    return {
        "run_key": key,
        "collector": reading.collector,
        "utc_us": reading.utc_us,
        "digest": reading.digest,
        "values": reading.values,
    }


def _digest_of(counters: Iterable[tuple[str, str, str]]) -> int:
    """63 bits, so that every writer gives the same counters the same number."""
    text = json.dumps(list(counters), ensure_ascii=False)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) >> 1
