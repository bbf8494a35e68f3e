"""A run's time axis: the one place that converts between moments of the monotonic clock and seconds of the run.

Everything that a run counts, plans or reports is in seconds of the run, from its epoch; all waiting is in real time.
"""

from dataclasses import dataclass

NEVER = float("inf")
"""A moment that does not come."""


@dataclass(frozen=True)
class Timebase:
    """``epoch`` is second 0 on the monotonic clock, which all processes of a machine share.

    ``tick_seconds`` is how long a second of the run lasts, and with it the time between two samples: 1 in every run but
    the endurance benchmark's, which has a day's seconds in half an hour.
    """

    epoch: float
    tick_seconds: float = 1.0

    def at(self, moment: float) -> float:
        """A moment of the monotonic clock in seconds of the run; below 0 before the epoch."""
        return (moment - self.epoch) / self.tick_seconds

    def event_seconds(self, moment: float) -> float:
        """The same as an event records it: to the millisecond, and not before the epoch."""
        return round(max(0.0, self.at(moment)), 3)

    def moment(self, second: float) -> float:
        """When a second of the run begins, on the monotonic clock."""
        return self.epoch + second * self.tick_seconds
