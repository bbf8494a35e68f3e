"""How one client's users lose their connections and reconnect, reported in waves with the time that reconnecting took.

Users report it on their threads; the main thread of the client's process makes events of it.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median

from engine.driver.timebase import Timebase
from engine.telemetry.event import EventCode, EventKind, RunEvent

_CODES = {
    EventKind.CONNECTION_LOST: EventCode.CONNECTIONS_LOST,
    EventKind.CONNECTION_BACK: EventCode.CONNECTIONS_BACK,
}


@dataclass
class _Wave:
    """From the first lost connection to the moment at which all users are connected again."""

    last_back_at: float = 0.0
    seconds: list[float] = field(default_factory=list)


class Outage:
    """``lost`` and ``back`` are thread-safe. Moments are those of the monotonic clock."""

    def __init__(self, client: int, timebase: Timebase) -> None:
        self._client = client
        self._timebase = timebase
        self._changes: deque[tuple[bool, float, float]] = deque()
        self._away = 0
        self._wave = _Wave()

    def lost(self, at: float) -> None:
        """A user lost its connection at this moment of the monotonic clock."""
        self._changes.append((False, at, at))

    def back(self, lost_at: float, at: float) -> None:
        """A user that lost its connection at ``lost_at`` has one again."""
        self._changes.append((True, lost_at, at))

    def take_events(self) -> list[RunEvent]:
        """The events since the last call: connections lost, and, once all users are back, how long that took."""
        lost_at = []
        while self._changes:
            is_back, since, at = self._changes.popleft()
            if not is_back:
                self._away += 1
                lost_at.append(at)
                continue
            self._away -= 1
            self._wave.seconds.append(at - since)
            self._wave.last_back_at = max(self._wave.last_back_at, at)
        events = self._lost_events(lost_at)
        if self._wave.seconds and not self._away:
            events.append(self._back_event())
            self._wave = _Wave()
        return events

    def _lost_events(self, lost_at: list[float]) -> list[RunEvent]:
        if not lost_at:
            return []
        label = f"connection lost ×{len(lost_at)}"
        return [self._event(min(lost_at), EventKind.CONNECTION_LOST, label, {"users": len(lost_at)})]

    def _back_event(self) -> RunEvent:
        seconds = self._wave.seconds
        first, middle, last = min(seconds), median(seconds), max(seconds)
        data = {
            "users": len(seconds),
            "first_seconds": round(first, 3),
            "median_seconds": round(middle, 3),
            "last_seconds": round(last, 3),
        }
        users = "1 user" if len(seconds) == 1 else f"{len(seconds)} users"
        detail = f"{users}: first after {first:.2f} s, median {middle:.2f} s, last {last:.2f} s"
        back_at = self._wave.last_back_at
        return self._event(back_at, EventKind.CONNECTION_BACK, "all users connected again", data, detail)

    def _event(self, at: float, kind: EventKind, label: str, data: Mapping[str, float], detail: str = "") -> RunEvent:
        return RunEvent(
            at_seconds=self._timebase.event_seconds(at),
            kind=kind,
            code=_CODES[kind],
            label=label,
            data=data,
            client=self._client,
            detail=detail,
        )
