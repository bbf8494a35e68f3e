"""The statements that change the library; ``engine.library.library`` calls them within a transaction."""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.dialects import sqlite

from engine.errors import BadInput, UserError
from engine.library.owner import Owner
from engine.library.reading import key_of, last_second
from engine.library.rows import client_rows, event_row, run_row, sample_row
from engine.library.tables import clients, events, run_tags, runs, samples
from engine.record.record import RunRecord, RunState
from engine.telemetry.event import RunEvent
from engine.telemetry.sample import Sample

_AT_ONCE = 1_000
_LONGEST_TAG = 64
_UNFINISHED = runs.c.state.not_in([state.value for state in RunState if state.is_final])
_INSERT_SAMPLE = str(insert(samples).prefix_with("OR REPLACE").compile(dialect=sqlite.dialect()))


def insert_run(connection: Connection, record: RunRecord, owner: Owner | None) -> int:
    """Add a run with its clients and tags, and return its key; raises ``UserError`` when its id exists."""
    if connection.execute(select(runs.c.key).where(runs.c.run_id == record.run_id)).first():
        raise UserError(f"run '{record.run_id}' is already in the library; give the new one another id.")
    owned = {} if owner is None else {"owner_pid": owner.pid, "owner_created": owner.created}
    statement = insert(runs).values(**run_row(record), **owned).returning(runs.c.key)
    key: int = connection.execute(statement).scalar_one()
    if record.client_labels:
        connection.execute(insert(clients), client_rows(record, key))
    insert_tags(connection, key, record.tags)
    return key


def insert_samples(connection: Connection, key: int, items: Iterable[Sample]) -> None:
    """Add samples. An existing one is replaced, since a batch is repeated if its commit seems to have failed.

    The rows go straight to the SQLite driver. Prepared by SQLAlchemy they took three times as long, all of it with the
    interpreter's lock held, so that the run's collector thread had to wait.
    """
    rows = (sample_row(each, key) for each in items)
    while batch := list(islice(rows, _AT_ONCE)):
        connection.exec_driver_sql(_INSERT_SAMPLE, batch)


def insert_events(connection: Connection, key: int, items: Iterable[RunEvent]) -> None:
    """Add events, which must have numbers; an event with an existing number replaces the old one."""
    rows = [event_row(event, key) for event in items]
    if rows:
        connection.execute(insert(events).prefix_with("OR REPLACE"), rows)


def remove_events(connection: Connection, key: int, numbers: Iterable[int]) -> None:
    """Remove events from a run; numbers that do not exist are ignored."""
    for number in numbers:
        connection.execute(delete(events).where(events.c.run_key == key, events.c.number == number))


def insert_tags(connection: Connection, key: int, tags: Iterable[str]) -> None:
    """Add tags to a run, which keeps those that it has. Raises ``BadInput`` for a tag that is empty or too long."""
    rows = [{"run_key": key, "tag": _checked_tag(tag)} for tag in tags]
    if rows:
        connection.execute(insert(run_tags).prefix_with("OR IGNORE"), rows)


def remove_tags(connection: Connection, key: int, tags: Iterable[str]) -> None:
    """Remove tags from a run; tags that it does not have are ignored."""
    stripped = [tag.strip() for tag in tags]
    connection.execute(delete(run_tags).where(run_tags.c.run_key == key, run_tags.c.tag.in_(stripped)))


def set_columns(connection: Connection, key: int, **values: Any) -> None:
    """Change columns of a row of ``runs``."""
    connection.execute(update(runs).where(runs.c.key == key).values(**values))


def mark_deleted(connection: Connection, run_id: str) -> None:
    """Move a run to the bin; raises ``UserError`` when it isn't in the library or is in progress."""
    key = key_of(connection, run_id)
    row = connection.execute(select(runs).where(runs.c.key == key)).mappings().one()
    if not RunState(row["state"]).is_final and _owner_is_alive(row):
        raise UserError(f"run '{run_id}' is still {row['state']}; stop it before you delete it.")
    set_columns(connection, key, deleted_at=datetime.now(UTC))


def interrupt_orphans(connection: Connection, *, excluded: Collection[str] = ()) -> list[int]:
    """Mark every unfinished run whose process has ended as interrupted, except those with ``excluded`` ids; returns
    their keys."""
    orphans = [
        row
        for row in connection.execute(select(runs).where(_UNFINISHED)).mappings()
        if row["run_id"] not in excluded and not _owner_is_alive(row)
    ]
    for row in orphans:
        last = last_second(connection, row["key"])
        ended_at = row["started_at"] + timedelta(seconds=0 if last is None else last + 1)
        set_columns(connection, row["key"], state=RunState.INTERRUPTED.value, ended_at=ended_at)
    return [row["key"] for row in orphans]


def has_orphans(connection: Connection) -> bool:
    """Whether ``interrupt_orphans`` would mark a run; writes nothing."""
    owners = select(runs.c.owner_pid, runs.c.owner_created).where(_UNFINISHED)
    return not all(_owner_is_alive(row) for row in connection.execute(owners).mappings())


def _owner_is_alive(row: Any) -> bool:
    return row["owner_pid"] is not None and Owner(row["owner_pid"], row["owner_created"]).is_alive()


def _checked_tag(tag: str) -> str:
    tag = tag.strip()
    if not tag or len(tag) > _LONGEST_TAG:
        raise BadInput(f"tag is '{tag}'; give one of 1 to {_LONGEST_TAG} characters.")
    return tag
