"""Reads what a run measured; of a load of a mixed run, what belongs to that load."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import Connection, Engine

from engine.library import reading
from engine.library.connecting import read_transaction
from engine.library.hours import ClientHour
from engine.record.projection import Projection

if TYPE_CHECKING:
    from engine.analysis.series.blocks import CountBlock, ErrorCount, HistogramBlock, SampleBlock

_Block = TypeVar("_Block", "CountBlock", "HistogramBlock", "SampleBlock")
_Item = TypeVar("_Item")
_ReadBlock = Callable[[Connection, int, ClientHour], _Block]


def read_items(
    engine: Engine,
    run_id: str,
    read: Callable[[Connection, int], list[_Item]],
    project: Callable[[Projection, _Item], _Item | None],
) -> list[_Item]:
    """What ``read`` finds for the run; ``project`` makes of an item that of the load, or ``None``."""
    with read_transaction(engine) as connection:
        found = read(connection, reading.key_of(connection, run_id))
        return projected(found, reading.projection_of(connection, run_id), project)


def projected(
    items: list[_Item], projection: Projection | None, project: Callable[[Projection, _Item], _Item | None]
) -> list[_Item]:
    """What of the items belongs to a load; all of them where the whole run is read."""
    if projection is None:
        return items
    return [own for item in items if (own := project(projection, item)) is not None]


def error_of_load(projection: Projection, error: "ErrorCount") -> "ErrorCount | None":
    client = projection.client(error.client)
    return None if client is None else replace(error, client=client)


def read_blocks(engine: Engine, run_id: str, read: _ReadBlock[_Block], *, in_time: bool = False) -> Iterator[_Block]:
    """A block of each client and hour, by client, or with ``in_time`` by hour; each is read in its own transaction."""
    from engine.library.stored_samples import stored_hours  # numpy takes long to load

    with read_transaction(engine) as connection:
        hours = stored_hours(connection, reading.key_of(connection, run_id))
        projection = reading.projection_of(connection, run_id)
    if in_time:
        hours.sort(key=lambda hour: hour.number)
    return _read_each(engine, run_id, read, hours, projection)


def _read_each(
    engine: Engine,
    run_id: str,
    read: _ReadBlock[_Block],
    hours: Iterable[ClientHour],
    projection: Projection | None,
) -> Iterator[_Block]:
    for hour in hours:
        client = hour.client if projection is None else projection.client(hour.client)
        if client is None:
            continue
        with read_transaction(engine) as connection:
            block = read(connection, reading.key_of(connection, run_id), hour)
        yield block if client == hour.client else block.as_client(client)
