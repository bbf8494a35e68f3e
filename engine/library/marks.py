"""Marks in runs that are over.

The marks of a run in progress are changed through ``Run``, which passes the changes to its ``RunWriter``.
"""

from dataclasses import replace

from sqlalchemy import Connection, Engine, func, select

from engine.errors import UserError
from engine.faults.marks import changed_mark, is_mark
from engine.library.changing import insert_events, remove_events
from engine.library.connecting import write_transaction
from engine.library.reading import key_of
from engine.library.rows import event_of
from engine.library.tables import events, runs
from engine.record.record import RunState
from engine.telemetry.event import RunEvent


class Marks:
    """The marks of a library's runs. All methods raise ``UserError`` for a run in progress, for a number that is not a
    mark's, and for an invalid label or time."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def put(self, run_id: str, mark: RunEvent) -> RunEvent:
        """Add a mark, such as one that was removed, under its own number, or under the next free one if it has none or
        that is used; returns it with its number."""
        with write_transaction(self._engine) as connection:
            key = _key_of_ended(connection, run_id)
            taken = select(events.c.number).where(events.c.run_key == key, events.c.number == mark.number)
            if not mark.number or connection.execute(taken).first():
                last = connection.execute(select(func.max(events.c.number)).where(events.c.run_key == key)).scalar()
                mark = replace(mark, number=(last or 0) + 1)
            insert_events(connection, key, [mark])
            return mark

    def change(
        self, run_id: str, number: int, *, label: str | None = None, at_seconds: float | None = None
    ) -> RunEvent:
        """Rename a mark or move it; returns the changed mark."""
        with write_transaction(self._engine) as connection:
            key = _key_of_ended(connection, run_id)
            changed = changed_mark(_mark_of(connection, key, number), label=label, at_seconds=at_seconds)
            insert_events(connection, key, [changed])
            return changed

    def remove(self, run_id: str, number: int) -> RunEvent:
        """Remove a mark, and return it for ``put``."""
        with write_transaction(self._engine) as connection:
            key = _key_of_ended(connection, run_id)
            mark = _mark_of(connection, key, number)
            remove_events(connection, key, [number])
            return mark


def _key_of_ended(connection: Connection, run_id: str) -> int:
    key = key_of(connection, run_id)
    state = RunState(connection.execute(select(runs.c.state).where(runs.c.key == key)).scalar_one())
    if not state.is_final:
        raise UserError(f"run '{run_id}' is still {state.value}; change its marks on the Live page.")
    return key


def _mark_of(connection: Connection, key: int, number: int) -> RunEvent:
    query = select(events).where(events.c.run_key == key, events.c.number == number)
    row = connection.execute(query).mappings().first()
    event = None if row is None else event_of(row)
    if event is None or not is_mark(event.kind, by_hand=event.by_hand):
        raise UserError(f"event {number} is not a mark of this run, or was removed; only marks can be changed.")
    return event
