"""The library of runs: the one way in for the rest of Spindle."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import Engine

from engine.library import changing, reading
from engine.library.connecting import connect, read_transaction, write_transaction
from engine.library.opening import make_ready
from engine.library.owner import this_process
from engine.library.rows import phases_row
from engine.library.run_writer import BUSY_SECONDS, RunWriter
from engine.record import Phases, RunRecord, RunState
from engine.sample import RunEvent, Sample

if TYPE_CHECKING:
    from engine.library.columns import SampleColumns

_PAGE = 5_000


class Library:
    """An open library; several threads and several processes may use one file at once.

    Every method raises ``UserError`` when the file can't be read or written, and those that take a ``run_id`` also
    when no run of that id is there. Deleted runs are there for ``restore`` and ``purge_deleted`` only.
    """

    def __init__(self, path: Path, engine: Engine) -> None:
        self.path = path
        self._engine = engine

    @classmethod
    def open(cls, path: Path, *, tell: Callable[[str], None]) -> Self:
        """Open the library's file, or begin one, making its folder.

        A library of an older version is copied and migrated first. A damaged one is set aside under another name, a
        new one is begun, and ``tell`` gets one sentence. Raises ``UserError`` for one of a newer version, which is
        left as it is, and for a file or folder that can't be written.
        """
        make_ready(path, tell=tell)
        return cls(path, connect(path))

    def close(self) -> None:
        """Let go of the file; writers of running runs have their own hold on it."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def start_run(self, record: RunRecord, *, on_trouble: Callable[[str], None]) -> RunWriter:
        """Enter a run that begins now and belongs to this process, and return what keeps it; close that one."""
        with write_transaction(self._engine) as connection:
            key = changing.insert_run(connection, record, this_process())
        return RunWriter(connect(self.path, busy_seconds=BUSY_SECONDS), key, on_trouble=on_trouble)

    def add_imported(self, record: RunRecord, samples: Iterable[Sample], events: Iterable[RunEvent]) -> None:
        """Enter a run that was measured elsewhere, all of it or, when anything fails, nothing."""
        with write_transaction(self._engine) as connection:
            key = changing.insert_run(connection, record, None)
            changing.insert_samples(connection, key, samples)
            changing.insert_events(connection, key, enumerate(events, start=1))

    def sweep(self) -> list[RunRecord]:
        """Mark the runs whose process died as interrupted, and return them; each ends with its last sample."""
        with write_transaction(self._engine) as connection:
            return reading.records_of(connection, changing.interrupt_orphans(connection))

    def settle(self, run_id: str, *, totals: Mapping[str, Any], phases: Phases) -> None:
        """Give a run that was interrupted its totals, and the phases that they are of."""
        with write_transaction(self._engine) as connection:
            key = reading.key_of(connection, run_id)
            changing.set_columns(connection, key, totals=dict(totals), **phases_row(phases))

    def runs(
        self,
        *,
        text: str = "",
        tags: Collection[str] = (),
        states: Collection[RunState] = (),
        limit: int | None = None,
    ) -> list[RunRecord]:
        """The runs, newest first: those that hold ``text`` (in id, name, note, plan's name, a tag or a client's label;
        capitals count for nothing), have every one of ``tags`` and any of ``states``."""
        with read_transaction(self._engine) as connection:
            return reading.find_runs(connection, text=text, tags=tags, states=states, limit=limit)

    def run(self, reference: str) -> RunRecord:
        """The run that an id means, the beginning of just one id, or ``last``.

        Raises ``UserError`` that names the nearest ids when there is none, or the candidates when there are several.
        """
        with read_transaction(self._engine) as connection:
            return reading.find_run(connection, reference)

    def events(self, run_id: str) -> list[RunEvent]:
        """The run's events in the order of their times."""
        with read_transaction(self._engine) as connection:
            return reading.run_events(connection, reading.key_of(connection, run_id))

    def samples(self, run_id: str) -> Iterator[Sample]:
        """The run's samples, by client and then by second; whoever reads slowly holds nothing up meanwhile."""
        with read_transaction(self._engine) as connection:
            key = reading.key_of(connection, run_id)
        return self._pages(key)

    def columns(self, run_id: str) -> "SampleColumns":
        """The run's samples as arrays."""
        from engine.library.columns import read_columns

        with read_transaction(self._engine) as connection:
            return read_columns(connection, reading.key_of(connection, run_id))

    def rename(self, run_id: str, name: str) -> None:
        """Give a run another name; empty takes its name away."""
        self._set(run_id, name=name.strip())

    def set_note(self, run_id: str, note: str) -> None:
        """Replace a run's note."""
        self._set(run_id, note=note)

    def add_tags(self, run_id: str, tags: Iterable[str]) -> None:
        """Tag a run; tags that it has stay. Raises ``BadInput`` for a tag that is empty or too long."""
        with write_transaction(self._engine) as connection:
            changing.insert_tags(connection, reading.key_of(connection, run_id), tags)

    def remove_tags(self, run_id: str, tags: Iterable[str]) -> None:
        """Take tags off a run; those that it doesn't have are no matter."""
        with write_transaction(self._engine) as connection:
            changing.remove_tags(connection, reading.key_of(connection, run_id), tags)

    def delete(self, run_id: str) -> None:
        """Put a run into the bin, where ``restore`` finds it; raises ``UserError`` for one that is still going on."""
        with write_transaction(self._engine) as connection:
            changing.mark_deleted(connection, run_id)

    def restore(self, run_id: str) -> None:
        """Take a run out of the bin again."""
        with write_transaction(self._engine) as connection:
            changing.set_columns(connection, reading.key_of(connection, run_id, deleted=True), deleted_at=None)

    def purge_deleted(self) -> int:
        """Empty the bin for good, a run at a time so that others may write in between; returns how many went."""
        with read_transaction(self._engine) as connection:
            keys = changing.deleted_keys(connection)
        gone = 0
        for key in keys:
            with write_transaction(self._engine) as connection:
                gone += changing.remove_deleted(connection, key)
        return gone

    def _set(self, run_id: str, **values: str) -> None:
        with write_transaction(self._engine) as connection:
            changing.set_columns(connection, reading.key_of(connection, run_id), **values)

    def _pages(self, key: int) -> Iterator[Sample]:
        client, second = -1, -1
        while True:
            with read_transaction(self._engine) as connection:
                page = reading.samples_after(connection, key, client=client, second=second, limit=_PAGE)
            yield from page
            if len(page) < _PAGE:
                return
            client, second = page[-1].client, page[-1].second
