"""Copies one run from one library into another that does not have it, or only a part of it.

Sets and configurations, which belong to several runs, are not copied. Called by ``engine.library.rescue`` within
transactions.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Table, insert, select, update

from engine.library.changing import insert_events, insert_samples
from engine.library.hours import ClientHour
from engine.library.reading import key_of, run_events
from engine.library.tables import (
    clients,
    collectors,
    events,
    host_columns,
    host_counters,
    host_files,
    host_readings,
    machine_loads,
    probes,
    process_summaries,
    run_tags,
    runs,
    sample_blocks,
    samples,
    saturation_intervals,
    workstation_loads,
)
from engine.record.record import RunState

_REPORTED = (
    *(probes, workstation_loads, machine_loads, saturation_intervals, process_summaries),
    *(collectors, host_counters, host_readings),
)
_WITH_THE_RUN = (run_tags, clients, samples, sample_blocks, events, *_REPORTED, host_files, host_columns)
_OF_THIS_LIBRARY = ("key", "deleted_at", "owner_pid", "owner_created")
_OF_THE_END = (
    "state",
    "started_at",
    "ended_at",
    "warming_up_from",
    "measuring_from",
    "measuring_to",
    "totals",
    "failure",
)
_AT_ONCE = 1_000


def copy_run(source: Connection, target: Connection, run_id: str) -> None:
    """Copy a run of ``source`` to ``target``, which must not have it. Raises ``UserError`` when ``source`` does not
    have it."""
    source_key = key_of(source, run_id)
    row = source.execute(select(runs).where(runs.c.key == source_key)).mappings().one()
    values = {name: value for name, value in row.items() if name not in _OF_THIS_LIBRARY}
    key = target.execute(insert(runs).values(values).returning(runs.c.key)).scalar_one()
    for table in _WITH_THE_RUN:
        _insert(target, table, _rows(source, table, source_key, key))


def merge_run(source: Connection, target: Connection, run_id: str, key: int) -> bool:
    """Add what ``source`` has of a run to the run with ``key`` in ``target``, and return whether anything was missing.

    A run that is over in ``target`` is complete, and one that was deleted there stays deleted. What the user changed in
    ``target`` (name, note, tags, marks) is kept.
    """
    source_key = key_of(source, run_id)
    theirs = source.execute(select(runs).where(runs.c.key == source_key)).mappings().one()
    ours = target.execute(select(runs).where(runs.c.key == key)).mappings().one()
    if ours["deleted_at"] is not None:
        return False
    if RunState(ours["state"]).is_final and ours["state"] != RunState.INTERRUPTED.value:
        return False
    changed = {name: theirs[name] for name in _OF_THE_END}
    if theirs["audit"] is not None:
        changed["audit"] = theirs["audit"]
    target.execute(update(runs).where(runs.c.key == key).values(changed))
    _merge_samples(source, target, source_key, key)
    _merge_events(source, target, source_key, key)
    for table in _REPORTED:
        _insert(target, table, _rows(source, table, source_key, key))
    return True


def _merge_samples(source: Connection, target: Connection, source_key: int, key: int) -> None:
    from engine.analysis.series.blocks import samples_of
    from engine.library.stored_samples import insert_block, pack, read_block, stored_hours

    there: set[ClientHour] = set(stored_hours(target, key))
    for hour in stored_hours(source, source_key):
        block = read_block(source, source_key, hour)
        if hour in there:
            insert_samples(target, key, samples_of(block))
            pack(target, key, hour)
        else:
            insert_block(target, key, hour, block)


def _merge_events(source: Connection, target: Connection, source_key: int, key: int) -> None:
    """Copy the events; marks that were added in ``target`` under the same numbers get new ones."""
    theirs = {event.number: event for event in run_events(source, source_key)}
    ours = {event.number: event for event in run_events(target, key)}
    later = [event for number, event in ours.items() if event.by_hand and theirs.get(number, event) != event]
    free = 1 + max([*theirs, *ours], default=0)
    insert_events(target, key, [*theirs.values(), *(replace(e, number=free + n) for n, e in enumerate(later))])


def _rows(source: Connection, table: Table, source_key: int, key: int) -> Iterator[dict[str, Any]]:
    query = select(table).where(table.c.run_key == source_key)
    return ({**row, "run_key": key} for row in source.execute(query).mappings())


def _insert(target: Connection, table: Table, rows: Iterable[dict[str, Any]]) -> None:
    rows = iter(rows)
    while batch := list(islice(rows, _AT_ONCE)):
        target.execute(insert(table).prefix_with("OR REPLACE"), batch)
