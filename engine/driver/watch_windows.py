"""The newest readings of the workstation and those of the last seconds taken together: what its watch judges.

``WorkstationWatch`` keeps one of each. A window's ``last`` is the newest second by itself, ``whole`` all of it, both by
the names of ``engine.driver.saturation``; what is not known is not among them.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from engine.driver.cpu_meter import CpuReading, Pids
from engine.driver.messages import VitalSigns
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
from engine.driver.spells import Reading, Readings
from engine.histogram import merge, percentile_us, unpack

WINDOW_SECONDS = 10.0
# So few packets or segments a second say nothing, however large a part of them is lost.
_LEAST_PACKETS_PER_SECOND = 100
# Traffic that stops leaves a window in which what is lost at its end has hardly anything beside it.
_LEAST_FLOWING_SHARE = 0.5
# Long answers are acknowledged in one for dozens of segments; a server that is lost sends none at all.
_LEAST_ANSWERED_SHARE = 0.05
_MOST_UNANSWERED_SHARE = 0.5
# Less than a tenth of what the server takes is next to nothing, however long it is.
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
        """How much is known."""
        return sum(reading.seconds for reading in self._readings)


class CpuWindow(_Window[CpuReading]):
    """Processor use; ``labels`` say whose each client process is; all may use so many ``processors``.

    ``usable`` is how many of these a process can use, by its number, where that is more than one.
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

    To a server that does not answer TCP sends again as well, and that is no sign of the network: such seconds tell of
    no segments, nor does the one after them, in which the server answers what was sent again.
    """

    def __init__(self) -> None:
        super().__init__()
        self._was_answered = True

    def add(self, reading: NetworkReading) -> None:
        was_answered, self._was_answered = self._was_answered, _is_answered(reading)
        tells = was_answered and self._was_answered
        super().add(reading if tells else replace(reading, segments=None, segments_again=None))

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
    """Whether TCP's traffic flows and comes back; where the system does not count it, nothing speaks against it."""
    sent, again, received = reading.segments, reading.segments_again or 0, reading.segments_received
    if sent is None:
        return True
    flows = sent >= _LEAST_PACKETS_PER_SECOND * reading.seconds
    is_heard = received is None or received >= _LEAST_ANSWERED_SHARE * sent
    return flows and is_heard and reading.segments_unanswered <= _MOST_UNANSWERED_SHARE * again


def _lost_pct(of_each: Sequence[tuple[float, int, int]]) -> float | None:
    """Of the seconds, what was sent in them and what of it was lost: the part that was lost where traffic flows.

    Unknown where it flows for less than half of the time.
    """
    flowing = [each for each in of_each if each[1] >= _LEAST_PACKETS_PER_SECOND * each[0]]
    seconds, sent, lost = (sum(each[index] for each in flowing) for index in range(3))
    if not flowing or seconds < _LEAST_FLOWING_SHARE * sum(each[0] for each in of_each):
        return None
    return 100 * lost / sent


class VitalsWindow:
    """What the client processes told of themselves; ``labels`` say whose each of them is. Moments are monotonic."""

    def __init__(self, labels: Mapping[int, str]) -> None:
        self._labels = labels
        self._signs: dict[int, deque[VitalSigns]] = {}
        self._new: list[VitalSigns] = []

    def add(self, signs: VitalSigns) -> None:
        self._signs.setdefault(signs.process, deque()).append(signs)
        self._new.append(signs)

    def forget(self, before: float, *, all_but: Pids) -> None:
        """Drop what was told before a moment, and all of processes that are gone."""
        for process, told in tuple(self._signs.items()):
            while told and told[0].told_at < before:
                told.popleft()
            if process not in all_but:
                del self._signs[process]

    def take_new(self) -> list[VitalSigns]:
        """What was told since the last call."""
        new, self._new = self._new, []
        return new

    def last(self, new: Sequence[VitalSigns]) -> Readings:
        """Of what ``take_new`` gave; a process that stood still often speaks twice at once thereafter."""
        by_process: dict[int, list[VitalSigns]] = {}
        for signs in new:
            by_process.setdefault(signs.process, []).append(signs)
        return self._taken_together(by_process)

    def whole(self) -> Readings:
        return self._taken_together(self._signs)

    def heartbeat_ms(self) -> dict[int, float]:
        """How late a heartbeat of each process comes (p99)."""
        return {process: late for process, told in self._signs.items() if (late := _late_ms(told)) is not None}

    def _taken_together(self, by_process: Mapping[int, Sequence[VitalSigns] | deque[VitalSigns]]) -> Readings:
        measures: dict[str, Callable[[Sequence[VitalSigns] | deque[VitalSigns]], float | None]] = {
            HEARTBEAT: _late_ms,
            WAITED: _waiting_ms,
            TICK: lambda told: max((signs.tick_late_ms for signs in told), default=None),
            GC_PAUSE: lambda told: max((signs.longest_gc_pause_ms for signs in told), default=None),
        }
        taken = {}
        for name, measure in measures.items():
            known = {process: measure(told) for process, told in by_process.items()}
            highest = _highest({process: value for process, value in known.items() if value is not None}, self._labels)
            if highest is not None:
                taken[name] = highest
        return taken


def _late_ms(told: Sequence[VitalSigns] | deque[VitalSigns]) -> float | None:
    late_us = percentile_us(merge(unpack(signs.heartbeat) for signs in told), 99)
    return None if late_us is None else round(late_us / 1000, 3)


def _waiting_ms(told: Sequence[VitalSigns] | deque[VitalSigns]) -> float | None:
    """How long an order's answers waited for the workstation; 0 where that is nothing beside its response time.

    What a user's own thread waits between its orders is in it as well, as nobody counts it apart.
    """
    waited_ms = sum(signs.users_waited_ms or 0.0 for signs in told)
    orders, order_ms = sum(signs.orders for signs in told), sum(signs.order_ms for signs in told)
    if not orders:
        return None
    return waited_ms / orders if waited_ms > _LEAST_WAITING_SHARE * order_ms else 0.0


def _highest(values: Mapping[int, float], labels: Mapping[int, str]) -> Reading | None:
    process = max(values, key=values.__getitem__, default=None)
    return None if process is None else Reading(values[process], labels[process], process)
