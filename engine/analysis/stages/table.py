"""The stages of a run as a table, with their minimum, maximum and average, and what they say, in sentences.

The same cells stand in the terminal, on the run page and in reports.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from engine.analysis.comparing.change import change_of
from engine.analysis.headline import Headline, headline_of
from engine.analysis.stages.backlog import is_held
from engine.analysis.stages.ending import load_text, load_text_of
from engine.analysis.stages.figures import LEAST_STEADY_SECONDS
from engine.analysis.stages.knee import LEAST_STAGES, knee_of_stages, loads_ascend
from engine.figure_text import (
    UNKNOWN,
    capitalised,
    counted,
    duration,
    milliseconds,
    percent,
    signed_percent,
    significant,
    whole,
)
from engine.plan.plan import RunPlan
from engine.record.totals import StageTotals, Totals
from engine.telemetry.event import EventCode, RunEvent
from engine.workload.backlog import Backlog
from engine.workload.registry import find_workload

_ENDS = (EventCode.STAIRCASE_ENDED, EventCode.RATE_NOT_HELD)


@dataclass(frozen=True, kw_only=True)
class StageTable:
    """The ``columns`` of numbers, a row of a name and as many cells for each stage, and the ``extremes`` of several."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    extremes: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class _Column:
    title: str
    value: Callable[[StageTotals], float | None]
    text: Callable[[float | None], str]
    is_number: bool = True
    is_percentile: bool = False


_EXTREMES: tuple[tuple[str, Callable[[list[float]], float]], ...] = (
    ("Minimum", min),
    ("Maximum", max),
    ("Average", fmean),
)


def stage_table(stages: Sequence[StageTotals], of: Headline) -> StageTable:
    """The table of the stages of a run whose headline is ``of``."""
    shown = _columns(stages, of)
    return StageTable(
        columns=tuple(column.title for column in shown),
        rows=tuple(
            (f"{stage.number}: {load_text(stage, of)}", *(column.text(column.value(stage)) for column in shown))
            for stage in stages
        ),
        extremes=_extremes(stages, shown) if len(stages) > 1 else (),
    )


def compared_extremes(results: Sequence[tuple[str, Sequence[StageTotals]]], of: Headline) -> StageTable:
    """Minimum, maximum and average over the stages of several results with their names, and by how much the averages
    differ from those of the first."""
    shown = [column for column in _columns([each for _, stages in results for each in stages], of) if column.is_number]
    rows: list[tuple[str, ...]] = []
    for place, (name, stages) in enumerate(results):
        rows += [(f"{name}: {extreme.lower()}", *cells) for extreme, *cells in _extremes(stages, shown)]
        if place:
            changes = (
                change_of(*(_over(each, column, fmean) for each in (stages, results[0][1]))).percent for column in shown
            )
            rows.append((f"{name}: difference of averages", *map(signed_percent, changes)))
    return StageTable(columns=tuple(column.title for column in shown), rows=tuple(rows), extremes=())


def _columns(stages: Sequence[StageTotals], of: Headline) -> list[_Column]:
    """Those of which anything is known; the kilobytes also where only they are not."""
    kilobytes = _Column("KB/s", lambda stage: stage.kb_per_second, whole)
    columns = [
        _Column(of.label, lambda stage: stage.headline, of.text),
        _Column("Steady", lambda stage: stage.is_steady, _yes_or_no, is_number=False),
        _Column("Mean, ms", lambda stage: stage.times.mean, milliseconds),
        _Column("p95, ms", lambda stage: stage.times.p95, milliseconds, is_percentile=True),
        _Column("p99, ms", lambda stage: stage.times.p99, milliseconds, is_percentile=True),
        _Column("Rows/s", lambda stage: stage.rows_per_second, whole),
        kilobytes,
        _Column("Errors", lambda stage: stage.errors, whole),
        _Column("Longest queue", lambda stage: stage.longest_queue, whole),
        _Column("Clients' CPU", lambda stage: stage.clients_cpu_pct, percent),
        _Column("Workstation's CPU", lambda stage: stage.machine_cpu_pct, percent),
    ]
    counts_rows = any(stage.rows_per_second is not None for stage in stages)
    return [
        column
        for column in columns
        if any(column.value(stage) is not None for stage in stages) or (column is kilobytes and counts_rows)
    ]


def _extremes(stages: Sequence[StageTotals], shown: Sequence[_Column]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (name, *(column.text(_over(stages, column, of_all)) if column.is_number else "" for column in shown))
        for name, of_all in _EXTREMES
    )


def stage_sentences(stages: Sequence[StageTotals], of: Headline, events: Iterable[RunEvent]) -> list[str]:
    """Why the load ended before its last stage, if it did, and where the knee is."""
    ends = [f"{capitalised(event.label)}." for event in events if event.code in _ENDS]
    return [*ends, *_knee(stages, of)]


def steadiness_sentences(totals: Totals, of: Headline) -> list[str]:
    """Which stages were not steady, and why; or that they are too short to be judged."""
    backlog, stages = find_workload(totals.workload).backlog if totals.stages else None, totals.stages
    unsteady = [
        f"{load_text(stage, of)} ({', '.join(_unsteadiness(stage, backlog))})"
        for stage in stages
        if stage.is_steady is False
    ]
    if unsteady:
        return [
            f"{of.label} was not steady at {', '.join(unsteady)}; a longer settling time, longer stages or a larger"
            " store may help."
        ]
    longest = max((stage.seconds for stage in stages), default=LEAST_STEADY_SECONDS)
    if longest >= LEAST_STEADY_SECONDS:
        return []
    return [
        f"Whether the stages were steady is not assessed: {duration(longest)} of them count, and it takes"
        f" {duration(LEAST_STEADY_SECONDS)}."
    ]


def _unsteadiness(stage: StageTotals, backlog: Backlog | None) -> Iterable[str]:
    if stage.drift_pct is not None:
        yield f"drift {signed_percent(stage.drift_pct)}, spread {percent(stage.spread_pct)}"
    if stage.backlog_growth is not None and backlog is not None:
        yield f"{backlog.label.lower()} grew by {counted(round(stage.backlog_growth), backlog.unit)}"


def shortfall_sentences(plan: RunPlan, totals: Totals) -> list[str]:
    """That a run at one rate completed less than was due, however short it was; of stages their table shows it."""
    if plan.rate is None or not totals.measured_seconds or totals.count is None:
        return []
    of = headline_of(plan.workload)
    due = plan.rate * totals.measured_seconds / of.metric.per_seconds
    if is_held(totals.count, due):
        return []
    share = percent(100 * totals.count / due)
    return [
        f"The rate was not held: {whole(totals.count)} of about {whole(round(due))} {of.many} due were placed, {share}."
    ]


def _knee(stages: Sequence[StageTotals], of: Headline) -> list[str]:
    if len(stages) < LEAST_STAGES or not loads_ascend(stages):
        return []
    knee, unit = knee_of_stages(stages), "user" if stages[0].users else "unit of rate"
    if knee is None:
        return [f"No knee: {of.label} grew with the load to the last stage."]
    at = load_text_of(knee.load, stages[0], of)
    before, after = (f"{significant(slope)} {of.label}" for slope in knee.slopes)
    return [
        f"The knee is at {at}, with {of.text(knee.throughput)} {of.label}: up to there a {unit} added {before}, beyond"
        f" it {after}."
    ]


def _over(stages: Sequence[StageTotals], column: _Column, of_all: Callable[[list[float]], float]) -> float | None:
    if column.is_percentile and of_all is fmean:
        return None  # the mean of percentiles is no percentile of anything
    known = [value for stage in stages if (value := column.value(stage)) is not None]
    return of_all(known) if known else None


def _yes_or_no(is_so: float | None) -> str:
    return UNKNOWN if is_so is None else "yes" if is_so else "no"
