"""When the faults of a run are due: pure arithmetic on the run's seconds, used by ``Run``. Thread-safe."""

import itertools
import math
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine.faults.planned import PlannedFault


@dataclass(frozen=True, kw_only=True)
class Armed:
    """One round of a fault that is still to come, ``at_seconds`` after the run's epoch.

    With ``is_relative`` the time counts from the beginning of measuring, as long as that is not known. ``number`` is
    another for each round of a run; ``round`` counts from 1 in ``fault.repeat``.
    """

    number: int
    fault: PlannedFault
    round: int
    at_seconds: float
    is_relative: bool = False


class FaultSchedule:
    """The faults of a run, each round of each handed out once.

    ``measuring_from`` is the second with which measuring begins, ``None`` as long as it is not known.
    """

    def __init__(self, faults: Iterable[PlannedFault]) -> None:
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        planned = sorted(faults, key=lambda fault: fault.at_seconds)
        rounds = [armed for fault in planned for armed in self._rounds(fault, fault.at_seconds, is_relative=True)]
        self._waiting = sorted(rounds, key=lambda armed: armed.at_seconds)

    def add(self, fault: PlannedFault, at: float) -> list[int]:
        """Arm a fault for ``at`` seconds after the epoch instead of its own time; the numbers of its rounds."""
        with self._lock:
            rounds = self._rounds(fault, at, is_relative=False)
            self._waiting += rounds
        return [armed.number for armed in rounds]

    def cancel(self, number: int) -> bool:
        """Forget a round that is still to come; whether there was one of this number."""
        with self._lock:
            left = [armed for armed in self._waiting if armed.number != number]
            found = len(left) < len(self._waiting)
            self._waiting = left
        return found

    def waiting(self) -> tuple[Armed, ...]:
        """What is still to come."""
        with self._lock:
            return tuple(self._waiting)

    def next_at(self, measuring_from: int | None) -> float:
        """When the next round is due; infinity when none is left or it is not known yet."""
        with self._lock:
            return min((_moment(armed, measuring_from) for armed in self._waiting), default=math.inf)

    def take_due(self, at: float, measuring_from: int | None) -> list[Armed]:
        """The rounds that are due by ``at`` and were not yet taken, each with the exact time that was planned."""
        with self._lock:
            due = [armed for armed in self._waiting if _moment(armed, measuring_from) <= at]
            self._waiting = [armed for armed in self._waiting if armed not in due]
        exact = [replace(armed, at_seconds=_moment(armed, measuring_from), is_relative=False) for armed in due]
        return sorted(exact, key=lambda armed: armed.at_seconds)

    def _rounds(self, fault: PlannedFault, at: float, *, is_relative: bool) -> list[Armed]:
        return [
            Armed(
                number=next(self._numbers),
                fault=fault,
                round=of + 1,
                at_seconds=round(at + of * fault.every_seconds, 3),
                is_relative=is_relative,
            )
            for of in range(fault.repeat)
        ]


def _moment(armed: Armed, measuring_from: int | None) -> float:
    if not armed.is_relative:
        return armed.at_seconds
    return math.inf if measuring_from is None else measuring_from + armed.at_seconds
