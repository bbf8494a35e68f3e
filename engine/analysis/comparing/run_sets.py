"""Several runs of one plan as one result: the median run, the best, the worst, and their spread.

Published tests run three times and quote the median run with its own figures of all clients, rather than an average
that was never measured. Called by the library's sets, the terminal and reports.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.analysis.comparing.variability import variability_pct
from engine.errors import BadInput
from engine.record.record import RunState


@dataclass(frozen=True, kw_only=True)
class SetRun:
    """One run of a set: ``headline_rate`` is that of all clients in its measured seconds, ``client_headline_rates``
    that of each client by label, in order; ``None`` is unknown. ``metric`` is the short name of the headline metric."""

    run_id: str
    name: str
    state: RunState
    headline_rate: float | None
    client_headline_rates: Mapping[str, float | None] = field(default_factory=dict)
    metric: str


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A run that does not count in its set, and the reason in a few words, such as ``it was stopped``."""

    run: SetRun
    reason: str


@dataclass(frozen=True, kw_only=True)
class MedianChoice:
    """The median run.

    ``run`` is ``None`` when no run counts. ``counted`` are the runs that count, by ascending rate; ``sentence`` says
    which run was chosen and how, and names those left out.
    """

    run: SetRun | None
    counted: tuple[SetRun, ...]
    left_out: tuple[LeftOut, ...]
    sentence: str


@dataclass(frozen=True, kw_only=True)
class SetFigures:
    """The figures of a set; ``None`` where no run counts.

    ``headline_rate_spread`` is the best run's rate minus the worst's, ``spread_pct`` the same in per cent of the best,
    both ``None`` for fewer than two runs that count; ``variability_pct`` is that of the median run's clients.
    """

    median: MedianChoice
    best: SetRun | None
    worst: SetRun | None
    headline_rate_spread: float | None
    spread_pct: float | None
    variability_pct: float | None


def median_run(runs: Sequence[SetRun]) -> MedianChoice:
    """The run with the median headline rate; of an even number of runs the lower of the middle two.

    Runs that did not complete, or whose rate is unknown, do not count. Runs with equal rates are sorted by id, so that
    the order of the arguments does not matter. Raises ``BadInput`` for a run given twice.
    """
    _check_once(runs)
    left_out = tuple(LeftOut(run=run, reason=reason) for run in runs if (reason := _reason(run)))
    counted = tuple(sorted((run for run in runs if not _reason(run)), key=_by_rate))
    chosen = counted[(len(counted) - 1) // 2] if counted else None
    return MedianChoice(
        run=chosen, counted=counted, left_out=left_out, sentence=" ".join((_choice(counted), *_omission(left_out)))
    )


def set_figures(runs: Sequence[SetRun]) -> SetFigures:
    """The figures of a set of runs. Raises ``BadInput`` for a run given twice."""
    median = median_run(runs)
    if median.run is None:
        return SetFigures(
            median=median, best=None, worst=None, headline_rate_spread=None, spread_pct=None, variability_pct=None
        )
    worst, best = median.counted[0], median.counted[-1]
    rates = [run.headline_rate for run in median.counted if run.headline_rate is not None]
    return SetFigures(
        median=median,
        best=best,
        worst=worst,
        headline_rate_spread=rates[-1] - rates[0] if len(rates) > 1 else None,
        spread_pct=variability_pct(rates),
        variability_pct=variability_pct(median.run.client_headline_rates.values()),
    )


def _check_once(runs: Sequence[SetRun]) -> None:
    for run_id, times in Counter(run.run_id for run in runs).items():
        if times > 1:
            raise BadInput(f"run {run_id} is {times} times in the set; give each run once.")


def _reason(run: SetRun) -> str:
    """Why a run does not count; empty if it does."""
    if run.state is not RunState.COMPLETED:
        return _REASONS.get(run.state, "it is not over")
    return "" if run.headline_rate is not None else f"its {run.metric} is not known"


_REASONS = {
    RunState.STOPPED: "it was stopped",
    RunState.INTERRUPTED: "it was interrupted",
    RunState.FAILED: "it failed",
}


def _by_rate(run: SetRun) -> tuple[float, str]:
    assert run.headline_rate is not None
    return run.headline_rate, run.run_id


def _choice(counted: Sequence[SetRun]) -> str:
    if not counted:
        return "No run of the set counts, so it has no median run."
    chosen = counted[(len(counted) - 1) // 2]
    title = _title(chosen)
    if len(counted) == 1:
        return f"Only {title} counts; it represents the set."
    if len(counted) % 2 == 0:
        return f"{title} is the median run of {len(counted)}: the lower of the middle two, as the number is even."
    return f"{title} is the median run of {len(counted)}."


def _omission(left_out: Sequence[LeftOut]) -> list[str]:
    if not left_out:
        return []
    each = "; ".join(f"{_title(out.run)}, as {out.reason}" for out in left_out)
    return [f"Left out: {each}."]


def _title(run: SetRun) -> str:
    return run.name or run.run_id
