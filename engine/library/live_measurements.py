"""One measurement of each collector's readings: made when the run is over, and read the same way before that.

Imported only when needed, since numpy takes long to load.
"""

from collections.abc import Collection, Iterator
from itertools import chain

import numpy as np
from sqlalchemy import Connection, Engine, delete, func, insert, select

from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.series import HostSeries, Values
from engine.figure_text import significant
from engine.library.connecting import read_transaction, write_transaction
from engine.library.host_packing import packed_series
from engine.library.host_readings import read_statuses
from engine.library.tables import host_columns, host_counters, host_files, host_readings
from engine.telemetry.host import CollectorStatus

LIVE = "live"
"""The kind of these measurements; that of a file names the program that wrote it."""

_Counter = tuple[str, str, str]


def unpacked_measurements(connection: Connection, key: int, after: int) -> Iterator[HostMeasurement]:
    """The readings of a run that are not packed yet, with the numbers that follow ``after``."""
    for status in read_statuses(connection, key):
        if series := _series_of(connection, key, status):
            after += 1
            yield HostMeasurement(
                number=after,
                kind=LIVE,
                file_name=status.machine,
                series=series,
                note=note_of(status),
                collector=status.number,
                source=status.source,
            )


def pack_collector(engine: Engine, key: int, status: CollectorStatus) -> None:
    """Make a measurement of one collector's readings in a run that is over; nothing if there are none.

    What takes long is done before the library is locked for others. Raises ``UserError``.
    """
    with read_transaction(engine) as connection:
        series = _series_of(connection, key, status)
    columns = packed_series(series)
    with write_transaction(engine) as connection:
        mine = (host_readings.c.run_key == key) & (host_readings.c.collector == status.number)
        if not connection.execute(delete(host_readings).where(mine)).rowcount:
            return  # there are none, or another process has just done it
        last = select(func.max(host_files.c.number)).where(host_files.c.run_key == key)
        row = {"run_key": key, "number": 1 + (connection.execute(last).scalar() or 0)}
        told = {"kind": LIVE, "file_name": status.machine, "note": note_of(status), "collector": status.number}
        connection.execute(insert(host_files).values(**row, shift_seconds=0.0, **told))
        connection.execute(insert(host_columns), [{**row, **each} for each in columns])


def note_of(status: CollectorStatus) -> str:
    """How the machine was read, and what its clock showed."""
    every = "each second" if status.interval_seconds == 1 else f"every {status.interval_seconds:g} s"
    average = "; its values are slow averages" if status.is_average else ""
    return f"{status.source}, {every}{average}.{_clock_note(status)}"


def _clock_note(status: CollectorStatus) -> str:
    """What the source's clock showed, with a space before; empty for one without a clock of its own."""
    if status.offset_seconds is None or status.offset_error_seconds is None:
        return ""
    way = "ahead of" if status.offset_seconds >= 0 else "behind"
    drift = "" if status.drift_ppm is None else f", changing by {significant(status.drift_ppm, 2)} millionths"
    return (
        f" Its clock was {significant(abs(status.offset_seconds))} s {way} this workstation's"
        f" (± {significant(status.offset_error_seconds, 2)} s{drift}); the times are this workstation's."
    )


def _series_of(connection: Connection, key: int, status: CollectorStatus) -> tuple[HostSeries, ...]:
    """A series for each counter; unknown where a reading has no value of it."""
    table = host_readings
    query = select(table.c.utc_us, table.c.digest, table.c["values"]).where(
        table.c.run_key == key, table.c.collector == status.number
    )
    rows = connection.execute(query.order_by(table.c.utc_us)).all()
    known = _counters(connection, key, {row.digest for row in rows})
    # The places of the counters, in the order of their first occurrence.
    places = {counter: place for place, counter in enumerate(dict.fromkeys(chain.from_iterable(known.values())))}
    values: Values = np.full((len(places), len(rows)), np.nan)
    at = {digest: np.array([places[counter] for counter in counters], int) for digest, counters in known.items()}
    for number, row in enumerate(rows):
        values[at[row.digest], number] = np.frombuffer(row.values, dtype="<f8")
    times: Values = np.array([row.utc_us for row in rows], dtype=np.float64) / 1e6
    return tuple(
        HostSeries(source=status.machine, device=device, name=name, unit=unit, utc_seconds=times, values=values[place])
        for (device, name, unit), place in places.items()
    )


def _counters(connection: Connection, key: int, digests: Collection[int]) -> dict[int, list[_Counter]]:
    query = select(host_counters.c.digest, host_counters.c.counters).where(host_counters.c.run_key == key)
    found = {row.digest: row.counters for row in connection.execute(query)}
    return {digest: [(device, name, unit) for device, name, unit in found[digest]] for digest in digests}
