"""Reads what a check compares from the library: a run, a set with its median run, or a published result."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.library.judgement import judge_run, warnings_of_set
from engine.analysis.comparing.references import Reference
from engine.analysis.comparing.run_set import RunSet, difference_warning, plan_differences, set_runs
from engine.analysis.comparing.run_sets import median_run
from engine.analysis.recovery.figures import RecoveryState
from engine.analysis.verdicts.check import CheckReport, check
from engine.analysis.verdicts.condition import parse_condition
from engine.analysis.verdicts.figures import BLACKOUT, LOST, RECOVERY, Measured
from engine.audit.report import AuditReport, Verdict
from engine.errors import BadInput, UserError
from engine.library.run_or_set import find_run_or_set
from engine.record.record import RunRecord, RunState
from engine.record.totals import NO_TOTALS

if TYPE_CHECKING:
    from engine.library.library import Library

_ALWAYS = f"{LOST} > 0"
_UNDECIDED = (Verdict.INCOMPLETE, Verdict.NOT_POSSIBLE, Verdict.NOTHING)


@dataclass(frozen=True)
class _Named:
    """A result of the library; ``records`` are its runs that count, the median run first."""

    measured: Measured
    records: tuple[RunRecord, ...]
    warnings: tuple[str, ...] = ()


def check_result_of(library: "Library", name: str, against: str, conditions: Sequence[str]) -> CheckReport:
    """Check a run or set of the library against a run, a set or a reference; no ``against`` is no baseline.

    A run that was audited also fails when it lost a transaction, whether or not a condition says so. Raises
    ``BadInput`` and ``UserError``.
    """
    found = _result(find_run_or_set(library, name), library)
    workload = found.measured.workload
    parsed = [parse_condition(text, workload) for text in conditions]
    if parsed and found.measured.others.get(LOST) is not None and not any(each.figure.name == LOST for each in parsed):
        parsed.append(parse_condition(_ALWAYS, workload))
    baseline = _baseline(library, against) if against else None
    asked = {each.figure.name for each in parsed}
    warnings = list(found.warnings)
    if baseline is not None and baseline.records:
        differing = plan_differences([found.records[0].plan, baseline.records[0].plan])
        if differing:
            warnings.append(f"the plans differ in {', '.join(differing)}.")
    return check(
        _with_faults(library, found, asked),
        None if baseline is None else _with_faults(library, baseline, asked),
        parsed,
        warnings=warnings,
    )


def _baseline(library: "Library", name: str) -> _Named:
    """The run, set or reference with that name; a reference only if nothing in the library has the name."""
    try:
        return _result(find_run_or_set(library, name), library)
    except UserError as no_run:
        if isinstance(no_run, BadInput):
            raise
        try:
            reference = library.references.get(name)
        except UserError:
            raise no_run from None
        return _of_reference(reference)


def _result(found: RunRecord | RunSet, library: "Library") -> _Named:
    return _of_set(library, found) if isinstance(found, RunSet) else _of_run(library, found)


def _of_run(library: "Library", record: RunRecord) -> _Named:
    if record.state is not RunState.COMPLETED:
        raise BadInput(f"run {record.run_id} is {record.state.value}; a check needs a run that completed.")
    title = f"run {record.name or record.run_id}"
    return _Named(_measured(title, record), (record,), tuple(judge_run(library, record.run_id).warnings))


def _of_set(library: "Library", run_set: RunSet) -> _Named:
    records = library.sets.records(run_set.name)
    chosen = median_run(set_runs(records))
    if chosen.run is None:
        raise BadInput(f"set '{run_set.name}' has no run that counts; a check needs a run that completed.")
    by_id = {each.run_id: each for each in records}
    counted = [chosen.run, *(each for each in chosen.counted if each is not chosen.run)]
    runs = [by_id[each.run_id] for each in counted]
    measured = _measured(f"set '{run_set.name}'", runs[0], runs)
    warnings = [*warnings_of_set(library, records), difference_warning(records)]
    return _Named(measured, tuple(runs), tuple(filter(None, warnings)))


def _of_reference(reference: Reference) -> _Named:
    return _Named(Measured(title=f"'{reference.name}'", workload=reference.workload, totals=reference.totals), ())


def _measured(title: str, record: RunRecord, runs: Sequence[RunRecord] = ()) -> Measured:
    """A run's figures, or those of a set's median run; a set has lost what any of its runs has lost."""
    lost = [_lost(each) for each in runs or (record,)]
    known = [each for each in lost if each is not None]
    return Measured(
        title=title,
        workload=record.plan.workload,
        totals=record.totals or NO_TOTALS,
        runs=tuple(each.totals for each in runs if each.totals is not None),
        others={LOST: sum(known) if known else None},
    )


def _lost(record: RunRecord) -> int | None:
    """The acknowledged transactions that the run's audit did not find; ``None`` when it could not find out."""
    if record.audit is None:
        return None
    report = AuditReport.from_dict(record.audit)
    gone = sum(load.counts.gone for load in report.loads)
    return gone if gone or report.worst_verdict not in _UNDECIDED else None


def _with_faults(library: "Library", named: _Named, asked: Collection[str]) -> Measured:
    """With the longest recovery and blackout of the faults of the run, if a condition is about them."""
    if not {RECOVERY, BLACKOUT} & set(asked) or not named.records:
        return named.measured
    totals = [each.total for each in judge_run(library, named.records[0].run_id).recoveries]
    settled = [0.0 if each.state is RecoveryState.STEADY else each.felt.settled_seconds for each in totals]
    others = {
        **named.measured.others,
        RECOVERY: None if None in settled or not settled else max(each for each in settled if each is not None),
        BLACKOUT: max((each.felt.blackout_seconds for each in totals), default=None),
    }
    return Measured(**{**vars(named.measured), "others": others})
