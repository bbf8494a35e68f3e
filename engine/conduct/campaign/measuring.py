"""The figures of a point of a search, and why it must not be judged: from the runs as the library holds them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from engine.analysis.comparing.run_set import set_runs
from engine.analysis.comparing.run_sets import median_run
from engine.analysis.limits import workstation_limits
from engine.analysis.run_data import RunData
from engine.analysis.steady_state import steady_state_of
from engine.analysis.verdicts.figures import checked_figures
from engine.audit.report import AuditReport
from engine.campaign.criteria import Criterion
from engine.conduct.campaign.tools import Measured
from engine.library.library import Library
from engine.library.whole_run import open_run
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord
from engine.record.totals import NO_TOTALS
from engine.telemetry.event import EventCode


def measured(library: Library, plan: RunPlan, run_ids: Sequence[str], criteria: Sequence[Criterion]) -> Measured:
    """What the runs of a point came to: the figures of the median run, and what forbids to judge them.

    Every run must be audited as the plan wants; the median run must have been steady, its workstation not the limit. Of
    a mixed run each load must have been steady; the median is that of the first load's headline.
    """
    records = [library.run(run_id) for run_id in run_ids]
    choice = median_run(set_runs(records))
    if choice.run is None:
        return Measured(refusals=("none of its runs counts",))
    record = next(each for each in records if each.run_id == choice.run.run_id)
    refusals: list[str] = []
    doubts: list[str] = []
    remarks: list[str] = []
    for load in record.loads:
        _, run = open_run(library, load.run_id, on_progress=lambda _doing, _share: None, cancelled=lambda: False)
        steady, limits = steady_state_of(run), _limits(run)
        refusals += [*_unsteady(run), *limits[False]]
        doubts += limits[True]
        if steady is not None and steady.is_steady is None and steady.warning:
            remarks.append(steady.warning)
    if plan.audit:
        refusals += [text for each in records if (text := _badly_audited(each))]
    return Measured(
        figures=figures_of(record, criteria),
        refusals=tuple(dict.fromkeys(refusals)),
        doubts=tuple(dict.fromkeys(doubts)),
        remarks=tuple(dict.fromkeys(remarks)),
        run_id=record.run_id,
    )


def figures_of(record: RunRecord, criteria: Iterable[Criterion]) -> Mapping[str, float | None]:
    """The figures of a run as a whole, of a mixed one those of its first load, and those that criteria name, by their
    keys."""
    totals, workload = record.totals or NO_TOTALS, record.plan.workload
    whole = [each for each in checked_figures(workload).values() if not each.is_of_a_type]
    figures = (*whole, *(each.figure for each in criteria))
    return {each.key: each.of_totals(totals) for each in figures if each.of_totals is not None}


def _unsteady(run: RunData) -> Iterator[str]:
    steady = steady_state_of(run)
    if steady is not None and steady.is_steady is False:
        yield f"its baseline was not steady ({steady.warning.rstrip('.')})"


def _limits(run: RunData) -> Mapping[bool, list[str]]:
    """What the workstation did to the measured seconds, in words: what limited them, and (true) what distorted them."""
    first, end = run.phases.measuring_from or 0, run.measured_end
    found: dict[bool, list[str]] = {False: [], True: []}
    for limit in workstation_limits(run):
        if limit.text and limit.until > first and limit.since < end:
            found[limit.code is EventCode.WORKSTATION_DISTORTION].append(f"the {limit.text}")
    return found


def _badly_audited(record: RunRecord) -> str:
    """Why the audit of a run does not vouch for its orders; empty when it does."""
    if record.audit is None:
        return f"run {record.run_id} could not be audited"
    report = AuditReport.from_dict(record.audit)
    verdict = report.worst_verdict
    return f"the audit of run {record.run_id}: {verdict.value}" if verdict.is_alarming else ""
