"""The bin: deleted runs, which can be restored until the user empties it."""

from collections.abc import Callable, Collection
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, Engine, Table, delete, func, select

from engine.audit.ledger_files import ledger_bytes, remove_ledgers
from engine.library.changing import set_columns
from engine.library.connecting import read_transaction, write_transaction
from engine.library.reading import find_run, key_of
from engine.library.searching import DELETED
from engine.library.tables import host_columns, host_readings, runs, sample_blocks, samples
from engine.library.watch import Watch
from engine.record.record import RunRecord

_ROW_BYTES = {samples: 160, host_readings: 20}  # besides its blobs
_BLOBS = {
    samples: ("transactions", "overdue"),
    sample_blocks: ("seconds", "counts", "histograms", "overdue", "others"),
    host_columns: ("times", "values"),
    host_readings: ("values",),
}


class Bin:
    """Every method raises ``UserError`` when the library can't be read or written. ``Library.runs`` lists the deleted
    runs, ``Library.delete`` deletes one."""

    def __init__(self, library: Path, engine: Engine) -> None:
        self._library = library
        self._engine = engine

    def count(self) -> int:
        """How many runs are deleted."""
        with read_transaction(self._engine) as connection:
            return connection.execute(select(func.count()).select_from(runs).where(DELETED)).scalar_one()

    def find(self, reference: str) -> RunRecord:
        """The deleted run with an id, with the only id that begins so, or the one deleted last (``last``). Raises
        ``UserError`` as ``Library.run`` does."""
        with read_transaction(self._engine) as connection:
            return find_run(connection, reference, deleted=True)

    def bytes_by_run(self) -> dict[str, int]:
        """About how much disk space each deleted run takes, in the library's file and in its ledgers."""
        with read_transaction(self._engine) as connection:
            ids = dict(_keys_and_ids(connection))
            stored = dict.fromkeys(ids, 0)
            for table, names in _BLOBS.items():
                for key, size in _sizes(connection, table, names):
                    stored[key] += size
        return {run_id: stored[key] + ledger_bytes(self._library, run_id) for key, run_id in ids.items()}

    def restore(self, run_id: str) -> None:
        """Restore a deleted run; raises ``UserError`` when it is not in the bin."""
        with write_transaction(self._engine) as connection:
            set_columns(connection, key_of(connection, run_id, deleted=True), deleted_at=None)

    def empty(
        self,
        run_ids: Collection[str] | None = None,
        *,
        on_progress: Callable[[float], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> int:
        """Remove all deleted runs, or those with these ids, with their samples and ledgers. Returns how many were
        removed.

        Each run has its own transaction, so that others can write in between. Raises ``Cancelled``; runs that were
        removed until then stay removed.
        """
        with read_transaction(self._engine) as connection:
            chosen = [key for key, run_id in _keys_and_ids(connection) if run_ids is None or run_id in run_ids]
        removed = 0
        for key in Watch(on_progress, cancelled).over(chosen, len(chosen)):
            with write_transaction(self._engine) as connection:
                removal = delete(runs).where(runs.c.key == key, DELETED).returning(runs.c.run_id)
                run_id = connection.execute(removal).scalar_one_or_none()
            if run_id is not None:  # otherwise it was restored meanwhile
                remove_ledgers(self._library, run_id)
                removed += 1
        return removed


def _keys_and_ids(connection: Connection) -> list[tuple[int, str]]:
    return [(row.key, row.run_id) for row in connection.execute(select(runs.c.key, runs.c.run_id).where(DELETED))]


def _sizes(connection: Connection, table: Table, blobs: Collection[str]) -> list[tuple[int, int]]:
    """The bytes that a table holds of each deleted run; SQLite knows a blob's length without reading it."""
    lengths: list[ColumnElement[int]] = [func.coalesce(func.length(table.c[name]), 0) for name in blobs]
    size = func.sum(sum(lengths[1:], lengths[0]) + _ROW_BYTES.get(table, 0))
    query = select(table.c.run_key, size).join(runs, runs.c.key == table.c.run_key).where(DELETED)
    return [(key, size) for key, size in connection.execute(query.group_by(table.c.run_key))]
