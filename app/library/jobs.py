"""Slow work of the library as plain functions, run in the background by the window; the command line shares some of it.

``on_progress`` is called with what is being done and the share done (0 to 1); ``cancelled`` is polled. Cancelled work
raises ``Cancelled`` and leaves nothing half done.
"""

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO

from app.cli.input_text import is_library_file
from app.library.documents import write_run_json, write_samples
from app.library.stored_samples import watched_samples
from app.remedy_text import window_text
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.power import PowerFigures, power_figures
from engine.analysis.run_data import RunData
from engine.errors import BadInput, Cancelled, UserError
from engine.files.atomic import atomic_file
from engine.library.run_id import new_run_id
from engine.library.whole_run import IsCancelled, OnProgress, open_run, percentile_blocks, recovery_histograms
from engine.record.record import RunRecord
from engine.record.totals import NO_TOTALS
from engine.report.export_kind import ExportKind
from engine.report.host_csv import write_host_csv
from engine.report.run_listing import BinListing, RunListing
from engine.report.run_power import run_watts
from engine.report.sets.listing import SetListing
from engine.workload.registry import DVD_STORE
from engine.workloads.driver_files import driver_files_of
from engine.workloads.storage.results.importing import is_storage_result, read_storage_result

if TYPE_CHECKING:
    from engine.library.library import Library

__all__ = ["IsCancelled", "OnProgress", "open_run", "percentile_blocks", "recovery_histograms"]


@dataclass(frozen=True)
class Outcome:
    """The result of work on several runs or files: the ids of the runs that were processed, and why others were not;
    ``are_restored``: they were taken from the bin."""

    run_ids: tuple[str, ...]
    refusals: tuple[str, ...] = ()
    are_restored: bool = False


@dataclass(frozen=True, kw_only=True)
class Listed:
    """What the library's table shows: a listing of every run and set, newest first, and the number of deleted runs."""

    runs: tuple[RunListing, ...]
    sets: tuple[SetListing, ...]
    deleted: int = 0


def list_library(library: "Library") -> Listed:
    """All runs and sets, each run with the set it belongs to. Raises ``UserError``."""
    records, faults = {record.run_id: record for record in library.runs()}, library.fault_counts()
    sets = tuple(SetListing.of(run_set, records) for run_set in library.sets.all())
    set_of = {run_id: each for each in sets for run_id in each.run_ids}
    runs = tuple(_listing(record, faults, set_of.get(record.run_id)) for record in records.values())
    return Listed(runs=runs, sets=sets, deleted=library.bin.count())


def list_deleted(library: "Library") -> tuple[BinListing, ...]:
    """The runs in the bin, last deleted first. Raises ``UserError``."""
    sizes = library.bin.bytes_by_run()
    found = [
        BinListing(run=RunListing.of(record), deleted_at=record.deleted_at, stored_bytes=sizes.get(record.run_id, 0))
        for record in library.runs(deleted=True)
        if record.deleted_at is not None
    ]
    return tuple(sorted(found, key=lambda each: each.deleted_at, reverse=True))


def runs_to_report(library: "Library", run_ids: Sequence[str]) -> Listed:
    """These runs in this order, and all sets. Raises ``UserError``, also for a run that no longer exists."""
    listed = list_library(library)
    by_id = {run.run_id: run for run in listed.runs}
    for run_id in run_ids:
        if run_id not in by_id:
            raise UserError(f"run {run_id} is no longer in the library; go back and choose another one.")
    return replace(listed, runs=tuple(by_id[run_id] for run_id in run_ids))


def _listing(record: RunRecord, faults: Mapping[str, int], run_set: SetListing | None) -> RunListing:
    listing = RunListing.of(record, faults=faults.get(record.run_id, 0))
    if run_set is None:
        return listing
    return replace(listing, run_set=run_set.name, is_median=record.run_id == run_set.median_id)


def open_runs(
    library: "Library", run_ids: Sequence[str], *, on_progress: OnProgress, cancelled: IsCancelled
) -> list[tuple[RunRecord, RunData]]:
    """Open several runs for a comparison, in this order, each as ``open_run`` does."""
    opened = []
    for number, run_id in enumerate(run_ids):
        opened.append(
            open_run(library, run_id, on_progress=part_of(on_progress, number, len(run_ids)), cancelled=cancelled)
        )
    return opened


def power_of(library: "Library", record: RunRecord, run: RunData) -> PowerFigures:
    """The power draw of what a run was measured on, from its meters and as typed [W]. Raises ``UserError``."""
    typed = library.configurations.get(record.configuration).watts if record.configuration else ()
    watts = run_watts(record, run, library.host.of_run(record.run_id), typed)
    return power_figures(watts.devices, (record.totals or NO_TOTALS).headline_rate)


def part_of(on_progress: OnProgress, number: int, of: int) -> OnProgress:
    """``on_progress`` for step ``number`` (from 0) of ``of`` steps: texts get the step's number, shares are those of
    the whole. For a single step, ``on_progress`` itself."""

    def report_part(doing: str, share: float) -> None:
        on_progress(f"{doing} {number + 1} of {of}", (number + share) / of)

    return on_progress if of == 1 else report_part


def export_run(
    library: "Library", run_id: str, kind: ExportKind, path: Path, *, on_progress: OnProgress, cancelled: IsCancelled
) -> None:
    """Write a run's result as JSON, or its samples or the readings of its hosts as CSV.

    Raises ``UserError`` and ``Cancelled``; an existing file at ``path`` is then unchanged.
    """
    record = library.run(run_id)
    with atomic_file(path) as whole, _as_text(whole) as file:
        if kind is ExportKind.JSON:
            write_run_json(file, library, record)
        elif kind is ExportKind.HOSTS_CSV:
            write_host_csv(file, record, host_measurements(library, record))
        else:
            write_samples(file, record, partial(watched_samples, library, on_progress=on_progress, cancelled=cancelled))


def host_measurements(library: "Library", record: RunRecord) -> list[HostMeasurement]:
    """What was read of a run's hosts and meters; raises ``UserError`` when there is nothing."""
    found = library.host.of_run(record.run_id)
    if not found:
        raise UserError(
            f"run {record.run_id} has no host measurements; read machines during a run, or import their files."
        )
    return found


@contextmanager
def _as_text(file: BinaryIO) -> Iterator[TextIO]:
    """The file for texts; it stays open when they are written, since it is then brought to the disk."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    try:
        yield text
    finally:
        text.detach()


def export_chart(path: Path, image: bytes) -> None:
    """Write the picture of a chart, with the guarantees of ``export_run``."""
    with atomic_file(path) as file:
        file.write(image)


def import_result(library: "Library", path: Path, *, name: str | None = None, tags: tuple[str, ...] = ()) -> RunRecord:
    """Import what another program has printed as a run: a DVD Store 2 driver, SQLIO, diskspd or fio.

    Raises ``UserError``; nothing is imported then.
    """
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
        written_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError as error:
        raise BadInput(f"{path} can't be read ({error.strerror}); check the path.") from error
    return import_text(library, text, source=path.name, written_at=written_at, name=name, tags=tags)


def import_text(
    library: "Library",
    text: str,
    *,
    source: str,
    written_at: datetime,
    name: str | None = None,
    tags: tuple[str, ...] = (),
) -> RunRecord:
    """Import what a program has printed at that time; ``source`` is what errors call it. Raises ``UserError``."""
    read = read_storage_result if is_storage_result(text) else driver_files_of(DVD_STORE).read_log
    imported = read(text, source=source, started_at=written_at, new_run_id=new_run_id)
    record = replace(imported.record, tags=tags, name=imported.record.name if name is None else name)
    library.add_imported(record, imported.samples, imported.events)
    return library.run(record.run_id)


def import_library(
    library: "Library", path: Path, *, name: str | None = None, tags: tuple[str, ...] = ()
) -> list[RunRecord]:
    """Import the runs of another library's file, such as a rescued run, that this library lacks.

    Raises ``UserError``; nothing is imported of the run that it concerns.
    """
    from engine.library.rescue import import_rescue_file

    taken = import_rescue_file(library, path)
    if name is not None and len(taken) > 1:
        raise BadInput(f"--name is '{name}', and {path} has {len(taken)} runs; spindle library rename names one.")
    for record in taken:
        library.add_tags(record.run_id, tags)
        if name is not None:
            library.rename(record.run_id, name)
    return [library.run(record.run_id) for record in taken]


def import_files(
    library: "Library", paths: Sequence[Path], *, on_progress: OnProgress, cancelled: IsCancelled
) -> Outcome:
    """Import each file that can be imported; the outcome names the others. After a cancel, what was imported stays."""
    run_ids: list[str] = []
    refusals: list[str] = []
    for number, path in enumerate(paths):
        _check(cancelled)
        on_progress(f"reading {path.name}", number / len(paths))
        try:
            if is_library_file(path):
                run_ids += [record.run_id for record in import_library(library, path)]
            else:
                run_ids.append(import_result(library, path).run_id)
        except UserError as error:
            refusals.append(window_text(error))
    return Outcome(tuple(run_ids), tuple(refusals))


def delete_runs(library: "Library", run_ids: Iterable[str]) -> Outcome:
    """Move runs to the bin, from which ``restore_runs`` takes them; a run in progress is refused."""
    return _each(run_ids, library.delete)


def restore_runs(library: "Library", run_ids: Iterable[str]) -> Outcome:
    """Undo ``delete_runs``."""
    return replace(_each(run_ids, library.bin.restore), are_restored=True)


def _each(run_ids: Iterable[str], do: Callable[[str], None]) -> Outcome:
    done, refusals = [], []
    for run_id in run_ids:
        try:
            do(run_id)
        except UserError as error:
            refusals.append(window_text(error))
        else:
            done.append(run_id)
    return Outcome(tuple(done), tuple(refusals))


def _check(cancelled: IsCancelled) -> None:
    if cancelled():
        raise Cancelled
