"""Makes documents from the library: determines the kind, reads the data, and calls the builder.

Called by ``spindle report`` and the report dialog. ``on_progress`` gets what is being done and the share that is done
(0 to 1), ``cancelled`` is called now and then; if it returns true, ``Cancelled`` is raised.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from engine.analysis.comparing.run_set import RunSet
from engine.analysis.recovery.figures import Recovery
from engine.analysis.recovery.judging import recoveries_of, times_spans
from engine.analysis.recovery.settings import RecoverySettings
from engine.errors import BadInput, UserError
from engine.library.run_or_set import find_run_or_set
from engine.library.whole_run import IsCancelled, OnProgress, open_run, percentile_blocks, recovery_histograms
from engine.plan.naming import name_of
from engine.record.record import RunRecord, split_reference
from engine.report.campaign.report import ReportedCampaign, campaign_report
from engine.report.campaign.tree import read_tree
from engine.report.comparison_report import ComparisonChoices, comparison_report
from engine.report.document import Document, DocumentKind, Logo
from engine.report.mixed_run import ReportedLoad, mixed_run_report
from engine.report.one_run import one_run_report
from engine.report.recovery_evidence import recovery_evidence
from engine.report.results import (
    ReportedRun,
    ReportedSet,
    Result,
    result_of_reference,
    result_of_run,
    result_of_set,
)
from engine.report.sets.report import run_set_report

if TYPE_CHECKING:
    from engine.library.library import Library

_Named = RunRecord | RunSet


@dataclass(frozen=True, kw_only=True)
class ReportRequest:
    """The request for a document.

    ``named`` are runs (an id, an unambiguous prefix, ``last``) and names of sets, or with the kind ``CAMPAIGN`` a
    campaign's, ``references`` the names of published
    results. Without a ``kind``, one run makes a run's document, one set a set's, and everything else a comparison.
    ``notes`` are Markdown. ``settings`` are those of the recovery analysis.
    """

    named: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    kind: DocumentKind | None = None
    title: str = ""
    notes: str = ""
    logo: Logo | None = None
    choices: ComparisonChoices = field(default_factory=ComparisonChoices)
    settings: RecoverySettings = field(default_factory=RecoverySettings)


def make_document(
    library: "Library", request: ReportRequest, *, on_progress: OnProgress, cancelled: IsCancelled
) -> Document:
    """The requested document.

    Raises ``BadInput`` for what can't be a document of that kind, ``UserError`` for what isn't in the library, and
    ``Cancelled``.
    """
    reader = _Reader(library, on_progress, cancelled)
    if request.kind is DocumentKind.CAMPAIGN:
        document = _campaign_document(reader, request)
        return replace(document, title=request.title or document.title, notes=request.notes, logo=request.logo)
    named = [find_run_or_set(library, name) for name in request.named]
    match request.kind or _kind_of(named, request.references):
        case DocumentKind.RUN:
            document = _run_document(reader, named, request)
        case DocumentKind.RECOVERY:
            document = _recovery_document(reader, named, request)
        case DocumentKind.SET:
            document = _set_document(reader, named, request)
        case DocumentKind.COMPARISON:
            document = _comparison_document(reader, named, request)
    return replace(document, title=request.title or document.title, notes=request.notes, logo=request.logo)


def kind_of(library: "Library", request: ReportRequest) -> DocumentKind:
    """The kind of a document if the request does not name one. Raises ``UserError`` for what isn't in the library."""
    return _kind_of([find_run_or_set(library, name) for name in request.named], request.references)


class _Reader:
    """Reads the requested runs and reports the progress of all of them; a run that is named twice is read once."""

    def __init__(self, library: "Library", on_progress: OnProgress, cancelled: IsCancelled) -> None:
        self.library = library
        self.cancelled = cancelled
        self._on_progress = on_progress
        self._of = 1
        self._steps = 1
        self._times_read = 0
        self._runs: dict[str, ReportedRun] = {}

    def expect(self, runs: int, *, have_times: bool = False) -> None:
        """Set how many runs will be read, and whether ``read_times`` follows for each of them."""
        self._of = max(1, runs)
        self._steps = self._of * (1 + have_times)

    def run(self, run_id: str) -> ReportedRun:
        if run_id not in self._runs:
            record, data = open_run(self.library, run_id, on_progress=self._report_part, cancelled=self.cancelled)
            self._runs[run_id] = ReportedRun(
                record=record,
                data=data,
                configuration=self.library.configurations.of_run(split_reference(run_id)[0]),
                host=tuple(self.library.host.of_run(run_id)),
                workstation=tuple(self.library.workstation_loads(run_id)),
                load_machines=tuple(self.library.machine_loads(run_id)),
            )
        return self._runs[run_id]

    def read_times(self, run: ReportedRun) -> None:
        """Read the response times by second into the run, for the documents that draw them."""
        blocks = percentile_blocks(
            self.library, run.record.run_id, on_progress=self._report_part, cancelled=self.cancelled
        )
        for times in blocks:
            run.data.latency.put(times)
        self._times_read += 1

    def run_set(self, run_set: RunSet) -> ReportedSet:
        return ReportedSet(run_set=run_set, runs=tuple(self.run(run_id) for run_id in run_set.run_ids))

    def references(self, names: Sequence[str]) -> list[Result]:
        return [result_of_reference(self.library.references.get(name)) for name in names]

    def recoveries(self, run: ReportedRun, settings: RecoverySettings) -> list[Recovery]:
        if not any(event.is_fault for event in run.data.sorted_events()):
            return []
        spans = times_spans(run.data, settings)
        histograms = recovery_histograms(self.library, run.record.run_id, spans, cancelled=self.cancelled)
        return recoveries_of(run.data, settings, histograms=histograms)

    def _report_part(self, doing: str, share: float) -> None:
        done = len(self._runs) + self._times_read
        number = 1 + done * self._of // self._steps
        place = f" {number} of {self._of}" if self._of > 1 else ""
        self._on_progress(f"{doing}{place}", (done + share) / self._steps)


def _kind_of(named: Sequence[_Named], references: Sequence[str]) -> DocumentKind:
    if len(named) != 1:
        return DocumentKind.COMPARISON
    if isinstance(named[0], RunSet):
        return DocumentKind.SET
    return DocumentKind.COMPARISON if references else DocumentKind.RUN


def _run_document(reader: _Reader, named: Sequence[_Named], request: ReportRequest) -> Document:
    wanted = _one_run(named, request, DocumentKind.RUN)
    if wanted.plan.is_mixed:
        return _mixed_document(reader, wanted, request)
    reader.expect(1, have_times=True)
    run = reader.run(wanted.run_id)
    reader.read_times(run)
    return one_run_report(
        run,
        made_at=datetime.now(UTC),
        recoveries=reader.recoveries(run, request.settings),
        watts_over=request.choices.watts_over,
    )


def _mixed_document(reader: _Reader, record: RunRecord, request: ReportRequest) -> Document:
    reader.expect(len(record.plan.loads), have_times=True)
    loads = []
    for load in record.loads:
        run = reader.run(load.run_id)
        reader.read_times(run)
        loads.append(ReportedLoad(run=run, recoveries=reader.recoveries(run, request.settings)))
    return mixed_run_report(
        record,
        reader.library.events(record.run_id),
        loads,
        made_at=datetime.now(UTC),
        watts_over=request.choices.watts_over,
    )


def _recovery_document(reader: _Reader, named: Sequence[_Named], request: ReportRequest) -> Document:
    wanted = _one_run(named, request, DocumentKind.RECOVERY)
    reader.expect(1, have_times=True)
    run = reader.run(wanted.run_id)
    reader.read_times(run)
    recoveries = reader.recoveries(run, request.settings)
    return recovery_evidence(run, recoveries, request.settings, made_at=datetime.now(UTC))


def _set_document(reader: _Reader, named: Sequence[_Named], request: ReportRequest) -> Document:
    run_set = _one_set(reader.library, named)
    reader.expect(len(run_set.run_ids))
    return run_set_report(
        reader.run_set(run_set),
        made_at=datetime.now(UTC),
        references=reader.references(request.references),
        watts_over=request.choices.watts_over,
    )


def _comparison_document(reader: _Reader, named: Sequence[_Named], request: ReportRequest) -> Document:
    named = [load for each in named for load in (each.loads if isinstance(each, RunRecord) else (each,))]
    _check_once(named)
    reader.expect(sum(len(each.run_ids) if isinstance(each, RunSet) else 1 for each in named))
    results = [
        result_of_set(reader.run_set(each), request.choices.watts_over)
        if isinstance(each, RunSet)
        else result_of_run(reader.run(each.run_id), request.choices.watts_over)
        for each in named
    ]
    measured = [_with_failover(result, request.settings) for result in results]
    return comparison_report(
        [*measured, *reader.references(request.references)], made_at=datetime.now(UTC), choices=request.choices
    )


def _campaign_document(reader: _Reader, request: ReportRequest) -> Document:
    if len(request.named) != 1 or request.references:
        raise BadInput("a campaign's document is about one campaign; name it, and nothing else.")
    campaign = reader.library.campaigns.get(request.named[0])
    tree = read_tree(reader.library, campaign)
    if not tree.branches:
        raise UserError(f"campaign '{campaign.name}' has no completed run yet; resume it, or see its status.")
    reader.expect(len(tree.runs))
    sets = tuple(reader.run_set(branch.run_set) for branch in tree.branches)
    return campaign_report(ReportedCampaign(tree=tree, sets=sets), made_at=datetime.now(UTC))


def _with_failover(result: Result, settings: RecoverySettings) -> Result:
    """The result with the figures of its run's first fault, if there was one."""
    recoveries = [] if result.run is None else recoveries_of(result.run.data, settings)
    return replace(result, failover=recoveries[0].total.published) if recoveries else result


def _check_once(named: Sequence[_Named]) -> None:
    titles = [each.name if isinstance(each, RunSet) else each.run_id for each in named]
    for title, times in Counter(titles).items():
        if times > 1:
            raise BadInput(f"{title} is named {times} times; a comparison takes each once.")


def _one_run(named: Sequence[_Named], request: ReportRequest, kind: DocumentKind) -> RunRecord:
    runs = [each for each in named if isinstance(each, RunRecord)]
    if len(runs) != 1 or len(named) != 1:
        raise BadInput(f"a document of the kind '{kind}' is about one run; name one run, or ask for another kind.")
    if request.references:
        raise BadInput(f"references belong in the document of a comparison or a set, not in one of the kind '{kind}'.")
    return runs[0]


def _one_set(library: "Library", named: Sequence[_Named]) -> RunSet:
    """The set that is named, the one that a single run is in, or one made of several runs for this document."""
    sets = [each for each in named if isinstance(each, RunSet)]
    runs = [each for each in named if isinstance(each, RunRecord)]
    if len(sets) == 1 and not runs:
        return sets[0]
    if sets or not runs:
        raise BadInput("a set's document is about one set, or about runs without a set; name nothing else.")
    if len(runs) > 1:
        name = name_of(runs[0].plan)
        return RunSet(name=name, made_at=datetime.now(UTC), run_ids=tuple(dict.fromkeys(run.run_id for run in runs)))
    found = library.sets.of_run(runs[0].run_id)
    if found is None:
        raise UserError(f"run {runs[0].run_id} is in no set; name several runs, or make a set of them.")
    return found
