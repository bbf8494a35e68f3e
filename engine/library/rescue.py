"""Rescues a run whose library could not store its end, in a separate library that can be imported later.

The separate library is a file on a disk with space, or in memory while the program runs. The file is private; its name
contains a hash of the library that the run belongs to, by which it is found again.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from engine.errors import UserError
from engine.files.disk_space import found_spares, label_of_spare, open_new, spare_name, spare_paths
from engine.library.changing import insert_run
from engine.library.connecting import connect, connect_in_memory, read_transaction, write_transaction
from engine.library.copying import copy_run, merge_run
from engine.library.library import Library
from engine.library.opening import is_older, sidecar_path
from engine.library.probe_spans import ProbeSpans
from engine.library.reading import find_key, key_of
from engine.library.run_items import Item, write_items
from engine.record.record import RunRecord
from engine.record.totals import totals_of_loads
from engine.record.totals_json import totals_from_dict, totals_to_dict

_STORAGE_ERRORS = (UserError, OSError, DBAPIError)  # DBAPIError: the file was deleted and is empty when opened


@dataclass(frozen=True, kw_only=True)
class Rescue:
    """``library`` contains only this run, whose ledgers stay where they are; ``path`` is its file, ``None`` if it is in
    memory.

    ``is_whole`` is false when what the run's own library contains of it could not be read.
    """

    run_id: str
    library: Library
    path: Path | None
    is_whole: bool

    def sentence(self) -> str:
        """What is shown to the user."""
        found = f"run {self.run_id} was measured, but the library {self.library.path} could not take it"
        if not self.is_whole:
            found += ", nor be read"
        if self.path is None:
            return f"{found}, and nowhere else is room for it: what is shown and written now is all that stays of it."
        return f"{found}; it is kept in {self.path}, and taken into the library when that is opened with room again."

    def import_into(self, library: Library) -> None:
        """Import the run into its library, and close the separate one and remove its file. Raises ``UserError``."""
        import_into(library, self.library, self.run_id)
        self.library.close()
        if self.path is not None:
            remove_file(self.path)

    def save(self, path: Path) -> None:
        """Write the run to a file that can be imported, overwriting an existing one. Raises ``UserError``."""
        try:
            with (
                _atomic_library_file(path) as part,
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
    """Copy a run to a separate library: what its own library has of it, then what that could not store.

    ``record`` is the record from the run's start, ``settle`` computes its totals in the separate library. Raises
    ``UserError`` only when even memory does not suffice.
    """
    contents = _Contents(library, record, left_over, settle)
    for is_whole in (True, False):
        for path in spare_paths(_name(library.path, record.run_id)):
            with suppress(*_STORAGE_ERRORS):  # the next disk may have more space
                contents.write_file(path, is_whole=is_whole)
                rescued = Library(library.path, connect(path, wal=False))
                return Rescue(run_id=record.run_id, library=rescued, path=path, is_whole=is_whole)
        rescued = Library(library.path, connect_in_memory(record.run_id))
        try:
            contents.write(rescued, is_whole=is_whole)
        except _STORAGE_ERRORS:
            rescued.close()
            if not is_whole:
                raise
        else:
            break
    return Rescue(run_id=record.run_id, library=rescued, path=None, is_whole=is_whole)


def rescued_files(library: Path) -> list[Path]:
    """The files of runs that wait to be imported into a library, except those of other users."""
    return found_spares(_name(library, "*"))


def import_into(library: Library, source: Library, run_id: str) -> bool:
    """Take a rescued run into its library, or another one, all of it or, when anything fails, nothing; whether there
    was something to take. Raises ``UserError``."""
    from engine.library.totals import totals_of

    with read_transaction(source.engine) as theirs, write_transaction(library.engine) as ours:
        key = find_key(ours, run_id)
        if key is None:
            copy_run(theirs, ours, run_id)
        elif not merge_run(theirs, ours, run_id, key):
            return False
    with suppress(UserError):  # readings that are not packed are read the same
        library.packer.pack_readings(run_id)
    if key is None:
        return True
    record = library.run(run_id)
    totals = totals_of(library, run_id, record.plan.client_plans(), record.phases)
    if record.totals is not None:  # what can't be computed again stays, such as what servers measured after the run
        both = zip(record.totals.loads, totals.loads, strict=True)
        totals = totals_of_loads(
            [totals_from_dict(new.workload, {**totals_to_dict(old), **totals_to_dict(new)}) for old, new in both]
        )
    library.settle(run_id, totals=totals, phases=record.phases)
    return True


def import_rescue_file(library: Library, path: Path) -> list[RunRecord]:
    """Import the runs of a file, and return those that were new or incomplete. Raises ``UserError``."""
    if is_older(path):
        Library.open(path, notify=_ignore_notice).close()  # which migrates it
    source = Library.open_read_only_if_current(path)
    if source is None:
        raise UserError(f"{path} is no library of this Spindle, or an older one; name the file of a rescued run.")
    with source:
        run_ids = [record.run_id for record in source.runs()]
        taken = [run_id for run_id in run_ids if import_into(library, source, run_id)]
    return [library.run(run_id) for run_id in taken]


def import_waiting_rescues(library: Library) -> tuple[list[tuple[RunRecord, Path]], dict[str, Path]]:
    """Import every rescued run that waits for this library, and remove its file. Returns the imported runs, each with
    its file, and the files by run id that the library has no space for yet."""
    taken, waiting = [], {}
    for path in rescued_files(library.path):
        try:
            taken += [(record, path) for record in import_rescue_file(library, path)]
        except UserError:
            waiting[label_of_spare(path)] = path
        else:
            remove_file(path)
    return taken, waiting


def remove_file(path: Path) -> None:
    """Remove the file of an imported run, with all files that SQLite and opening it left beside it."""
    for each in (
        *(sidecar_path(path, suffix) for suffix in ("", "-wal", "-shm", "-journal")),
        path.with_suffix(".lock"),
    ):
        with suppress(OSError):
            each.unlink()
    for copy in path.parent.glob(f"{path.stem}.version-*"):
        with suppress(OSError):
            copy.unlink()


@dataclass(frozen=True)
class _Contents:
    """What a separate library is filled with, see ``rescue_run``."""

    library: Library
    record: RunRecord
    left_over: Callable[[], Iterable[list[Item]]]
    settle: Callable[[Library], None]

    def write_file(self, path: Path, *, is_whole: bool) -> None:
        """Write the file, which gets its name only when it is complete. Raises ``UserError`` and ``OSError``."""
        with _atomic_library_file(path) as part, Library(self.library.path, connect(part, wal=False)) as rescued:
            self.write(rescued, is_whole=is_whole)

    def write(self, rescued: Library, *, is_whole: bool) -> None:
        """Fill an empty library; if not ``is_whole``, only with what the run's own library could not store."""
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
        rescued.packer.pack(run_id)
        self.settle(rescued)


@contextmanager
def _atomic_library_file(path: Path) -> Iterator[Path]:
    """The path of an empty library to fill; it is renamed to ``path`` if the block succeeds, else removed."""
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


def _ignore_notice(_text: str) -> None:
    """Ignore what is reported when a rescued run's library is opened."""
