"""The seconds of a run that are attributed to a fault: from its own second to the next fault, the end of measuring, or
now.

The same during and after the run: what is computed as of a second does not use later ones. Called by the recovery
analysis.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.run_data import RunData
from engine.telemetry.event import RunEvent


class Ending(StrEnum):
    """What ended the seconds that are attributed to a fault."""

    GOES_ON = "goes on"
    NEXT_FAULT = "next fault"
    RUN_OVER = "run over"
    HORIZON = "horizon"


@dataclass(frozen=True, kw_only=True)
class FaultSpan:
    """The seconds ``first <= second < end`` that are attributed to a fault; ``first`` is the second of the fault.

    ``next_fault`` is the fault that ended them, if any. The span is empty when measuring was over before the fault, or
    when nothing is known yet.
    """

    fault: RunEvent
    first: int
    end: int
    ending: Ending
    next_fault: RunEvent | None = None

    @property
    def seconds(self) -> int:
        return max(0, self.end - self.first)

    def after_fault(self, second: float) -> float:
        """The seconds from the fault to a moment of the run's clock, to a millisecond; 0 for a moment before the
        fault."""
        return round(max(0.0, second - self.fault.at_seconds), 3)


def faults_of(run: RunData) -> list[RunEvent]:
    """The run's faults, sorted by time."""
    return [event for event in run.sorted_events() if event.is_fault]


def span_of(run: RunData, fault: RunEvent, settings: RecoverySettings, at: int | None = None) -> FaultSpan:
    """The seconds that are attributed to a fault, as of the second ``at``: by default all that are known and
    measured."""
    known_end = run.measured_end
    now = known_end if at is None else min(at, known_end)
    first = math.floor(fault.at_seconds)
    end, ending = now, Ending.RUN_OVER if _is_over(run, now) else Ending.GOES_ON
    if first + settings.horizon_seconds < end:
        end, ending = first + settings.horizon_seconds, Ending.HORIZON
    follower = _next_fault(run, fault)
    if follower is not None and math.floor(follower.at_seconds) < end:
        end = math.floor(follower.at_seconds)
        return FaultSpan(fault=fault, first=first, end=end, ending=Ending.NEXT_FAULT, next_fault=follower)
    return FaultSpan(fault=fault, first=first, end=max(first, end), ending=ending)


def _is_over(run: RunData, now: int) -> bool:
    """Whether no measured second follows ``now``."""
    if now < run.measured_end:
        return False
    measuring_to = run.phases.measuring_to
    return run.state.is_final or (measuring_to is not None and now >= measuring_to)


def _next_fault(run: RunData, fault: RunEvent) -> RunEvent | None:
    later = [each for each in faults_of(run) if (each.at_seconds, each.number) > (fault.at_seconds, fault.number)]
    return later[0] if later else None
