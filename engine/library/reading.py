"""What is asked of the library; ``engine.library.library`` calls these within a transaction of its own."""

import difflib
from collections import defaultdict
from collections.abc import Collection
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Select, Subquery, and_, func, or_, select, tuple_

from engine.errors import UserError
from engine.library.rows import event_of, record_of, sample_of
from engine.library.tables import clients, events, run_tags, runs, samples
from engine.record import RunRecord, RunState
from engine.sample import RunEvent, Sample

LAST = "last"
_NEWEST_FIRST = (runs.c.started_at.desc(), runs.c.run_id.desc())
_KEPT = runs.c.deleted_at.is_(None)


def find_runs(
    connection: Connection,
    *,
    text: str = "",
    tags: Collection[str] = (),
    states: Collection[RunState] = (),
    limit: int | None = None,
) -> list[RunRecord]:
    """The runs that hold the text (in id, name, note, plan's name, a tag or a client's label; capitals count for
    nothing), have all of the tags and one of the states; newest first."""
    conditions: list[ColumnElement[bool]] = [_KEPT]
    if text:
        conditions.append(_mentions(text))
    conditions += [_has_tag(run_tags.c.tag == tag) for tag in tags]
    if states:
        conditions.append(runs.c.state.in_([state.value for state in states]))
    return _records(connection, select(runs.c.key).where(*conditions).order_by(*_NEWEST_FIRST).limit(limit))


def find_run(connection: Connection, reference: str) -> RunRecord:
    """The run that ``reference`` means: an id, the beginning of just one id, or ``last``.

    Raises ``UserError`` that names the nearest ids when there is none, or the candidates when there are several.
    """
    newest = select(runs.c.key).where(_KEPT).order_by(*_NEWEST_FIRST).limit(1)
    if reference == LAST:
        found = _records(connection, newest)
        if not found:
            raise UserError("the library holds no run yet; start one with spindle run.")
        return found[0]
    run_id = _meant(reference, _ids(connection))
    return _records(connection, select(runs.c.key).where(runs.c.run_id == run_id))[0]


def key_of(connection: Connection, run_id: str, *, deleted: bool = False) -> int:
    """The internal number of a run; raises ``UserError`` when there is none of that id (among the deleted ones)."""
    condition = runs.c.deleted_at.is_not(None) if deleted else _KEPT
    key = connection.execute(select(runs.c.key).where(runs.c.run_id == run_id, condition)).scalar()
    if key is None:
        where = "among the deleted runs" if deleted else "in the library"
        raise UserError(f"run '{run_id}' is not {where}; spindle library list shows what is there.")
    return int(key)


def run_events(connection: Connection, key: int) -> list[RunEvent]:
    """The run's events in the order of their times."""
    query = select(events).where(events.c.run_key == key).order_by(events.c.at_seconds, events.c.number)
    return [event_of(row) for row in connection.execute(query).mappings()]


def samples_after(connection: Connection, key: int, *, client: int, second: int, limit: int) -> list[Sample]:
    """The next ``limit`` samples by client and second, beginning after the given ones."""
    query = (
        select(samples)
        .where(samples.c.run_key == key, tuple_(samples.c.client, samples.c.second) > tuple_(client, second))
        .order_by(samples.c.client, samples.c.second)
        .limit(limit)
    )
    return [sample_of(row) for row in connection.execute(query).mappings()]


def last_second(connection: Connection, key: int) -> int | None:
    """The last second that any client of the run has a sample of; one look into the index per client."""
    latest = (
        select(func.max(samples.c.second))
        .where(samples.c.run_key == clients.c.run_key, samples.c.client == clients.c.number)
        .scalar_subquery()
    )
    return connection.execute(select(func.max(latest)).where(clients.c.run_key == key)).scalar()


def records_of(connection: Connection, keys: Collection[int]) -> list[RunRecord]:
    """The records of these keys, deleted or not, newest first."""
    return _records(connection, select(runs.c.key).where(runs.c.key.in_(keys)))


def _records(connection: Connection, keys: Select[tuple[int]]) -> list[RunRecord]:
    """The records of the runs that a query for keys chooses: three queries, however many runs there are."""
    chosen = keys.subquery()
    labels = _grouped(connection, clients.c.label, chosen, clients.c.number)
    tags = _grouped(connection, run_tags.c.tag, chosen, run_tags.c.tag)
    query = select(runs).join(chosen, chosen.c.key == runs.c.key).order_by(*_NEWEST_FIRST)
    return [record_of(row, labels[row["key"]], tags[row["key"]]) for row in connection.execute(query).mappings()]


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


def _ids(connection: Connection) -> list[str]:
    return list(connection.execute(select(runs.c.run_id).where(_KEPT).order_by(*_NEWEST_FIRST)).scalars())


def _meant(reference: str, ids: Collection[str]) -> str:
    if reference in ids:
        return reference
    candidates = [run_id for run_id in ids if reference and run_id.startswith(reference)]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        shown = ", ".join(candidates[:4]) + (" …" if len(candidates) > 4 else "")
        raise UserError(f"run '{reference}' can mean {len(candidates)} runs: {shown}; give more of the id.")
    near = difflib.get_close_matches(reference, ids, n=2, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}" if near else "spindle library list shows what is there"
    raise UserError(f"run '{reference}' is not in the library; {hint}.")


def _mentions(text: str) -> ColumnElement[bool]:
    def holds(column: ColumnElement[Any]) -> ColumnElement[bool]:
        return func.casefold(column).contains(text.casefold(), autoescape=True)

    label = select(clients.c.number).where(clients.c.run_key == runs.c.key, holds(clients.c.label)).exists()
    own = (runs.c.run_id, runs.c.name, runs.c.note, runs.c.plan["name"].as_string())
    return or_(*(holds(column) for column in own), _has_tag(holds(run_tags.c.tag)), label)


def _has_tag(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return select(run_tags.c.tag).where(and_(run_tags.c.run_key == runs.c.key, condition)).exists()
