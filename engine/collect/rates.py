"""Rates of counters that only grow, such as bytes sent since a machine was started."""

from collections.abc import Hashable
from typing import NamedTuple


class _Reading(NamedTuple):
    at_seconds: float
    total: float


class Rates:
    """Keeps each counter's last total; the moments are of one clock, such as the monotonic one."""

    def __init__(self) -> None:
        self._last: dict[Hashable, _Reading] = {}

    def per_second(self, counter: Hashable, total: float, at_seconds: float) -> float | None:
        """The counter's rate since its last total.

        ``None`` is unknown: for the first total, and for one that is less than the last, as after a restart.
        """
        last = self._last.get(counter)
        self._last[counter] = _Reading(at_seconds, total)
        if last is None or total < last.total or at_seconds <= last.at_seconds:
            return None
        return (total - last.total) / (at_seconds - last.at_seconds)
