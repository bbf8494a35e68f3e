"""The queries of the library; ``engine.library.library`` calls them within a transaction."""

import difflib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Select, Subquery, Text, func, select, type_coerce

from engine.errors import Remedy, RemedyKind, RunNotFound, UnknownName
from engine.figure_text import counted
from engine.library.rows import event_of, record_of, stored_plan
from engine.library.searching import DELETED, KEPT
from engine.library.tables import (
    campaign_entries,
    campaigns,
    clients,
    configurations,
    events,
    host_readings,
    run_configurations,
    run_set_members,
    run_sets,
    run_tags,
    runs,
    sample_blocks,
    samples,
)
from engine.plan.mixed import load_named
from engine.record.projection import Projection
from engine.record.record import RunRecord, RunState, split_reference
from engine.telemetry.event import RunEvent

LAST = "last"
_NEWEST_FIRST = (runs.c.started_at.desc(), runs.c.run_id.desc())
_LAST_DELETED_FIRST = (runs.c.deleted_at.desc(), runs.c.run_id.desc())
_UNPARSED = ("plan", "environment")


def find_runs(
    connection: Connection, conditions: Iterable[ColumnElement[bool]], *, limit: int | None
) -> list[RunRecord]:
    """The runs for which all conditions of ``engine.library.searching`` are true, newest first."""
    return _records(connection, select(runs.c.key).where(*conditions).order_by(*_NEWEST_FIRST).limit(limit))


def fault_counts(connection: Connection) -> dict[str, int]:
    """The number of faults, marked or injected, by run id, for the runs that have any."""
    query = (
        select(runs.c.run_id, func.count().label("faults"))
        .join(events, events.c.run_key == runs.c.key)
        .where(KEPT, events.c.is_fault)
        .group_by(runs.c.run_id)
    )
    return {row.run_id: row.faults for row in connection.execute(query)}


def find_run(connection: Connection, reference: str, *, deleted: bool = False) -> RunRecord:
    """The run that ``reference`` names: an id, an unambiguous prefix, or ``last``.

    With the number or the name of a load after a dot, such as ``last.2`` or ``last.wholesale``, the record is that of
    this load of a mixed run. With
    ``deleted`` it is a run in the bin, and ``last`` is the one deleted last. Raises ``RunNotFound`` that names similar
    ids when there is none, ``UnknownName`` that names the candidates when there are several, or when the run has no
    such load.
    """
    run, load = split_reference(reference)
    if load is None:
        return _find_named_load(connection, reference, deleted=deleted)
    try:
        record = _find_whole_run(connection, run, deleted=deleted)
    except RunNotFound:
        return _find_whole_run(connection, reference, deleted=deleted)
    if load >= len(record.plan.loads):
        loads = counted(len(record.plan.loads), "load")
        raise UnknownName(f"run '{record.run_id}' has {loads}; give the number of one of them, or leave it out.")
    return record.of_load(load)


def _find_named_load(connection: Connection, reference: str, *, deleted: bool) -> RunRecord:
    """The whole run, or its load that is named after the last dot."""
    try:
        return _find_whole_run(connection, reference, deleted=deleted)
    except RunNotFound as not_found:
        run, _, name = reference.rpartition(".")
        try:
            record = _find_whole_run(connection, run, deleted=deleted)
        except RunNotFound:
            raise not_found from None
    return record.of_load(load_named(record.plan.loads, name))


def projection_of(connection: Connection, run_id: str) -> Projection | None:
    """What of a run an id names: one load of a mixed run, or ``None`` for the whole run."""
    run, load = split_reference(run_id)
    if load is None:
        return None
    plan = stored_plan(
        connection.execute(select(type_coerce(runs.c.plan, Text)).where(runs.c.run_id == run)).scalar_one()
    )
    return Projection.of(plan, load) if plan.is_mixed else None


def _find_whole_run(connection: Connection, reference: str, *, deleted: bool) -> RunRecord:
    condition, order = (DELETED, _LAST_DELETED_FIRST) if deleted else (KEPT, _NEWEST_FIRST)
    if reference == LAST:
        found = _records(connection, select(runs.c.key).where(condition).order_by(*order).limit(1))
        if not found:
            if deleted:
                raise UnknownName("there are no deleted runs.")
            raise UnknownName("the library holds no run yet", remedy=Remedy(kind=RemedyKind.FIRST_RUN))
        return found[0]
    ids = connection.execute(select(runs.c.run_id).where(condition).order_by(*order)).scalars().all()
    run_id = _resolve_id(reference, ids, deleted=deleted)
    return _records(connection, select(runs.c.key).where(runs.c.run_id == run_id))[0]


def key_of(connection: Connection, run_id: str, *, deleted: bool = False) -> int:
    """The key of a run, also by the id of one of its loads (of a deleted one with ``deleted``); raises ``RunNotFound``
    when there is none with that id."""
    condition = DELETED if deleted else KEPT
    whole_run, _ = split_reference(run_id)
    key = connection.execute(select(runs.c.key).where(runs.c.run_id == whole_run, condition)).scalar()
    if key is None:
        where, remedy = _place_and_remedy(deleted=deleted)
        raise RunNotFound(f"run '{run_id}' is not {where}", remedy=remedy)
    return int(key)


def find_key(connection: Connection, run_id: str) -> int | None:
    """The key of a run, deleted or not; ``None`` when there is none with that id."""
    return connection.execute(select(runs.c.key).where(runs.c.run_id == run_id)).scalar()


def run_events(connection: Connection, key: int) -> list[RunEvent]:
    """The run's events, sorted by time."""
    query = select(events).where(events.c.run_key == key).order_by(events.c.at_seconds, events.c.number)
    return [event_of(row) for row in connection.execute(query).mappings()]


def client_count(connection: Connection, key: int) -> int:
    """The number of the run's clients."""
    return connection.execute(select(func.count()).where(clients.c.run_key == key)).scalar_one()


def unpacked_keys(connection: Connection) -> list[int]:
    """The keys of the runs that are over, deleted or not, and have unpacked samples or readings of machines."""
    final = [state.value for state in RunState if state.is_final]
    has_samples = select(samples.c.second).where(samples.c.run_key == runs.c.key).exists()
    has_rows = has_samples | select(host_readings.c.utc_us).where(host_readings.c.run_key == runs.c.key).exists()
    return list(connection.execute(select(runs.c.key).where(runs.c.state.in_(final), has_rows)).scalars())


def last_second(connection: Connection, key: int) -> int | None:
    """The last second for which any client of the run has a sample, packed or not; two index look-ups per client."""
    of_rows = (
        select(func.max(samples.c.second))
        .where(samples.c.run_key == clients.c.run_key, samples.c.client == clients.c.number)
        .scalar_subquery()
    )
    unpacked = connection.execute(select(func.max(of_rows)).where(clients.c.run_key == key)).scalar()
    of_blocks = select(func.max(sample_blocks.c.last_second)).where(sample_blocks.c.run_key == key)
    found = [second for second in (unpacked, connection.execute(of_blocks).scalar()) if second is not None]
    return max(found, default=None)


def records_of(connection: Connection, keys: Collection[int]) -> list[RunRecord]:
    """The records with these keys, deleted or not, newest first."""
    return _records(connection, select(runs.c.key).where(runs.c.key.in_(keys)))


def _records(connection: Connection, keys: Select[tuple[int]]) -> list[RunRecord]:
    """The records of the runs whose keys a query selects, with four queries whatever their number."""
    found = json.dumps(list(connection.execute(keys).scalars()))
    chosen = select(func.json_each(found).table_valued("value").c.value.label("key")).subquery()
    labels = _grouped(connection, clients.c.label, chosen, clients.c.number)
    tags = _grouped(connection, run_tags.c.tag, chosen, run_tags.c.tag)
    columns = [type_coerce(each, Text).label(each.name) if each.name in _UNPARSED else each for each in runs.c]
    query = _with_names(select(*columns).join(chosen, chosen.c.key == runs.c.key)).order_by(*_NEWEST_FIRST)
    return [record_of(row, labels[row["key"]], tags[row["key"]]) for row in connection.execute(query).mappings()]


def _with_names(query: Select[Any]) -> Select[Any]:
    """The query extended by the names of each run's set, campaign and configuration: its own, else that of its set."""
    own, of_set = configurations.alias(), configurations.alias()
    campaign = (
        select(campaigns.c.name)
        .join(campaign_entries, campaign_entries.c.campaign_key == campaigns.c.key)
        .where(campaign_entries.c.run_id == runs.c.run_id)
        .limit(1)
        .scalar_subquery()
    )
    return (
        query.add_columns(
            run_sets.c.name.label("run_set"),
            campaign.label("campaign"),
            func.coalesce(own.c.name, of_set.c.name).label("configuration"),
        )
        .outerjoin(run_set_members, run_set_members.c.run_key == runs.c.key)
        .outerjoin(run_sets, run_sets.c.key == run_set_members.c.set_key)
        .outerjoin(of_set, of_set.c.key == run_sets.c.configuration_key)
        .outerjoin(run_configurations, run_configurations.c.run_key == runs.c.key)
        .outerjoin(own, own.c.key == run_configurations.c.configuration_key)
    )


def _grouped(
    connection: Connection, wanted: Column[Any], chosen: Subquery, order: Column[Any]
) -> defaultdict[int, list[str]]:
    """One column of a table that belongs to ``runs``, as lists by run."""
    table = wanted.table
    by_key: defaultdict[int, list[str]] = defaultdict(list)
    query = select(table.c.run_key, wanted).join(chosen, chosen.c.key == table.c.run_key).order_by(order)
    for key, value in connection.execute(query):
        by_key[key].append(value)
    return by_key


def _place_and_remedy(*, deleted: bool) -> tuple[str, Remedy]:
    """Where a run was searched for, and what lists the runs that exist."""
    if deleted:
        return "among the deleted runs", Remedy(kind=RemedyKind.LIST_DELETED_RUNS)
    return "in the library", Remedy(kind=RemedyKind.LIST_RUNS)


def _resolve_id(reference: str, ids: Collection[str], *, deleted: bool) -> str:
    if reference in ids:
        return reference
    candidates = [run_id for run_id in ids if reference and run_id.startswith(reference)]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        shown = ", ".join(candidates[:4]) + (" …" if len(candidates) > 4 else "")
        raise UnknownName(f"run '{reference}' can mean {len(candidates)} runs: {shown}; give more of the id.")
    near = difflib.get_close_matches(reference, ids, n=2, cutoff=0.5)
    where, remedy = _place_and_remedy(deleted=deleted)
    missing = f"run '{reference}' is not {where}"
    if near:
        raise RunNotFound(f"{missing}; did you mean {' or '.join(near)}.")
    raise RunNotFound(missing, remedy=remedy)
