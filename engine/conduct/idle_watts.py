"""Measures the watts of machines while nobody drives them; each machine is read by the best of its meters.

Called by ``spindle machine watts``, and by a campaign's step that idles.
"""

import threading
import time
from collections.abc import Callable, Sequence

from engine.analysis.host.idle_watts import IdleWatts
from engine.collect.collector import Collector
from engine.collect.source import Source
from engine.collect.sources import sources_of
from engine.collect.sources.metric_rules import rule_of
from engine.databases.database import IsCancelled, Progress, ReportProgress
from engine.errors import BadInput, Cancelled, UserError
from engine.machines.access import Access, AccessKind, PrometheusAccess
from engine.machines.machine import Machine
from engine.secrets import Secret
from engine.telemetry.host import HostReading
from engine.telemetry.host_figure import HostFigure
from engine.typed_text import time_text

# The meters in the order in which they are preferred; controllers give slow averages.
_METERS = (
    AccessKind.SERIAL_METER,
    AccessKind.SNMP,
    AccessKind.PROMETHEUS,
    AccessKind.REDFISH,
    AccessKind.IPMI,
)
_POLL_SECONDS = 0.5
_END_SECONDS = 2.0

FindSecret = Callable[[str], Secret | None]


def meter_of(machine: Machine) -> Access:
    """The access by which a machine's watts are read. Raises ``BadInput`` for a machine that has none."""
    found = [each for each in machine.accesses if each.kind in _METERS and _tells_power(each)]
    if not found:
        has = ", ".join(dict.fromkeys(each.title for each in machine.accesses)) or "no access at all"
        raise BadInput(
            f"machine '{machine.name}' has no access that tells its watts (it has {has}); add a serial meter, SNMP,"
            " Redfish or IPMI to it, or a Prometheus rule named Power."
        )
    return min(found, key=lambda access: _METERS.index(access.kind))


def measure_idle_watts(
    machines: Sequence[Machine],
    find_secret: FindSecret,
    seconds: float,
    *,
    report_progress: ReportProgress,
    cancelled: IsCancelled,
) -> tuple[IdleWatts, ...]:
    """Read the machines for so long; the devices are named by their meters' channels, else by their machines.

    Raises ``BadInput`` for a machine without a meter, before anything is read, ``UserError`` for one of which no watts
    were read, and ``Cancelled``.
    """
    readers = [_Reader(number, machine, find_secret) for number, machine in enumerate(machines, start=1)]
    stop = threading.Event()
    threads = [threading.Thread(target=reader.run, args=(stop,), name=f"watts-{reader.machine}") for reader in readers]
    began = time.monotonic()
    try:
        for thread in threads:
            thread.start()
        while (passed := time.monotonic() - began) < seconds:
            if cancelled():
                raise Cancelled
            now = ", ".join(reader.now for reader in readers)
            report_progress(Progress(doing=f"measuring idle watts: {now}", share=passed / seconds))
            time.sleep(min(_POLL_SECONDS, seconds - passed))
    finally:
        stop.set()
        for thread in threads:
            thread.join(_END_SECONDS)
    return tuple(each for reader in readers for each in reader.measured(seconds))


class _Reader:
    """Reads one machine, and keeps the watts of each of its meter's channels."""

    def __init__(self, number: int, machine: Machine, find_secret: FindSecret) -> None:
        self.machine = machine.name
        access = meter_of(machine)
        secret = find_secret(access.secret_name) if access.secret_name else None
        self._source: Source = sources_of(access, secret, machine=machine.name)[0]
        self._collector = Collector(number, machine.name, self._source, self._take)
        self._watts: dict[str, list[float]] = {}
        self.now = f"{machine.name} not read yet"

    def run(self, stop: threading.Event) -> None:
        self._collector.run(stop)

    def measured(self, seconds: float) -> list[IdleWatts]:
        if not self._watts:
            message = self._collector.status().message.removeprefix(f"{self.machine}: ")
            why = f": {message}" if message else "; its meter has not answered yet: measure for longer."
            raise UserError(f"{self.machine} told no watts in {time_text(round(seconds, 1))}{why}")
        return [
            IdleWatts.of(device, self._source.name, watts, is_average=self._source.is_average)
            for device, watts in self._watts.items()
        ]

    def _take(self, reading: HostReading) -> None:
        now = [value for value in reading.values if value.name == HostFigure.POWER]
        for value in now:
            self._watts.setdefault(value.device or self.machine, []).append(value.value)
        if now:
            self.now = f"{self.machine} {sum(value.value for value in now):.1f} W"


def _tells_power(access: Access) -> bool:
    """An exporter tells the power if a rule says which of its metrics that is."""
    return not isinstance(access, PrometheusAccess) or any(
        rule_of(each).name == HostFigure.POWER for each in access.rules
    )
