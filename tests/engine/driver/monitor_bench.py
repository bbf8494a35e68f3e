"""A workstation watch whose clock and readings the test sets."""

from collections.abc import Mapping

from engine.analysis.headline import headline_of
from engine.driver.clock_monitor import ClockMonitor, Clocks
from engine.driver.cpu_meter import CpuReading, Pids
from engine.driver.messages import HealthReport
from engine.driver.network_meter import NetworkReading
from engine.driver.timebase import Timebase
from engine.driver.workstation_monitor import Meters, WorkstationMonitor
from engine.histogram import bucket_of, pack
from engine.telemetry.event import RunEvent
from engine.telemetry.workstation import SaturationRecord, WorkstationLoad

LABELS = {number: f"client ds2_{number}" for number in (1, 2, 3, 4)}
PIDS = {number: 100 + number for number in LABELS}
EPOCH = 50.0


def health_report(
    client: int, sent_at: float, late_ms: float, *, waited_ms: float = 0.0, tick_late_ms: float = 0.5
) -> HealthReport:
    """The reports of a client whose heartbeats are so late; if it is ds2_3, its ten orders of 20 ms wait that long."""
    return HealthReport(
        process=client,
        sent_at=sent_at,
        heartbeat=pack({bucket_of(round(1000 * late_ms)): 100}),
        longest_gc_pause_ms=7.0 if client == 2 else 0.0,
        run_queue_ms=4 * waited_ms,
        answers_waited_ms=10 * waited_ms if client == 3 else 0.0,
        orders=10,
        order_ms=200.0,
        tick_late_ms=tick_late_ms,
        usable_processors=2 if client == 3 else 1,
    )


class Bench:
    """A watch whose clock and readings the test sets; ``events`` are those of the run, by number."""

    def __init__(self, processors: int = 4) -> None:
        self.now = EPOCH
        self.events: dict[int, RunEvent] = {}
        self.reports: list[str] = []
        self.used: Mapping[int, float] = {}
        self.machine_pct = 0.0
        self.network: NetworkReading | None = None
        self.suspended = 0.0
        self.clocks_ahead = 0.0
        self.silent: int | None = None
        clocks = ClockMonitor(LABELS, lambda: Clocks(self.now, self.now + self.suspended, self.now + self.suspended))
        meters = Meters(cpu=self.read, network=lambda _: self.network, clocks=clocks, processors=processors)
        self.written: list[WorkstationLoad | SaturationRecord] = []
        self.monitor = WorkstationMonitor(
            LABELS, headline_of("dvdstore"), self.emit, self.write, meters=meters, clock=lambda: self.now
        )
        self.monitor.begin(Timebase(EPOCH))

    def emit(self, event: RunEvent) -> int:
        number = event.number or len(self.events) + 1
        self.events[number] = event
        self.reports.append(event.label)
        return number

    def write(self, report: WorkstationLoad | SaturationRecord) -> None:
        self.written.append(report)

    @property
    def load(self) -> WorkstationLoad | None:
        return next((each for each in reversed(self.written) if isinstance(each, WorkstationLoad)), None)

    @property
    def intervals(self) -> dict[int, SaturationRecord]:
        """The saturation intervals as they were written last, by the numbers of their events."""
        return {each.number: each for each in self.written if isinstance(each, SaturationRecord)}

    def read(self, pids: Pids) -> CpuReading:
        assert pids == PIDS
        return CpuReading(seconds=1.0, machine_pct=self.machine_pct, processes_pct=self.used)

    def after(self, seconds: int, used: Mapping[int, float], machine_pct: float = 50.0) -> list[str]:
        """The events while the clients used this share of the processors for this time."""
        self.used, self.machine_pct = used, machine_pct
        before = len(self.reports)
        for _ in range(seconds):
            self.now += 1.0
            self.monitor.check(PIDS, orders=False)
        return self.reports[before:]

    def beating(self, seconds: int, late_ms: float, *, waited_ms: float = 0.0, orders: bool = True) -> list[str]:
        """The events while the heartbeats of ds2_3 were so late and its orders waited so long."""
        before = len(self.reports)
        for _ in range(seconds):
            self.now += 1.0
            for client in LABELS:
                if client == self.silent:
                    continue
                sent_at = self.now - 0.01 * client + self.clocks_ahead
                self.monitor.receive(
                    health_report(client, sent_at, late_ms if client == 3 else 0.1, waited_ms=waited_ms)
                )
            self.monitor.check(PIDS, orders=orders)
        return self.reports[before:]


def evenly(pct: float) -> dict[int, float]:
    return dict.fromkeys(LABELS, pct)
