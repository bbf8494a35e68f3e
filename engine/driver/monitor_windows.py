"""Sliding windows over the readings of the workstation; ``WorkstationMonitor`` has one of each kind and judges them.

A window's ``last`` is the newest second by itself, ``whole`` the entire window. Both are keyed by the measures' names
in ``engine.driver.saturation``; unknown measures are left out.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from engine.driver.cpu_meter import CpuReading, Pids
from engine.driver.messages import HealthReport
from engine.driver.network_meter import NetworkReading
from engine.driver.saturation import (
    CLIENT,
    CLIENTS,
    FAILED,
    GC_PAUSE,
    HEARTBEAT,
    LINK,
    MACHINE,
    SENT_AGAIN,
    TICK,
    WAITED,
)
from engine.driver.saturation_intervals import Reading, Readings
from engine.histogram import merge, percentile_us, unpack

WINDOW_SECONDS = 10.0
# With fewer packets or segments a second, the share that is lost says nothing.
_LEAST_PACKETS_PER_SECOND = 100
# When traffic stops, the losses at its end would be compared with hardly any traffic.
_LEAST_FLOWING_SHARE = 0.5
# One acknowledgement may cover dozens of segments of a long answer; a server that is down sends none at all.
_LEAST_ANSWERED_SHARE = 0.05
_MOST_UNANSWERED_SHARE = 0.5
# Waiting for the workstation is ignored below a tenth of the response time, however long it is.
_LEAST_WAITING_SHARE = 0.1


R = TypeVar("R", CpuReading, NetworkReading)


class _Window(Generic[R]):
    """The readings of the last ``WINDOW_SECONDS``, or a little more."""

    def __init__(self) -> None:
        self._readings: deque[R] = deque()

    def add(self, reading: R) -> None:
        self._readings.append(reading)
        while self.seconds - self._readings[0].seconds >= WINDOW_SECONDS:
            self._readings.popleft()

    @property
    def seconds(self) -> float:
        """The length of the window so far."""
        return sum(reading.seconds for reading in self._readings)


class CpuWindow(_Window[CpuReading]):
    """Processor use; ``labels`` name the clients of each process; all processes together may use ``processors``.

    ``usable`` is, by the number of a process, how many of these it can use, where that is more than one.
    """

    def __init__(self, labels: Mapping[int, str], processors: int) -> None:
        super().__init__()
        self._labels = labels
        self._processors = processors
        self.usable: dict[int, int] = {}

    def last(self) -> Readings:
        newest = self._readings[-1]
        return self._taken_together(newest.machine_pct, newest.processes_pct)

    def whole(self) -> Readings:
        """The means, of the client processes that are still there."""
        by_process = {number: self._mean_of(number) for number in self._readings[-1].processes_pct}
        return self._taken_together(self._mean(lambda reading: reading.machine_pct), by_process)

    def _taken_together(self, machine_pct: float, by_process: Mapping[int, float]) -> Readings:
        of_what_each_can = {number: used / self.usable.get(number, 1) for number, used in by_process.items()}
        return {
            MACHINE: Reading(machine_pct),
            CLIENTS: Reading(sum(by_process.values()) / self._processors),
            CLIENT: _highest(of_what_each_can, self._labels) or Reading(0.0),
        }

    def _mean(self, value: Callable[[CpuReading], float]) -> float:
        return sum(value(reading) * reading.seconds for reading in self._readings) / self.seconds

    def _mean_of(self, process: int) -> float:
        return self._mean(lambda reading: reading.processes_pct.get(process, 0.0))


class NetworkWindow(_Window[NetworkReading]):
    """What the network carries and loses.

    TCP also retransmits to a server that is down, which says nothing about the network. So the segments of such seconds
    do not count, nor those of the next one, in which the server acknowledges the retransmissions.
    """

    def __init__(self) -> None:
        super().__init__()
        self._was_answered = True

    def add(self, reading: NetworkReading) -> None:
        was_answered, self._was_answered = self._was_answered, _is_answered(reading)
        is_answered = was_answered and self._was_answered
        super().add(reading if is_answered else replace(reading, segments=None, segments_again=None))

    def last(self) -> Readings:
        return self._taken_together([self._readings[-1]])

    def whole(self) -> Readings:
        return self._taken_together(self._readings)

    @staticmethod
    def _taken_together(readings: Sequence[NetworkReading] | deque[NetworkReading]) -> Readings:
        seconds = sum(each.seconds for each in readings)
        taken = {}
        used = [(each.used_pct * each.seconds, each.interface) for each in readings if each.used_pct is not None]
        if used:
            taken[LINK] = Reading(sum(pct for pct, _ in used) / seconds, used[-1][1])
        lost = {
            SENT_AGAIN: [(each.seconds, each.segments or 0, each.segments_again or 0) for each in readings],
            FAILED: [(each.seconds, each.packets, each.failed_packets) for each in readings],
        }
        for name, of_each in lost.items():
            lost_pct = _lost_pct(of_each)
            if lost_pct is not None:
                taken[name] = Reading(lost_pct)
        return taken


def _is_answered(reading: NetworkReading) -> bool:
    """Whether TCP's traffic is acknowledged; where the system does not count segments, it is taken to be."""
    sent, again, received = reading.segments, reading.segments_again or 0, reading.segments_received
    if sent is None:
        return True
    flows = sent >= _LEAST_PACKETS_PER_SECOND * reading.seconds
    gets_answers = received is None or received >= _LEAST_ANSWERED_SHARE * sent
    return flows and gets_answers and reading.segments_unanswered <= _MOST_UNANSWERED_SHARE * again


def _lost_pct(of_each: Sequence[tuple[float, int, int]]) -> float | None:
    """The percentage lost, from each reading's seconds, packets sent and packets lost; only where traffic flows.

    ``None`` where it flows for less than half of the time.
    """
    flowing = [each for each in of_each if each[1] >= _LEAST_PACKETS_PER_SECOND * each[0]]
    seconds, sent, lost = (sum(each[index] for each in flowing) for index in range(3))
    if not flowing or seconds < _LEAST_FLOWING_SHARE * sum(each[0] for each in of_each):
        return None
    return 100 * lost / sent


class HealthWindow:
    """The health reports of the client processes; ``labels`` name their clients. Moments are monotonic."""

    def __init__(self, labels: Mapping[int, str]) -> None:
        self._labels = labels
        self._reports: dict[int, deque[HealthReport]] = {}
        self._new: list[HealthReport] = []

    def add(self, report: HealthReport) -> None:
        self._reports.setdefault(report.process, deque()).append(report)
        self._new.append(report)

    def forget(self, before: float, *, all_but: Pids) -> None:
        """Drop reports sent before a moment, and all reports of processes that have ended."""
        for process, reports in tuple(self._reports.items()):
            while reports and reports[0].sent_at < before:
                reports.popleft()
            if process not in all_but:
                del self._reports[process]

    def take_new(self) -> list[HealthReport]:
        """The reports since the last call."""
        new, self._new = self._new, []
        return new

    def last(self, new: Sequence[HealthReport]) -> Readings:
        """Of the reports that ``take_new`` returned; after a standstill a process often sends two at once."""
        by_process: dict[int, list[HealthReport]] = {}
        for report in new:
            by_process.setdefault(report.process, []).append(report)
        return self._taken_together(by_process)

    def whole(self) -> Readings:
        return self._taken_together(self._reports)

    def heartbeat_ms(self) -> dict[int, float]:
        """The lateness of each process's heartbeats (p99)."""
        return {process: late for process, reports in self._reports.items() if (late := _late_ms(reports)) is not None}

    def _taken_together(self, by_process: Mapping[int, Sequence[HealthReport] | deque[HealthReport]]) -> Readings:
        measures: dict[str, Callable[[Sequence[HealthReport] | deque[HealthReport]], float | None]] = {
            HEARTBEAT: _late_ms,
            WAITED: _waiting_ms,
            TICK: lambda reports: max((report.tick_late_ms for report in reports), default=None),
            GC_PAUSE: lambda reports: max((report.longest_gc_pause_ms for report in reports), default=None),
        }
        taken = {}
        for name, measure in measures.items():
            known = {process: measure(reports) for process, reports in by_process.items()}
            highest = _highest({process: value for process, value in known.items() if value is not None}, self._labels)
            if highest is not None:
                taken[name] = highest
        return taken


def _late_ms(reports: Sequence[HealthReport] | deque[HealthReport]) -> float | None:
    late_us = percentile_us(merge(unpack(report.heartbeat) for report in reports), 99)
    return None if late_us is None else round(late_us / 1000, 3)


def _waiting_ms(reports: Sequence[HealthReport] | deque[HealthReport]) -> float | None:
    """How long an order's answers waited for the workstation; 0 where that is negligible in its response time.

    For users with a thread each it includes their waiting between orders, which is not counted separately.
    """
    waited_ms = sum(report.users_waited_ms or 0.0 for report in reports)
    orders, order_ms = sum(report.orders for report in reports), sum(report.order_ms for report in reports)
    if not orders:
        return None
    return waited_ms / orders if waited_ms > _LEAST_WAITING_SHARE * order_ms else 0.0


def _highest(values: Mapping[int, float], labels: Mapping[int, str]) -> Reading | None:
    process = max(values, key=values.__getitem__, default=None)
    return None if process is None else Reading(values[process], labels[process], process)
