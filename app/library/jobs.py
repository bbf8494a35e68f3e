"""The library's slow work as plain functions, for the window's background door; the command line shares some of it.

``tell`` gets what is being done and the share of it that is (0 to 1), ``cancelled`` is asked now and then; whoever is
cancelled raises ``Cancelled`` and leaves nothing half done.
"""

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.input_text import is_library_file
from app.library.kept_samples import watched_samples
from app.remedy_text import window_text
from app.whole_file import whole_file
from engine.analysis.host.power import PowerFigures, power_figures
from engine.analysis.run_data import RunData
from engine.ds2.log import read_ds2_log
from engine.errors import BadInput, Cancelled, UserError
from engine.library.run_id import new_run_id
from engine.library.whole_run import IsCancelled, OnProgress, open_run, percentile_blocks, recovery_histograms
from engine.record.record import RunRecord
from engine.report.bin_listing import BinListing
from engine.report.export_kind import ExportKind
from engine.report.result import write_csv, write_json
from engine.report.run_listing import RunListing
from engine.report.run_power import run_watts
from engine.report.sets.listing import SetListing

if TYPE_CHECKING:
    from engine.library.library import Library

__all__ = ["IsCancelled", "OnProgress", "open_run", "percentile_blocks", "recovery_histograms"]


@dataclass(frozen=True)
class Outcome:
    """What came of work on several runs or files: the ids of the runs it was done to, and why not to the others."""

    run_ids: tuple[str, ...]
    refusals: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Listed:
    """What the library's table shows: every run's line and every set, the newest first, and how many are deleted."""

    runs: tuple[RunListing, ...]
    sets: tuple[SetListing, ...]
    deleted: int = 0


def list_library(library: "Library") -> Listed:
    """The runs and the sets, each run with the set that it is in. Raises ``UserError``."""
    records, marks = {record.run_id: record for record in library.runs()}, library.mark_counts()
    sets = tuple(SetListing.of(run_set, records) for run_set in library.sets.all())
    set_of = {run_id: each for each in sets for run_id in each.run_ids}
    runs = tuple(_listing(record, marks, set_of.get(record.run_id)) for record in records.values())
    return Listed(runs=runs, sets=sets, deleted=library.bin.count())


def list_deleted(library: "Library") -> tuple[BinListing, ...]:
    """The runs in the bin, the one that was deleted last first. Raises ``UserError``."""
    sizes = library.bin.bytes_by_run()
    found = [
        BinListing(run=RunListing.of(record), deleted_at=record.deleted_at, stored_bytes=sizes.get(record.run_id, 0))
        for record in library.runs(deleted=True)
        if record.deleted_at is not None
    ]
    return tuple(sorted(found, key=lambda each: each.deleted_at, reverse=True))


def runs_to_report(library: "Library", run_ids: Sequence[str]) -> Listed:
    """These runs in this order, and all the sets. Raises ``UserError``, also for a run that isn't there any more."""
    listed = list_library(library)
    by_id = {run.run_id: run for run in listed.runs}
    for run_id in run_ids:
        if run_id not in by_id:
            raise UserError(f"run {run_id} is no longer in the library; go back and choose another one.")
    return replace(listed, runs=tuple(by_id[run_id] for run_id in run_ids))


def _listing(record: RunRecord, marks: Mapping[str, int], run_set: SetListing | None) -> RunListing:
    listing = RunListing.of(record, marks=marks.get(record.run_id, 0))
    if run_set is None:
        return listing
    return replace(listing, run_set=run_set.name, is_median=record.run_id == run_set.median_id)


def open_runs(
    library: "Library", run_ids: Sequence[str], *, tell: OnProgress, cancelled: IsCancelled
) -> list[tuple[RunRecord, RunData]]:
    """Several runs to compare, in this order, as ``open_run`` opens each."""
    opened = []
    for number, run_id in enumerate(run_ids):
        opened.append(open_run(library, run_id, on_progress=part_of(tell, number, len(run_ids)), cancelled=cancelled))
    return opened


def power_of(library: "Library", record: RunRecord, run: RunData) -> PowerFigures:
    """The watts of what a run was measured on, of its meters and as typed. Raises ``UserError``."""
    typed = library.configurations.get(record.configuration).watts if record.configuration else ()
    watts = run_watts(record, run, library.host.of_run(record.run_id), typed)
    return power_figures(watts.devices, (record.totals or {}).get("opm"))


def part_of(tell: OnProgress, number: int, of: int) -> OnProgress:
    """``tell`` of one of several steps, with its number from 0; that of a single one is ``tell`` itself."""

    def tell_part(doing: str, share: float) -> None:
        tell(f"{doing} {number + 1} of {of}", (number + share) / of)

    return tell if of == 1 else tell_part


def export_run(
    library: "Library", run_id: str, kind: ExportKind, path: Path, *, tell: OnProgress, cancelled: IsCancelled
) -> None:
    """Write a run's result as JSON or its samples as CSV.

    Raises ``UserError`` and ``Cancelled``; what was at ``path`` before is then as it was.
    """
    from app.library.kept_judgement import kept_recoveries

    record = library.run(run_id)
    with whole_file(path) as whole, io.TextIOWrapper(whole, encoding="utf-8", newline="") as file:
        if kind is ExportKind.JSON:
            write_json(file, record, library.events(run_id), kept_recoveries(library, run_id))
        else:
            write_csv(file, record, watched_samples(library, record, tell=tell, cancelled=cancelled))


def export_chart(path: Path, image: bytes) -> None:
    """Write a picture that a chart made, as ``export_run`` writes."""
    with whole_file(path) as file:
        file.write(image)


def import_ds2_log(library: "Library", path: Path, *, name: str | None = None, tags: tuple[str, ...] = ()) -> RunRecord:
    """Take a DVD Store 2 driver's own output in as a run. Raises ``UserError``; then nothing was taken in."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
        written_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError as error:
        raise BadInput(f"{path} can't be read ({error.strerror}); check the path.") from error
    imported = read_ds2_log(text, source=path.name, started_at=written_at, new_run_id=new_run_id)
    record = replace(imported.record, tags=tags, name=imported.record.name if name is None else name)
    library.add_imported(record, imported.samples, imported.events)
    return library.run(record.run_id)


def import_library(
    library: "Library", path: Path, *, name: str | None = None, tags: tuple[str, ...] = ()
) -> list[RunRecord]:
    """Take in the runs of another library's file, such as a rescued run's, that are not there yet.

    Raises ``UserError``; of the run in question nothing was taken in then.
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


def import_files(library: "Library", paths: Sequence[Path], *, tell: OnProgress, cancelled: IsCancelled) -> Outcome:
    """Import each file that can be; what can't is told. When cancelled, those that were taken in stay."""
    run_ids: list[str] = []
    refusals: list[str] = []
    for number, path in enumerate(paths):
        _check(cancelled)
        tell(f"reading {path.name}", number / len(paths))
        try:
            if is_library_file(path):
                run_ids += [record.run_id for record in import_library(library, path)]
            else:
                run_ids.append(import_ds2_log(library, path).run_id)
        except UserError as error:
            refusals.append(window_text(error))
    return Outcome(tuple(run_ids), tuple(refusals))


def delete_runs(library: "Library", run_ids: Iterable[str]) -> Outcome:
    """Put runs into the bin, from which ``restore_runs`` takes them; one that goes on is refused."""
    return _each(run_ids, library.delete)


def restore_runs(library: "Library", run_ids: Iterable[str]) -> Outcome:
    """Undo ``delete_runs``."""
    return _each(run_ids, library.bin.restore)


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
