"""The library's slow work as plain functions, for the window's background door; the command line shares some of it.

``tell`` gets what is being done and the share of it that is (0 to 1), ``cancelled`` is asked now and then; whoever is
cancelled raises ``Cancelled`` and leaves nothing half done.
"""

import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from app.whole_file import whole_file
from engine.analysis.blocks import HistogramBlock
from engine.analysis.recovery_times import BlockHistograms, Span
from engine.analysis.run_data import RunData
from engine.analysis.second_percentiles import second_percentiles
from engine.analysis.series import Rates
from engine.dvdstore.ds2_log import read_ds2_log
from engine.errors import BadInput, Cancelled, UserError
from engine.library.hours import HOUR_SECONDS
from engine.library.run_id import new_run_id
from engine.plan import ClientPlan
from engine.record import RunRecord
from engine.report.export_kind import ExportKind
from engine.report.result import write_csv, write_json
from engine.report.run_listing import RunListing

if TYPE_CHECKING:
    from engine.library.library import Library

Tell = Callable[[str, float], None]
CancelledQuestion = Callable[[], bool]
_READING, _TIMES = "Reading the run", "Reading response times"


@dataclass(frozen=True)
class Outcome:
    """What came of work on several runs or files: the ids of the runs it was done to, and why not to the others."""

    run_ids: tuple[str, ...]
    refusals: tuple[str, ...] = ()


def list_runs(library: "Library") -> list[RunListing]:
    """Every run's line for the table, newest first. Raises ``UserError``."""
    marks = library.mark_counts()
    return [RunListing.of(record, marks=marks.get(record.run_id, 0)) for record in library.runs()]


def open_run(library: "Library", run_id: str, *, tell: Tell, cancelled: CancelledQuestion) -> tuple[RunRecord, RunData]:
    """A kept run, ready to be shown, but for the response times by second: those come with ``percentile_blocks``.

    Raises ``UserError`` and ``Cancelled``.
    """
    record = library.run(run_id)
    series = library.series(run_id, tell=lambda share: tell(_READING, share), cancelled=cancelled)
    run = RunData(record.plan, run_id=record.run_id, name=record.name, series=series)
    run.clients = clients_of(record)
    run.started_at = record.started_at
    run.totals = record.totals
    for event in library.events(run_id):
        run.put_event(event)
    for probe in library.probes(run_id):
        run.add_probe(probe)
    for error in library.errors_by_second(run_id):
        run.errors.add(error.client, error.second, {error.error_class: error.count})
    run.set_state(record.state, record.phases)
    _check(cancelled)
    return record, run


def open_runs(
    library: "Library", run_ids: Sequence[str], *, tell: Tell, cancelled: CancelledQuestion
) -> list[tuple[RunRecord, RunData]]:
    """Several runs to compare, in this order, as ``open_run`` opens each."""
    opened = []
    for number, run_id in enumerate(run_ids):
        part = _part(tell, number, len(run_ids))
        opened.append(open_run(library, run_id, tell=part, cancelled=cancelled))
    return opened


def clients_of(record: RunRecord) -> tuple[ClientPlan, ...]:
    """The clients that the run has samples of: its plan's, or in an imported run those that its log told apart."""
    planned = record.plan.client_plans()
    if tuple(client.label for client in planned) == record.client_labels:
        return planned
    targets = [client.target for client in planned]
    known = targets if len(targets) == len(record.client_labels) else [targets[0]] * len(record.client_labels)
    return tuple(
        ClientPlan(number=number, label=label, target=target)
        for number, (label, target) in enumerate(zip(record.client_labels, known, strict=True), start=1)
    )


def percentile_blocks(
    library: "Library", run_id: str, *, tell: Tell, cancelled: CancelledQuestion
) -> Iterator[tuple[int, Rates, Rates]]:
    """The p95 and p99 of every second, milliseconds, an hour at a time with its first second: ``LatencySeries.put``.

    Raises ``UserError`` and ``Cancelled``.
    """
    hours = _hours(library.run(run_id))
    for hour, blocks in groupby(library.histogram_blocks(run_id), key=_hour_of):
        _check(cancelled)
        of_hour = list(blocks)
        end = 1 + max(int(block.seconds[-1]) for block in of_hour)
        p95_ms, p99_ms = second_percentiles(of_hour, hour * HOUR_SECONDS, end, (95, 99))
        yield hour * HOUR_SECONDS, p95_ms, p99_ms
        tell(_TIMES, min(1.0, (hour + 1) / hours))


def recovery_histograms(
    library: "Library", run_id: str, spans: Iterable[Span], *, cancelled: CancelledQuestion
) -> BlockHistograms:
    """The response times of some spans of seconds, as ``times_spans`` names them for the run's faults.

    Raises ``UserError`` and ``Cancelled``.
    """

    def blocks() -> Iterator[HistogramBlock]:
        for block in library.histogram_blocks(run_id):
            _check(cancelled)
            yield block

    return BlockHistograms(blocks(), spans)


def export_run(library: "Library", run_id: str, kind: ExportKind, path: Path) -> None:
    """Write a run's result as JSON or its samples as CSV.

    Raises ``UserError``; what was at ``path`` before is then as it was.
    """
    from app.kept_recoveries import kept_recoveries

    record = library.run(run_id)
    with whole_file(path) as whole, io.TextIOWrapper(whole, encoding="utf-8", newline="") as file:
        if kind is ExportKind.JSON:
            write_json(file, record, library.events(run_id), kept_recoveries(library, run_id))
        else:
            write_csv(file, record, library.samples(run_id))


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


def import_files(library: "Library", paths: Sequence[Path], *, tell: Tell, cancelled: CancelledQuestion) -> Outcome:
    """Import each file that can be; what can't is told. When cancelled, those that were taken in stay."""
    run_ids, refusals = [], []
    for number, path in enumerate(paths):
        _check(cancelled)
        tell(f"Reading {path.name}", number / len(paths))
        try:
            run_ids.append(import_ds2_log(library, path).run_id)
        except UserError as error:
            refusals.append(str(error))
    return Outcome(tuple(run_ids), tuple(refusals))


def delete_runs(library: "Library", run_ids: Iterable[str]) -> Outcome:
    """Put runs into the bin, from which ``restore_runs`` takes them; one that goes on is refused."""
    return _each(run_ids, library.delete)


def restore_runs(library: "Library", run_ids: Iterable[str]) -> Outcome:
    """Undo ``delete_runs``."""
    return _each(run_ids, library.restore)


def _each(run_ids: Iterable[str], do: Callable[[str], None]) -> Outcome:
    done, refusals = [], []
    for run_id in run_ids:
        try:
            do(run_id)
        except UserError as error:
            refusals.append(str(error))
        else:
            done.append(run_id)
    return Outcome(tuple(done), tuple(refusals))


def _hours(record: RunRecord) -> int:
    """How many hours of samples a run has, as far as its record tells."""
    seconds = 0.0 if record.ended_at is None else (record.ended_at - record.started_at).total_seconds()
    return max(1, math.ceil(seconds / HOUR_SECONDS))


def _hour_of(block: HistogramBlock) -> int:
    return int(block.seconds[0]) // HOUR_SECONDS


def _part(tell: Tell, number: int, of: int) -> Tell:
    """``tell`` of one of several steps."""

    def tell_part(doing: str, share: float) -> None:
        tell(f"{doing} {number + 1} of {of}", (number + share) / of)

    return tell_part


def _check(cancelled: CancelledQuestion) -> None:
    if cancelled():
        raise Cancelled
