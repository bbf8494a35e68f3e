"""A run's samples as blocks, in whichever form they are stored. Imported only when needed, since it needs numpy.

During a run each sample is a row of ``samples``. The rows of past hours, and all remaining ones when the run is over,
are packed: in one transaction a row of ``sample_blocks`` replaces those of one client and hour. Packing loses nothing;
a run that is packed in part or, in an older library, not at all reads the same. If a second is stored in both forms,
the row is newer.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Column, Connection, RowMapping, Select, delete, func, insert, select

from engine.analysis.series.blocks import (
    CountBlock,
    ErrorCount,
    HistogramBlock,
    SampleBlock,
    Seconds,
    block_from_columns,
    block_of,
    samples_of,
)
from engine.analysis.series.rates import Series
from engine.library.hours import ClientHour, hour_of
from engine.library.packing import block_from, block_values, counts_from, errors_from, histograms_from, seconds_from
from engine.library.reading import client_count, last_second
from engine.library.rows import unpacked_errors, unpacked_transactions
from engine.library.tables import clients, sample_blocks, samples
from engine.library.watch import Watch
from engine.record.projection import Projection
from engine.telemetry.sample import COUNTS, Sample

_NO_END = 2**62
_CONTENT = ("errors", "types", "counts", "histograms", "overdue", "others")
_ROWS = (
    f"SELECT second, {', '.join(COUNTS)}, transactions, errors, overdue FROM samples"  # noqa: S608 - our own names
    " WHERE run_key = ? AND client = ? AND second >= ? AND second < ? ORDER BY second"
)


def stored_hours(connection: Connection, key: int) -> list[ClientHour]:
    """Every client and hour that has samples, sorted by client and hour."""
    packed = select(sample_blocks.c.client, sample_blocks.c.hour).where(sample_blocks.c.run_key == key)
    found = {ClientHour(*row) for row in connection.execute(packed)}
    return sorted(found.union(unpacked_hours(connection, key)))


def unpacked_hours(connection: Connection, key: int) -> list[ClientHour]:
    """The hours that have rows; one index look-up for each."""
    found = []
    for client in connection.execute(select(clients.c.number).where(clients.c.run_key == key)).scalars():
        first = 0
        while (second := _next_row(connection, key, client, first)) is not None:
            found.append(hour_of(client, second))
            first = found[-1].end
    return found


def read_counts(connection: Connection, key: int, hour: ClientHour) -> CountBlock:
    """The counts of an hour; packed histograms are not read."""
    if _has_rows(connection, key, hour):
        return _read_with_rows(connection, key, hour).counts
    block = _stored(connection, key, hour, "types", "counts")
    return counts_from(hour.client, _seconds(block), block["types"], block["counts"])


def read_histograms(connection: Connection, key: int, hour: ClientHour) -> HistogramBlock:
    """The histograms of an hour."""
    if _has_rows(connection, key, hour):
        return _read_with_rows(connection, key, hour).histograms
    block = _stored(connection, key, hour, "histograms", "overdue")
    return histograms_from(hour.client, _seconds(block), block["histograms"], block["overdue"])


def read_all_histograms(connection: Connection, key: int, hour: ClientHour) -> HistogramBlock:
    """The histograms of an hour with those of all types and steps."""
    if _has_rows(connection, key, hour):
        return _read_with_rows(connection, key, hour).histograms
    block = _stored(connection, key, hour, "histograms", "overdue", "others")
    return histograms_from(hour.client, _seconds(block), block["histograms"], block["overdue"], block["others"])


def read_block(connection: Connection, key: int, hour: ClientHour) -> SampleBlock:
    """All that is stored of an hour."""
    if _has_rows(connection, key, hour):
        return _read_with_rows(connection, key, hour)
    return block_from(hour.client, _stored(connection, key, hour, *_CONTENT))


def read_after(connection: Connection, key: int, seconds: Mapping[int, int]) -> list[Sample] | None:
    """The samples of a run in progress after a second given for each client.

    ``None`` when some of them are packed already: then the whole run has to be read again.
    """
    found: list[Sample] = []
    for client, second in seconds.items():
        packed = select(func.max(sample_blocks.c.last_second)).where(
            sample_blocks.c.run_key == key, sample_blocks.c.client == client
        )
        if (connection.execute(packed).scalar() or -1) > second:
            return None
        if _next_row(connection, key, client, second + 1) is not None:
            found += samples_of(_block_of_rows(connection, key, client, second + 1, _NO_END))
    return found


def read_series(connection: Connection, key: int, *, watch: Watch, projection: Projection | None = None) -> Series:
    """The counts of all clients, or of those of one load. Raises ``Cancelled``."""
    last = last_second(connection, key)
    clients = client_count(connection, key) if projection is None else projection.clients
    series = Series(clients, seconds_hint=0 if last is None else last + 1)
    for block in watch.over(_all_counts(connection, key), len(stored_hours(connection, key))):
        number = block.client if projection is None else projection.client(block.client)
        if number is not None:
            series.add_block(block.as_client(number))
    return series


def read_errors(connection: Connection, key: int) -> list[ErrorCount]:
    """The run's errors by second, client and class."""
    of_blocks = select(sample_blocks.c.client, sample_blocks.c.errors).where(
        sample_blocks.c.run_key == key, sample_blocks.c.errors.is_not(None)
    )
    found = {
        (second, client): errors
        for client, packed in connection.execute(of_blocks)
        for second, errors in errors_from(packed).items()
    }
    of_rows = select(samples.c.client, samples.c.second, samples.c.errors).where(
        samples.c.run_key == key, samples.c.errors.is_not(None)
    )
    for client, second, packed in connection.execute(of_rows):
        found[second, client] = unpacked_errors(packed)
    return [
        ErrorCount(client, second, error_class, count)
        for (second, client), errors in sorted(found.items(), key=lambda each: each[0])
        for error_class, count in errors.items()
    ]


def pack(connection: Connection, key: int, hour: ClientHour) -> None:
    """Replace the rows of an hour by a block, merged with an existing one."""
    if _has_rows(connection, key, hour):
        insert_block(connection, key, hour, _read_with_rows(connection, key, hour))
        connection.execute(
            delete(samples).where(
                samples.c.run_key == key,
                samples.c.client == hour.client,
                samples.c.second >= hour.first,
                samples.c.second < hour.end,
            )
        )


def insert_packed(connection: Connection, key: int, items: Iterable[Sample]) -> None:
    """Store the samples of a run that has none yet, in any order; of several for a client and second the last one is
    stored."""
    by_second = {(sample.client, sample.second): sample for sample in items}
    in_order = (by_second[each] for each in sorted(by_second))
    for hour, group in groupby(in_order, key=lambda each: hour_of(each.client, each.second)):
        insert_block(connection, key, hour, block_of(list(group)))


def insert_block(connection: Connection, key: int, hour: ClientHour, block: SampleBlock) -> None:
    """Store all samples of an hour packed, replacing an existing block."""
    row = {"run_key": key, "client": hour.client, "hour": hour.number, **block_values(block)}
    connection.execute(insert(sample_blocks).prefix_with("OR REPLACE"), row)


def _all_counts(connection: Connection, key: int) -> Iterator[CountBlock]:
    """The result of ``read_counts`` for every hour, in a third of the time of separate queries."""
    unpacked = set(unpacked_hours(connection, key))
    table = sample_blocks.c
    columns = (
        table.client,
        table.hour,
        table.first_second,
        table.last_second,
        table.seconds,
        table.types,
        table.counts,
    )
    query = select(*columns).where(table.run_key == key).order_by(table.client, table.hour)
    for client, number, first, last, seconds, types, counts in connection.execute(query):
        if ClientHour(client, number) not in unpacked:
            yield counts_from(client, seconds_from(first, last, seconds), types, counts)
    for hour in unpacked:
        yield read_counts(connection, key, hour)


def _next_row(connection: Connection, key: int, client: int, first: int) -> int | None:
    query = select(func.min(samples.c.second)).where(
        samples.c.run_key == key, samples.c.client == client, samples.c.second >= first
    )
    return connection.execute(query).scalar()


def _has_rows(connection: Connection, key: int, hour: ClientHour) -> bool:
    second = _next_row(connection, key, hour.client, hour.first)
    return second is not None and second < hour.end


def _read_with_rows(connection: Connection, key: int, hour: ClientHour) -> SampleBlock:
    rows = _block_of_rows(connection, key, hour.client, hour.first, hour.end)
    older = connection.execute(_at(key, hour, *_CONTENT)).mappings().first()
    if older is None:
        return rows
    both = {each.second: each for block in (block_from(hour.client, older), rows) for each in samples_of(block)}
    return block_of([both[second] for second in sorted(both)])


def _block_of_rows(connection: Connection, key: int, client: int, first: int, end: int) -> SampleBlock:
    """A client's rows of ``first <= second < end``, if there are any; through the driver's cursor, in a fifth of
    SQLAlchemy's time."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    rows = driver.execute(_ROWS, (key, client, first, end)).fetchall()
    second, *counts, transactions, errors, overdue = zip(*rows, strict=True)
    return block_from_columns(
        client,
        second,
        dict(zip(COUNTS, counts, strict=True)),
        [unpacked_transactions(each) for each in transactions],
        overdue=overdue,
        errors={each: unpacked_errors(packed) for each, packed in zip(second, errors, strict=True) if packed},
    )


def _stored(connection: Connection, key: int, hour: ClientHour, *content: str) -> RowMapping:
    return connection.execute(_at(key, hour, *content)).mappings().one()


def _at(key: int, hour: ClientHour, *content: str) -> Select[Any]:
    table = sample_blocks.c
    wanted: Sequence[Column[Any]] = [table[name] for name in ("first_second", "last_second", "seconds", *content)]
    return select(*wanted).where(table.run_key == key, table.client == hour.client, table.hour == hour.number)


def _seconds(block: RowMapping) -> Seconds:
    return seconds_from(block["first_second"], block["last_second"], block["seconds"])
