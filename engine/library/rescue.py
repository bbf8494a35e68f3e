"""A run whose library could not take its end: put into a library of its own, and taken in later.

That library is a file where there is room for it, or in memory as long as the program runs. The file is private, and is
found again by its name, which tells the library that it belongs to.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from engine.disk_space import found_spares, open_new, spare_name, spare_paths, what_is_in
from engine.errors import UserError
from engine.library.changing import insert_run
from engine.library.connecting import connect, connect_in_memory, read_transaction, write_transaction
from engine.library.copying import copy_run, merge_run
from engine.library.library import Library
from engine.library.opening import beside, is_older
from engine.library.probe_spans import ProbeSpans
from engine.library.reading import find_key, key_of
from engine.library.run_items import Item, write_items
from engine.record.record import RunRecord

_WITHOUT_ROOM = (UserError, OSError, DBAPIError)  # the last of a library whose file is gone, and empty when asked for


@dataclass(frozen=True, kw_only=True)
class Rescue:
    """``library`` holds the one run, with its ledgers where they are; ``path`` is its file, ``None`` is memory.

    ``is_whole`` is false when what the run's own library holds of it could not be read.
    """

    run_id: str
    library: Library
    path: Path | None
    is_whole: bool

    def sentence(self) -> str:
        """What to tell the user."""
        told = f"run {self.run_id} was measured, but the library {self.library.path} could not take it"
        if not self.is_whole:
            told += ", nor be read"
        if self.path is None:
            return f"{told}, and nowhere else is room for it: what is shown and written now is all that stays of it."
        return f"{told}; it is kept in {self.path}, and taken into the library when that is opened with room again."

    def take_in(self, library: Library) -> None:
        """Take the run into its library after all, and let go of the one of its own. Raises ``UserError``."""
        take_in(library, self.library, self.run_id)
        self.library.close()
        if self.path is not None:
            remove_file(self.path)

    def save(self, path: Path) -> None:
        """Write the run to a file that can be imported, in place of what is there. Raises ``UserError``."""
        try:
            with (
                _named_when_whole(path) as part,
                Library(path, connect(part, wal=False)) as saved,
                read_transaction(self.library.engine) as theirs,
                write_transaction(saved.engine) as ours,
            ):
                copy_run(theirs, ours, self.run_id)
        except OSError as error:
            raise UserError(f"{path} can't be written ({error.strerror}); choose another place.") from error


def rescue_run(
    library: Library,
    record: RunRecord,
    left_over: Callable[[], Iterable[list[Item]]],
    settle: Callable[[Library], None],
) -> Rescue:
    """Put a run into a library of its own: what its library has of it, then what that could not take.

    ``record`` is the run as it began, ``settle`` computes its totals there. Raises ``UserError`` only when even memory
    takes nothing.
    """
    contents = _Contents(library, record, left_over, settle)
    for is_whole in (True, False):
        for path in spare_paths(_name(library.path, record.run_id)):
            with suppress(*_WITHOUT_ROOM):  # perhaps there is more room elsewhere
                contents.write_file(path, is_whole=is_whole)
                rescued = Library(library.path, connect(path, wal=False))
                return Rescue(run_id=record.run_id, library=rescued, path=path, is_whole=is_whole)
        rescued = Library(library.path, connect_in_memory(record.run_id))
        try:
            contents.write(rescued, is_whole=is_whole)
        except _WITHOUT_ROOM:
            rescued.close()
            if not is_whole:
                raise
        else:
            break
    return Rescue(run_id=record.run_id, library=rescued, path=None, is_whole=is_whole)


def rescued_files(library: Path) -> list[Path]:
    """The files of runs that are still to be taken into a library; another user's are none."""
    return found_spares(_name(library, "*"))


def take_in(library: Library, source: Library, run_id: str) -> bool:
    """Take a rescued run into its library, or another one, all of it or, when anything fails, nothing; whether there
    was something to take. Raises ``UserError``."""
    from engine.library.totals import totals_of

    with read_transaction(source.engine) as theirs, write_transaction(library.engine) as ours:
        key = find_key(ours, run_id)
        if key is None:
            copy_run(theirs, ours, run_id)
            return True
        if not merge_run(theirs, ours, run_id, key):
            return False
    record = library.run(run_id)
    totals = totals_of(library, run_id, record.plan.client_plans(), record.phases)
    library.settle(run_id, totals={**(record.totals or {}), **totals}, phases=record.phases)
    return True


def take_file_in(library: Library, path: Path) -> list[RunRecord]:
    """Take the runs of a file in; those that were there before are not named again. Raises ``UserError``."""
    if is_older(path):
        Library.open(path, tell=_tell_nobody).close()  # which brings it up
    source = Library.look_into(path)
    if source is None:
        raise UserError(f"{path} is no library of this Spindle, or an older one; name the file of a rescued run.")
    with source:
        run_ids = [record.run_id for record in source.runs()]
        taken = [run_id for run_id in run_ids if take_in(library, source, run_id)]
    return [library.run(run_id) for run_id in taken]


def take_waiting_in(library: Library) -> tuple[list[tuple[RunRecord, Path]], dict[str, Path]]:
    """Take in every rescued run that waits for this library, and remove its file; the runs, each with that file, and
    those that go on waiting, since the library has no room for them yet."""
    taken, waiting = [], {}
    for path in rescued_files(library.path):
        try:
            taken += [(record, path) for record in take_file_in(library, path)]
        except UserError:
            waiting[what_is_in(path)] = path
        else:
            remove_file(path)
    return taken, waiting


def remove_file(path: Path) -> None:
    """Remove the file of a run that was taken in, with all that SQLite and its opening left beside it."""
    for each in (*(beside(path, suffix) for suffix in ("", "-wal", "-shm", "-journal")), path.with_suffix(".lock")):
        with suppress(OSError):
            each.unlink()
    for copy in path.parent.glob(f"{path.stem}.version-*"):
        with suppress(OSError):
            copy.unlink()


@dataclass(frozen=True)
class _Contents:
    """What a rescued run's library is to hold, see ``rescue_run``."""

    library: Library
    record: RunRecord
    left_over: Callable[[], Iterable[list[Item]]]
    settle: Callable[[Library], None]

    def write_file(self, path: Path, *, is_whole: bool) -> None:
        """Make the file, which has its name only when all is in it. Raises ``UserError`` and ``OSError``."""
        with _named_when_whole(path) as part, Library(self.library.path, connect(part, wal=False)) as rescued:
            self.write(rescued, is_whole=is_whole)

    def write(self, rescued: Library, *, is_whole: bool) -> None:
        """Fill an empty library; one that is not ``is_whole`` has only what the run's own library could not take."""
        run_id = self.record.run_id
        if is_whole:
            with read_transaction(self.library.engine) as theirs, write_transaction(rescued.engine) as ours:
                copy_run(theirs, ours, run_id)
        else:
            with write_transaction(rescued.engine) as ours:
                insert_run(ours, self.record, None)
        probes = ProbeSpans()
        for batch in self.left_over():
            with write_transaction(rescued.engine) as ours:
                probes.keep(write_items(ours, key_of(ours, run_id), batch, probes))
        rescued.pack(run_id)
        self.settle(rescued)


@contextmanager
def _named_when_whole(path: Path) -> Iterator[Path]:
    """The file of an empty library to fill, which gets its name when nothing was raised; else it is gone."""
    from engine.library.migrating import migrate

    part = path.with_name(f"{path.name}.part")
    os.close(open_new(part))
    try:
        migrate(part, wal=False)
        yield part
        part.replace(path)
    except BaseException:
        remove_file(part)
        raise


def _name(library: Path, run_id: str) -> str:
    return spare_name(library.parent, f"{run_id}.sqlite")


def _tell_nobody(_text: str) -> None:
    """What is said of a rescued run's library on opening concerns nobody."""
