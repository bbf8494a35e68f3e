"""How a staircase ends: which of its conditions the stage that is over meets."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from engine.analysis.headline import Headline
from engine.figure_text import counted, milliseconds, percent, whole
from engine.plan.load.staircase import Staircase
from engine.record.totals import StageTotals
from engine.telemetry.event import EventCode, RunEvent

_LIMITS = (EventCode.WORKSTATION_BOTTLENECK, EventCode.WORKSTATION_NETWORK)


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


def load_text(stage: StageTotals) -> str:
    """``20 users`` or ``6 000/min``."""
    return counted(stage.users, "user") if stage.users is not None else f"{whole(stage.rate)}/min"


def ending_of(
    staircase: Staircase, stages: Sequence[StageTotals], of: Headline, events: Iterable[RunEvent]
) -> Ending | None:
    """How the last of ``stages``, which is over, ends a staircase; ``None`` if it goes on.

    A limit of the workstation comes first: what it limited says nothing about the server. ``events`` are the run's.
    """
    stage = stages[-1]
    values = {"stage": stage.number, "throughput": stage.headline, "p95_ms": stage.times.p95}
    if was_limited(events, stage.first_second, stage.first_second + stage.seconds):
        text = f"this workstation was the limit at {load_text(stage)}, so the server's own is not known"
        return Ending(reason=Reason.WORKSTATION, text=text, data=values)
    p95 = stage.times.p95
    if staircase.p95_limit_ms and p95 is not None and p95 > staircase.p95_limit_ms:
        limit = milliseconds(staircase.p95_limit_ms)
        text = f"p95 was {milliseconds(p95)} ms at {load_text(stage)}, above {limit} ms"
        return Ending(reason=Reason.P95, text=text, data=values | {"p95_limit_ms": staircase.p95_limit_ms})
    if staircase.least_growth_pct and len(stages) > 1 and stages[-2].headline:
        growth = 100 * (stage.headline / stages[-2].headline - 1)
        if growth < staircase.least_growth_pct:
            text = (
                f"{of.label} changed by {percent(growth)} from {load_text(stages[-2])} to {load_text(stage)},"
                f" less than {percent(staircase.least_growth_pct)} of growth"
            )
            return Ending(reason=Reason.GROWTH, text=text, data=values | {"growth_pct": round(growth, 2)})
    return None


def last_step(stage: StageTotals) -> Ending:
    """The ending of a staircase whose last step met no condition."""
    text = f"its last step, {load_text(stage)}, met none of its conditions"
    values = {"stage": stage.number, "throughput": stage.headline, "p95_ms": stage.times.p95}
    return Ending(reason=Reason.LAST_STEP, text=text, data=values)


def was_limited(events: Iterable[RunEvent], first: int, end: int) -> bool:
    """Whether the events of a run say that the workstation limited it in a second of ``first <= second < end``."""
    return any(
        event.at_seconds < end and (lasted is None or event.at_seconds + lasted > first)
        for event in events
        if event.code in _LIMITS
        for lasted in (event.data["lasted_seconds"],)
    )
