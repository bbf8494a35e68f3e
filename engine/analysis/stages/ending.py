"""How a staircase ends: which of its conditions the stage that is over meets."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from engine.analysis.headline import Headline
from engine.figure_text import counted, milliseconds, percent
from engine.plan.load.staircase import Staircase
from engine.record.totals import StageTotals
from engine.telemetry.event import EventCode, RunEvent

_NOT_KNOWN = "so the server's own limit is not known"
_LIMITS = (EventCode.WORKSTATION_BOTTLENECK, EventCode.WORKSTATION_NETWORK)
LEAST_DISTORTED_SHARE = 0.05
"""Distorted seconds count from this share on: p95 is the time that 5 % of the transactions exceed, so that fewer
seconds can hardly have moved it, whatever they did to their transactions."""


class Reason(StrEnum):
    """Why a staircase ended; the values are stored with runs."""

    P95 = "p95"
    GROWTH = "growth"
    WORKSTATION = "workstation"
    LAST_STEP = "last step"


@dataclass(frozen=True, kw_only=True)
class Ending:
    """The ``reason``, a sentence without its end, and the values that it rests on, for the event."""

    reason: Reason
    text: str
    data: dict[str, Any]


def load_text(stage: StageTotals, of: Headline) -> str:
    """``20 users`` or ``6 000/min``."""
    return load_text_of(stage.load, stage, of)


def load_text_of(load: float, stage: StageTotals, of: Headline) -> str:
    """The same of another load of the kind that ``stage`` has, such as that at a knee."""
    return counted(round(load), "user") if stage.users is not None else of.due_text(load)


def ending_of(
    staircase: Staircase, stages: Sequence[StageTotals], of: Headline, events: Iterable[RunEvent]
) -> Ending | None:
    """How the last of ``stages``, which is over, ends a staircase; ``None`` if it goes on.

    A limit of the workstation comes first: what it limited or distorted says nothing about the server. ``events`` are
    the run's.
    """
    stage = stages[-1]
    values = {"stage": stage.number, "throughput": stage.headline, "p95_ms": stage.times.p95}
    if limited := workstation_clause(events, stage.first_second, stage.first_second + stage.seconds):
        text = f"at {load_text(stage, of)} {limited}"
        return Ending(reason=Reason.WORKSTATION, text=text, data=values)
    p95 = stage.times.p95
    if staircase.p95_limit_ms and p95 is not None and p95 > staircase.p95_limit_ms:
        limit = milliseconds(staircase.p95_limit_ms)
        text = f"p95 was {milliseconds(p95)} ms at {load_text(stage, of)}, above {limit} ms"
        return Ending(reason=Reason.P95, text=text, data=values | {"p95_limit_ms": staircase.p95_limit_ms})
    if staircase.least_growth_pct and len(stages) > 1 and stages[-2].headline:
        growth = 100 * (stage.headline / stages[-2].headline - 1)
        if growth < staircase.least_growth_pct:
            text = (
                f"{of.label} changed by {percent(growth)} from {load_text(stages[-2], of)} to {load_text(stage, of)},"
                f" less than {percent(staircase.least_growth_pct)} of growth"
            )
            return Ending(reason=Reason.GROWTH, text=text, data=values | {"growth_pct": round(growth, 2)})
    return None


def last_step(stage: StageTotals, of: Headline) -> Ending:
    """The ending of a staircase whose last step met no condition."""
    text = f"its last step, {load_text(stage, of)}, met none of its conditions"
    values = {"stage": stage.number, "throughput": stage.headline, "p95_ms": stage.times.p95}
    return Ending(reason=Reason.LAST_STEP, text=text, data=values)


def workstation_clause(events: Iterable[RunEvent], first: int, end: int) -> str:
    """What the workstation did to the seconds ``first <= second < end`` of a run, by its events, as a clause.

    It was the limit in any of them, or it distorted a notable share of them; empty when it did neither.
    """
    distorted = 0.0
    for event in events:
        if event.code not in (*_LIMITS, EventCode.WORKSTATION_DISTORTION):
            continue
        lasted = event.data["lasted_seconds"]
        until = end if lasted is None else min(end, event.at_seconds + lasted)
        inside = until - max(first, event.at_seconds)
        if inside > 0 and event.code in _LIMITS:
            return f"this workstation was the limit, {_NOT_KNOWN}"
        distorted += max(0.0, inside)
    share = distorted / (end - first) if end > first else 0.0
    if share < LEAST_DISTORTED_SHARE:
        return ""
    return f"this workstation distorted {percent(100 * share, 0)} of the seconds, {_NOT_KNOWN}"
