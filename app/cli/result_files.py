"""The files that results are written to: checked before a run, opened after it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from app.cli.terminal import print_json, progress_shown
from engine.errors import BadInput, Cancelled, UserError
from engine.record.record import RunRecord
from engine.telemetry.sample import Sample

if TYPE_CHECKING:
    from engine.analysis.comparing.run_set import RunSet
    from engine.library.library import Library

STANDARD_OUTPUT = "-"


def refuse_unwritable(*paths: str | None) -> None:
    """Check before the run that a result file can be written. Raises ``BadInput``."""
    given = [path for path in paths if path is not None]
    for path in given:
        if given.count(path) > 1:
            name = "standard output" if path == STANDARD_OUTPUT else path
            raise BadInput(f"two results go to {name}; write one of them to another file.")
        if path != STANDARD_OUTPUT:
            _try(Path(path))


@contextmanager
def opened(path: str) -> Iterator[TextIO]:
    """A file to write, or standard output for ``-``. Raises ``UserError`` when it can't be written after all."""
    if path == STANDARD_OUTPUT:
        yield sys.stdout
        return
    try:
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            yield file
    except Cancelled:
        if Path(path).is_file():
            Path(path).unlink()  # a part of the file must not be taken for the whole
        raise
    except OSError as error:
        raise UserError(
            f"{path} can't be written ({error.strerror}); write it again with: spindle library export"
        ) from error


def write_results(library: "Library", record: RunRecord, json_path: str | None, csv_path: str | None) -> None:
    """Write a run's result as JSON and its samples as CSV, each to its path if given; Ctrl-C cancels.

    Raises ``UserError`` and ``Cancelled``.
    """
    from app.library.documents import write_run_json, write_samples

    if json_path is not None:
        with opened(json_path) as file:
            write_run_json(file, library, record)
    if csv_path is not None:
        with opened(csv_path) as file, _samples_shown(library) as samples_of:
            write_samples(file, record, samples_of)


def write_set_results(library: "Library", run_set: "RunSet", json_path: str | None, csv_path: str | None) -> None:
    """Write a set with all its runs as JSON, and their samples as CSV, each to its path if given.

    Raises ``UserError``, and ``Cancelled`` after Ctrl-C.
    """
    from app.library.documents import run_document
    from engine.report.sets.result import set_result, write_set_csv

    records = library.sets.records(run_set.name)
    if json_path is not None:
        runs = [run_document(library, record) for record in records]
        with opened(json_path) as file:
            print_json(set_result(run_set, records, runs), file)
    if csv_path is not None:
        with opened(csv_path) as file, _samples_shown(library) as samples_of:
            write_set_csv(file, ((record, samples_of(record)) for record in records))


@contextmanager
def _samples_shown(library: "Library") -> Iterator[Callable[[RunRecord], Iterator[Sample]]]:
    """A function that yields the samples of a run and shows the progress on the terminal."""
    from app.library.stored_samples import watched_samples
    from engine.databases.progress import Progress

    with progress_shown("exporting") as (on_progress, flag):

        def samples_of(record: RunRecord) -> Iterator[Sample]:
            def report_of_run(doing: str, share: float) -> None:
                on_progress(Progress(doing=f"{record.name}: {doing}", share=share))

            return watched_samples(library, record, on_progress=report_of_run, cancelled=flag.is_set)

        yield samples_of


def _try(file: Path) -> None:
    """Open the file for writing; a file that did not exist is removed again."""
    existed = file.exists()
    try:
        file.open("a", encoding="utf-8").close()
        if not existed:
            file.unlink()
    except OSError as error:
        raise BadInput(f"{file} can't be written ({error.strerror}); name another file.") from error
