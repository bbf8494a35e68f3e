"""Finds saturation intervals: from when to when a measure was over its limit, and by how much.

The mean or percentile over a window decides whether there is an interval, so that a single burst makes none and a load
that oscillates around its limit makes one and not twenty. The individual seconds decide where it begins and ends.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

# An interval is reported again when its worst value has grown by this factor.
_NOTABLE_GROWTH = 1.25


class Reading(NamedTuple):
    """A value and its source: a client process (with its number), an interface, or empty for the whole workstation."""

    value: float
    source: str = ""
    process: int | None = None


@dataclass(frozen=True, kw_only=True)
class Limit:
    """An interval begins when the value rises above ``begins`` and ends when it is no longer above ``ends``."""

    begins: float
    ends: float


@dataclass(kw_only=True)
class SaturationInterval:
    """From ``since`` to ``until``, in seconds of the run; ``worst`` has the highest reading of each measure in it.

    ``number`` is the number of its event in the run, 0 before the event was emitted.
    """

    since: float
    until: float
    worst: dict[str, Reading] = field(default_factory=dict)
    is_over: bool = False
    number: int = 0


Readings = Mapping[str, Reading]


class _High(NamedTuple):
    """A second that was over a limit by itself, and the measures that were."""

    began: float
    at: float
    measures: frozenset[str]


class SaturationDetector:
    """Detects the intervals of one cause, which has several measures with a limit each; one over its limit suffices.

    Measures without a limit are only recorded in ``SaturationInterval.worst``.
    """

    def __init__(self, limits: Mapping[str, Limit]) -> None:
        self.present: SaturationInterval | None = None
        self._limits = limits
        self._high: deque[_High] = deque()
        self._reported: dict[str, float] = {}

    def update(
        self, *, began: float, at: float, last: Readings, window: Readings, window_from: float
    ) -> SaturationInterval | None:
        """Take the newest readings; returns the interval that began, grew or ended with them, if any.

        ``last`` covers only ``began`` .. ``at``, ``window`` covers ``window_from`` .. ``at``. Measures that are unknown
        at the moment are left out; the window is empty while it is too short to be judged.
        """
        high = self._over(last)
        if high:
            self._high.append(_High(began, at, high))
        while self._high and self._high[0].at <= window_from:
            self._high.popleft()
        if self.present is None:
            return self._begin(window)
        interval = self.present
        if high:
            interval.until = at
        for name, reading in window.items():
            interval.worst[name] = max(reading, interval.worst.get(name, reading), key=lambda each: each.value)
        if any(window[name].value > limit.ends for name, limit in self._limits.items() if name in window):
            return interval if self._has_grown(interval) else None
        return self.end()

    def end(self) -> SaturationInterval | None:
        """No more readings will come: close the present interval, if there is one, and return it."""
        interval, self.present = self.present, None
        if interval is not None:
            interval.is_over = True
        self._high.clear()
        return interval

    def _begin(self, window: Readings) -> SaturationInterval | None:
        """A window over its limit without such a second in it reflects earlier seconds: no interval begins yet."""
        over = self._over(window)
        high = [each for each in self._high if each.measures & over]
        if not high:
            return None
        self.present = SaturationInterval(since=high[0].began, until=high[-1].at, worst=dict(window))
        self._reported = {name: window[name].value for name in over}
        return self.present

    def _has_grown(self, interval: SaturationInterval) -> bool:
        """Whether its worst is a quarter higher than when last returned, or another measure exceeds its limit."""
        worst = {name: interval.worst[name].value for name in self._over(interval.worst)}
        if all(value < _NOTABLE_GROWTH * self._reported.get(name, 0.0) for name, value in worst.items()):
            return False
        self._reported = worst
        return True

    def _over(self, readings: Readings) -> frozenset[str]:
        """The measures above the limit at which an interval begins."""
        return frozenset(
            name for name, limit in self._limits.items() if name in readings and readings[name].value > limit.begins
        )
