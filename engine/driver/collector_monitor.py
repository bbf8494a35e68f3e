"""What a run's collectors send: passed to the sinks, and reported as events where it changes what readings mean."""

from collections.abc import Callable, Mapping
from typing import Any

from engine.driver.sinks import Sink
from engine.figure_text import significant
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.host import CollectorState, CollectorStatus, HostReading

OFFSET_SECONDS = 1.0
"""A clock of a machine that is further off is reported."""


class CollectorMonitor:
    """Reports when a collector begins to fail, when it reads again, and when its source's clock is far off.

    ``emit`` gets the events, and ``now`` is the second of the run. ``is_ending`` is set when the collectors were asked
    to end. Used on the run's collector thread.
    """

    def __init__(self, sink: Sink, emit: Callable[[RunEvent], object], now: Callable[[], float]) -> None:
        self._sink = sink
        self._emit = emit
        self._now = now
        self.is_ending = False
        self._failing_since: dict[int, float] = {}
        self._told_offsets: dict[int, float] = {}

    def receive(self, message: HostReading | CollectorStatus) -> None:
        if isinstance(message, HostReading):
            self._sink.write_host(message)
        else:
            self._sink.write_collector(message)
            self._check_state(message)
            self._check_clock(message)

    def report_lost(self, how: str) -> None:
        """The process of the collectors has ended, and ``how``; nothing is reported when it was asked to."""
        if not self.is_ending:
            detail = f"{how}; from now on there are no readings of the machines"
            self._warn("the collectors were lost", EventCode.COLLECTORS_LOST, {}, detail)

    def _check_state(self, status: CollectorStatus) -> None:
        number, place = status.number, f"{status.machine} ({status.source})"
        if status.state is CollectorState.FAILING and number not in self._failing_since:
            self._failing_since[number] = self._now()
            data = {**_data_of(status), "text": status.message}
            self._warn(f"the readings of {place} fail", EventCode.COLLECTOR_FAILING, data, status.message)
        elif status.state is CollectorState.READING and number in self._failing_since:
            seconds = round(self._now() - self._failing_since.pop(number), 1)
            data = {**_data_of(status), "failed_seconds": seconds}
            self._warn(f"the readings of {place} are back after {seconds:g} s", EventCode.COLLECTOR_BACK, data)

    def _check_clock(self, status: CollectorStatus) -> None:
        """Report an offset above the limit, and again when it has changed by as much since."""
        ahead_seconds, error_seconds = status.offset_seconds, status.offset_error_seconds
        if ahead_seconds is None or error_seconds is None:
            return
        told = self._told_offsets.get(status.number, 0.0)
        if abs(ahead_seconds - told) - error_seconds <= OFFSET_SECONDS:
            return
        self._told_offsets[status.number] = ahead_seconds
        if abs(ahead_seconds) <= OFFSET_SECONDS:
            how_far = "right again"
        else:
            way = "ahead of" if ahead_seconds > 0 else "behind"
            how_far = f"{significant(abs(ahead_seconds))} s {way} this workstation's"
        self._warn(
            f"the clock of {status.machine} is {how_far}",
            EventCode.COLLECTOR_CLOCK_OFF,
            {
                **_data_of(status),
                "ahead_seconds": round(ahead_seconds, 6),
                "error_seconds": round(error_seconds, 6),
            },
            "its readings are shown by this workstation's clock",
        )

    def _warn(self, label: str, code: EventCode, data: Mapping[str, Any], detail: str = "") -> None:
        at_seconds = self._now()
        self._emit(
            RunEvent(at_seconds=at_seconds, kind=EventKind.WARNING, label=label, code=code, data=data, detail=detail)
        )


def _data_of(status: CollectorStatus) -> dict[str, Any]:
    return {"collector": status.number, "machine": status.machine, "source": status.source}
