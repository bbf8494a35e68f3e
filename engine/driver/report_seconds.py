"""Assigns a program's reports on what it has done to the seconds of a run."""

import math

_MOST_OFF_SECONDS = 1.0


class ReportSeconds:
    """Numbers the reports of a program by the seconds of a run; each second gets one at most.

    A program reports a second after the report before, give or take some milliseconds, and not at the beginning of a
    second. What was done between two reports belongs to the second that holds the greater part of that time. The next
    report then belongs to the next second, unless the middle of its time is more than ``_MOST_OFF_SECONDS`` from the
    middle of that second.
    """

    def __init__(self) -> None:
        self.next = 0
        """The first second that has none yet."""
        self._follows = False

    def of(self, began: float, ended: float) -> int:
        """The second of what was done from one moment to another, in seconds of the run."""
        middle = (began + ended) / 2
        second = max(self.next, math.floor(middle))
        if self._follows and abs(middle - (self.next + 0.5)) <= _MOST_OFF_SECONDS:
            second = self.next
        self.next, self._follows = second + 1, True
        return second

    def skip(self) -> int:
        """The next second, of which no report comes; returns its number."""
        second, self.next, self._follows = self.next, self.next + 1, False
        return second
