"""What is changed in the library; ``engine.library.library`` calls these within a transaction of its own."""

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
    """Add a run with its clients and tags, and return its key; raises ``UserError`` when its id is taken."""
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
    """Add samples; one that is already there is replaced, since a batch whose commit seemed to fail comes again.

    The rows go to the driver as they are. Prepared by SQLAlchemy they took three times as long, with the interpreter's
    lock held throughout, for which the run's collector then waited.
    """
    rows = (sample_row(each, key) for each in items)
    while batch := list(islice(rows, _AT_ONCE)):
        connection.exec_driver_sql(_INSERT_SAMPLE, batch)


def insert_events(connection: Connection, key: int, items: Iterable[RunEvent]) -> None:
    """Add events, which have their numbers; one whose number is already there is replaced."""
    rows = [event_row(event, key) for event in items]
    if rows:
        connection.execute(insert(events).prefix_with("OR REPLACE"), rows)


def remove_events(connection: Connection, key: int, numbers: Iterable[int]) -> None:
    """Take events out of a run; one that it doesn't have is no matter."""
    for number in numbers:
        connection.execute(delete(events).where(events.c.run_key == key, events.c.number == number))


def insert_tags(connection: Connection, key: int, tags: Iterable[str]) -> None:
    """Tag a run; a tag that it has stays. Raises ``BadInput`` for a tag that is empty or too long."""
    rows = [{"run_key": key, "tag": _checked_tag(tag)} for tag in tags]
    if rows:
        connection.execute(insert(run_tags).prefix_with("OR IGNORE"), rows)


def remove_tags(connection: Connection, key: int, tags: Iterable[str]) -> None:
    """Take tags off a run; one that it doesn't have is no matter."""
    gone = [tag.strip() for tag in tags]
    connection.execute(delete(run_tags).where(run_tags.c.run_key == key, run_tags.c.tag.in_(gone)))


def set_columns(connection: Connection, key: int, **values: Any) -> None:
    """Change columns of ``runs``."""
    connection.execute(update(runs).where(runs.c.key == key).values(**values))


def mark_deleted(connection: Connection, run_id: str) -> None:
    """Put a run into the bin; raises ``UserError`` when it isn't in the library or is still going on."""
    key = key_of(connection, run_id)
    row = connection.execute(select(runs).where(runs.c.key == key)).mappings().one()
    if not RunState(row["state"]).is_final and _owner_lives(row):
        raise UserError(f"run '{run_id}' is still {row['state']}; stop it before you delete it.")
    set_columns(connection, key, deleted_at=datetime.now(UTC))


def interrupt_orphans(connection: Connection, *, but: Collection[str] = ()) -> list[int]:
    """Mark every run that isn't over and whose process is gone as interrupted, but for some ids; returns their keys."""
    orphans = [
        row
        for row in connection.execute(select(runs).where(_UNFINISHED)).mappings()
        if row["run_id"] not in but and not _owner_lives(row)
    ]
    for row in orphans:
        last = last_second(connection, row["key"])
        ended_at = row["started_at"] + timedelta(seconds=0 if last is None else last + 1)
        set_columns(connection, row["key"], state=RunState.INTERRUPTED.value, ended_at=ended_at)
    return [row["key"] for row in orphans]


def has_orphans(connection: Connection) -> bool:
    """Whether ``interrupt_orphans`` would find a run; nothing is written."""
    owners = select(runs.c.owner_pid, runs.c.owner_created).where(_UNFINISHED)
    return not all(_owner_lives(row) for row in connection.execute(owners).mappings())


def _owner_lives(row: Any) -> bool:
    return row["owner_pid"] is not None and Owner(row["owner_pid"], row["owner_created"]).is_alive()


def _checked_tag(tag: str) -> str:
    tag = tag.strip()
    if not tag or len(tag) > _LONGEST_TAG:
        raise BadInput(f"tag is '{tag}'; give one of 1 to {_LONGEST_TAG} characters.")
    return tag
