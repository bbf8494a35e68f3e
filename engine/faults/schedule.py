"""What of a plan's faults is due when: pure arithmetic on the run's seconds; ``Run`` asks it."""

import math
from collections import deque
from collections.abc import Iterable

from engine.faults.planned import PlannedFault


class Schedule:
    """The planned faults, each handed out once. Times are seconds since the run's epoch.

    ``measuring_from`` is the second with which measuring begins, ``None`` as long as it is not known.
    """

    def __init__(self, faults: Iterable[PlannedFault]) -> None:
        self._waiting = deque(sorted(faults, key=lambda fault: fault.at_seconds))

    def next_at(self, measuring_from: int | None) -> float:
        """When the next fault is due; infinity when none is left or it is not known yet."""
        if measuring_from is None or not self._waiting:
            return math.inf
        return measuring_from + self._waiting[0].at_seconds

    def take_due(self, at: float, measuring_from: int | None) -> list[tuple[float, PlannedFault]]:
        """The faults that are due by ``at`` and were not yet taken, each with the exact time that was planned."""
        due = []
        while (moment := self.next_at(measuring_from)) <= at:
            due.append((moment, self._waiting.popleft()))
        return due
