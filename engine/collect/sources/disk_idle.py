"""The busy time of disks of which a system counts the idle time, as Windows does."""

from typing import NamedTuple


class _Reading(NamedTuple):
    at_seconds: float
    idle_seconds: float
    busy_seconds: float


class BusyTimes:
    """Keeps each disk's last reading."""

    def __init__(self) -> None:
        self._last: dict[str, _Reading] = {}

    def busy_seconds(self, disk: str, idle_seconds: float, at_seconds: float) -> float:
        """The time since the first reading in which a disk was busy.

        It never goes back: the two times of a reading may be of moments that differ a little.
        """
        last = self._last.get(disk, _Reading(at_seconds, idle_seconds, 0.0))
        idle = idle_seconds - last.idle_seconds
        busy = max(0.0, at_seconds - last.at_seconds - idle) if idle >= 0 else 0.0
        self._last[disk] = _Reading(at_seconds, idle_seconds, last.busy_seconds + busy)
        return last.busy_seconds + busy
