"""Monitors during a run whether the workstation itself limits it or distorts what it measures.

Called by ``Run`` on its collector thread; a check takes well under a millisecond per process and never blocks. Findings
become warnings of the run: each saturation interval has one event, which is emitted again, at most once a second, when
its worst value has grown notably, and once more when the interval ends. The load, and every interval that is not over,
are written every second. So the findings are in the library even if the run is killed.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.analysis.headline import Headline
from engine.driver.clock_monitor import ClockFinding, ClockMonitor
from engine.driver.cpu_meter import CpuMeter, Meter, Pids, usable_processors
from engine.driver.messages import HealthReport
from engine.driver.monitor_windows import WINDOW_SECONDS, CpuWindow, HealthWindow, NetworkWindow
from engine.driver.network_meter import NetworkMeter, NetworkReading
from engine.driver.process_health import LATE_TICK_MS
from engine.driver.saturation import (
    CLIENT,
    CLIENTS,
    LIMITS,
    MACHINE,
    TICK,
    Cause,
    interval_data,
    interval_detail,
    interval_label,
    interval_record,
)
from engine.driver.saturation_intervals import Readings, SaturationDetector, SaturationInterval
from engine.driver.timebase import Timebase
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.workstation import SaturationRecord, WorkstationLoad

EVERY_SECONDS = 1.0
# Each of 24 processes has 12 heartbeats a second, and a p99 needs some sixty.
HEALTH_AFTER_SECONDS = 5.0


@dataclass(frozen=True, kw_only=True)
class Meters:
    """What reads the system; ``processors`` is how many this process, and so its client processes, may use."""

    cpu: Meter
    network: Callable[[Pids], NetworkReading | None]
    clocks: ClockMonitor
    processors: int


def real_meters(labels: Mapping[int, str]) -> Meters:
    """The meters of this machine, for the client processes of these labels."""
    return Meters(cpu=CpuMeter(), network=NetworkMeter(), clocks=ClockMonitor(labels), processors=usable_processors())


class WorkstationMonitor:
    """``labels`` name the clients of each process, by its number. ``emit`` adds an event to the run and returns its
    number; an event that has a number already replaces the earlier one. ``write`` gets the load and the saturation
    intervals; the load's heartbeats are by the numbers of the processes. ``clock`` is monotonic.
    """

    def __init__(
        self,
        labels: Mapping[int, str],
        headline: Headline,
        emit: Callable[[RunEvent], int],
        write: Callable[[WorkstationLoad | SaturationRecord], None],
        *,
        meters: Meters | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._headline = headline
        self._emit = emit
        self._write = write
        self._meters = meters or real_meters(labels)
        self._clock = clock
        self._next_check = clock()
        self._timebase = Timebase(self._next_check)
        self._checked_at = 0.0
        self._ordering_since: float | None = None
        self._cpu = CpuWindow(labels, self._meters.processors)
        self._network = NetworkWindow()
        self._health = HealthWindow(labels)
        self._detectors = {cause: SaturationDetector(limits) for cause, limits in LIMITS.items()}

    def begin(self, timebase: Timebase) -> None:
        """The epoch of the run, its second 0, is known."""
        self._timebase = timebase

    def receive(self, report: HealthReport) -> None:
        """Take a client process's report."""
        now = self._clock()
        for finding in self._meters.clocks.received(report.process, report.sent_at, now):
            self._emit(_clock_event(max(0.0, self._timebase.at(now)), finding, self._headline.units))
        self._cpu.usable[report.process] = report.usable_processors
        self._health.add(report)

    @property
    def clock_offsets_ms(self) -> Mapping[int, float]:
        """How far each client process's clock is from the run's, see ``ClockMonitor``."""
        return self._meters.clocks.offsets_ms

    def check(self, pids: Pids, *, orders: bool) -> None:
        """Take the readings when a second is over, and emit what they show.

        ``orders`` says whether users place orders already: before that nobody waits for an answer.
        """
        now = self._clock()
        if now < self._next_check:
            return
        self._next_check = now + EVERY_SECONDS
        at = max(0.0, self._timebase.at(now))
        for finding in self._meters.clocks.check():
            self._emit(_clock_event(at, finding, self._headline.units))
        self._check_cpu(pids, at)
        self._check_network(pids, at)
        self._check_health(pids, at, orders=orders)
        self._checked_at = at
        if self._cpu.seconds:
            self._write_load(at)

    def close(self) -> None:
        """The run is over, and with it every interval that has not ended."""
        for cause, detector in self._detectors.items():
            interval = detector.end()
            if interval is not None:
                self._emit_interval(cause, interval)

    def _check_cpu(self, pids: Pids, at: float) -> None:
        reading = self._meters.cpu(pids)
        if reading is None or reading.seconds <= 0:
            return
        self._cpu.add(reading)
        whole = self._cpu.whole() if self._cpu.seconds >= WINDOW_SECONDS else {}
        for cause in (Cause.BOTTLENECK, Cause.BUSY):
            self._judge(cause, at, self._cpu.last(), whole)

    def _check_network(self, pids: Pids, at: float) -> None:
        reading = self._meters.network(pids)
        if reading is None:
            return
        self._network.add(reading)
        whole = self._network.whole() if self._network.seconds >= WINDOW_SECONDS else {}
        self._judge(Cause.NETWORK, at, self._network.last(), whole)

    def _check_health(self, pids: Pids, at: float, *, orders: bool) -> None:
        new = self._health.take_new()
        if not orders:
            self._ordering_since = None
        elif self._ordering_since is None:
            self._ordering_since = at
        first = max(self._ordering_since or 0.0, at - WINDOW_SECONDS)
        self._health.forget(self._timebase.moment(first), all_but=pids)
        if self._ordering_since is None:
            return
        last, whole = self._health.last(new), {}
        if at - self._ordering_since >= HEALTH_AFTER_SECONDS:
            machine = {MACHINE: self._cpu.last()[MACHINE]} if self._cpu.seconds else {}
            whole = {**self._health.whole(), **machine}
        # A process that stood still sent no reports meanwhile: the one that it sends now covers all that time.
        late_ms = last[TICK].value if TICK in last else 0.0
        stood_still_seconds = late_ms / 1000 if late_ms > LATE_TICK_MS else 0.0
        began = max(self._ordering_since, self._checked_at - stood_still_seconds)
        self._judge(Cause.DISTORTION, at, last, whole, began=began)

    def _judge(self, cause: Cause, at: float, last: Readings, whole: Readings, *, began: float | None = None) -> None:
        window_from = max(0.0, at - WINDOW_SECONDS)
        began = self._checked_at if began is None else began
        interval = self._detectors[cause].update(began=began, at=at, last=last, window=whole, window_from=window_from)
        if interval is not None:
            self._emit_interval(cause, interval)
        elif (present := self._detectors[cause].present) is not None:
            self._write(interval_record(cause, present))

    def _emit_interval(self, cause: Cause, interval: SaturationInterval) -> None:
        interval.number = self._emit(
            RunEvent(
                at_seconds=round(interval.since, 3),
                kind=EventKind.WARNING,
                code=cause.value,
                data=interval_data(cause, interval, self._headline),
                label=interval_label(cause, interval, self._headline),
                detail=interval_detail(cause, interval, self._headline),
                number=interval.number,
            )
        )
        self._write(interval_record(cause, interval))

    def _write_load(self, at: float) -> None:
        use = self._cpu.whole()
        present = [(cause, detector.present) for cause, detector in self._detectors.items()]
        self._write(
            WorkstationLoad(
                second=int(at),
                machine_pct=round(use[MACHINE].value, 1),
                clients_pct=round(use[CLIENTS].value, 1),
                busiest_process_pct=round(use[CLIENT].value, 1),
                is_bottleneck=self._detectors[Cause.BOTTLENECK].present is not None,
                heartbeat_ms=self._health.heartbeat_ms(),
                remarks=tuple(
                    interval_label(cause, interval, self._headline)
                    for cause, interval in present
                    if interval is not None
                ),
            )
        )


def _clock_event(at: float, finding: ClockFinding, units: str) -> RunEvent:
    return RunEvent(
        at_seconds=round(at, 3),
        kind=EventKind.WARNING,
        code=finding.code,
        data=finding.data,
        label=finding.label,
        detail=finding.detail.format(units=units),
    )
