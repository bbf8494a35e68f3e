"""The clock of a run for displayed moments, the same on the screen, on the terminal and in documents.

Stored moments, and those of JSON and CSV, count from the run's start; ``RunClock`` defines where 0:00 is displayed.
"""

from dataclasses import dataclass

from engine.figure_text import UNKNOWN, clock, clock_tenths
from engine.record.record import Phases

MIDDLE_OF_SECOND = 0.5
"""Where a second's value stands on a time axis: what a sample counts happened in the second after its number."""


@dataclass(frozen=True)
class RunClock:
    """A clock that is 0:00 when measuring began, and negative before.

    ``origin_second`` is that second of the run; the run's start as long as it is unknown when measuring will begin, or
    if it never did.
    """

    origin_second: int = 0
    is_measuring: bool = False

    @classmethod
    def of(cls, phases: Phases) -> "RunClock":
        first = phases.measuring_from
        return cls() if first is None else cls(origin_second=first, is_measuring=True)

    @property
    def since(self) -> str:
        """What happened at 0:00, for the axis of a chart or the heading of a table."""
        return "since measuring began" if self.is_measuring else "since the start"

    def shown(self, at_seconds: float) -> float:
        """A second of the run on this clock."""
        return at_seconds - self.origin_second

    def second(self, second: float | None) -> str:
        """A second of the run as text: ``12:03``."""
        return UNKNOWN if second is None else clock(self.shown(second))

    def moment(self, at_seconds: float | None) -> str:
        """The moment of an event as text: ``12:03.4``."""
        return UNKNOWN if at_seconds is None else clock_tenths(self.shown(at_seconds))

    def since_measuring_seconds(self, at_seconds: float) -> float | None:
        """The moment as a number for files, to a millisecond; ``None`` in a run that never measured."""
        return round(self.shown(at_seconds), 3) if self.is_measuring else None
