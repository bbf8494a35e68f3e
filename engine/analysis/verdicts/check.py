"""Checks a result against conditions: which fail, by which figures, and how much of a difference may be chance."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, stdev

from engine.analysis.comparing.change import change_of
from engine.analysis.comparing.noise import Noise, Spread, noise_between
from engine.analysis.headline import check_same_workload, headline_of
from engine.analysis.verdicts.condition import Condition
from engine.analysis.verdicts.figures import CheckedFigure, Measured
from engine.errors import BadInput
from engine.figure_text import percent, signed_percent, with_unit

_LEAST_RUNS = 3


class Outcome(StrEnum):
    """What became of a condition. Unknown: a figure that it needs is not known, so it can't pass either."""

    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A condition and its outcome.

    ``value`` and ``baseline`` are the figures in their unit, ``change`` their difference and ``change_pct`` the same in
    per cent of the baseline's; ``None`` is unknown, or not asked for. ``noise_pct`` is how large a difference may be by
    chance, known where a set of three runs or more is compared. ``sentence`` says all of that.
    """

    condition: Condition
    outcome: Outcome
    value: float | None
    baseline: float | None
    change: float | None
    change_pct: float | None
    noise_pct: float | None
    sentence: str


@dataclass(frozen=True, kw_only=True)
class CheckReport:
    """The outcomes of all conditions for one result. ``against`` is the title of the baseline, empty without one."""

    title: str
    against: str
    judged: tuple[Judged, ...]
    warnings: tuple[str, ...] = ()

    @property
    def has_passed(self) -> bool:
        """Whether every condition passed."""
        return all(each.outcome is Outcome.PASSED for each in self.judged)


def check(
    measured: Measured, baseline: Measured | None, conditions: Sequence[Condition], *, warnings: Sequence[str] = ()
) -> CheckReport:
    """Check a result, and its differences from the baseline, against the conditions under which it fails.

    Raises ``BadInput`` without a condition, for a change without a baseline, and for results of two workloads.
    """
    if not conditions:
        raise BadInput("check has no condition; give one with --fail-if, such as --fail-if 'p95 > 20 ms'.")
    if baseline is None:
        if change := next((each for each in conditions if each.is_change), None):
            raise BadInput(f"condition '{change.text}' is about a change; name what to compare with by --against.")
    else:
        check_same_workload(headline_of(each.workload).workload for each in (measured, baseline))
    return CheckReport(
        title=measured.title,
        against="" if baseline is None else baseline.title,
        judged=tuple(_judge(each, measured, baseline) for each in conditions),
        warnings=tuple(warnings),
    )


def _judge(condition: Condition, measured: Measured, baseline: Measured | None) -> Judged:
    figure = condition.figure
    value, base = figure.of(measured), None if baseline is None else figure.of(baseline)
    change = change_of(value, base)
    compared = change.percent if condition.is_relative else change.absolute if condition.is_change else value
    noise = _noise(figure, measured, baseline) if condition.is_change else None
    outcome = Outcome.UNKNOWN if compared is None else Outcome.FAILED if condition.holds(compared) else Outcome.PASSED
    return Judged(
        condition=condition,
        outcome=outcome,
        value=value,
        baseline=base if condition.is_change else None,
        change=change.absolute if condition.is_change else None,
        change_pct=change.percent if condition.is_change else None,
        noise_pct=None if noise is None else noise.percent,
        sentence=_sentence(condition, value, base, noise, baseline),
    )


def _noise(figure: CheckedFigure, measured: Measured, baseline: Measured | None) -> Noise | None:
    return noise_between(_spread(figure, measured), None if baseline is None else _spread(figure, baseline))


def _spread(figure: CheckedFigure, measured: Measured) -> Spread | None:
    """The spread of a figure among the runs of a set; ``None`` for fewer than three."""
    if figure.of_totals is None:
        return None
    known = [value for run in measured.runs if (value := figure.of_totals(run)) is not None]
    if len(known) < _LEAST_RUNS or (mean := fmean(known)) <= 0:
        return None
    return Spread(
        error_pct=100 * stdev(known) / mean, draws=len(known), basis=f"the {len(known)} runs of {measured.title}"
    )


def _sentence(
    condition: Condition, value: float | None, base: float | None, noise: Noise | None, baseline: Measured | None
) -> str:
    figure = condition.figure
    if value is None:
        return f"{figure.with_verb} not known."
    said = f"{figure.with_verb} {with_unit(figure.text(value), figure.unit)}"
    if not condition.is_change or baseline is None:
        return f"{said}."
    if base is None:
        return f"{said}, but that of {baseline.title} is not known."
    change = change_of(value, base)
    if condition.is_relative and change.percent is None:
        return f"{said}, but that of {baseline.title} is 0, so the change in per cent is not known."
    by = (
        signed_percent(change.percent)
        if condition.is_relative
        else with_unit(figure.signed(change.absolute, value), figure.unit)
    )
    said += f", {by} from {with_unit(figure.text(base), figure.unit)} of {baseline.title}"
    if noise is not None and change.percent is not None and abs(change.percent) <= noise.percent:
        return f"{said}; up to ±{percent(noise.percent)} may be chance, from {noise.basis}."
    return f"{said}."
