"""Measures the watts of machines while nobody drives them; each machine is read by its best meters.

Called by ``spindle machine watts``, and by a campaign's step that idles.
"""

import threading
import time
from collections.abc import Callable, Sequence

from engine.analysis.host.idle_watts import IdleWatts, together
from engine.collect.collector import Collector
from engine.collect.source import Source
from engine.collect.sources import sources_of
from engine.collect.sources.metric_rules import rule_of
from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.errors import BadInput, Cancelled, UserError
from engine.figure_text import planned_length
from engine.machines.access import Access, PrometheusAccess
from engine.machines.machine import Machine
from engine.machines.meters import best_meter
from engine.secrets import Secret
from engine.telemetry.host import HostReading
from engine.telemetry.host_figure import HostFigure

_POLL_SECONDS = 0.5
_END_SECONDS = 2.0

FindSecret = Callable[[str], Secret | None]


def meters_of(machine: Machine) -> tuple[Access, ...]:
    """The accesses by which a machine's watts are read: all of its best kind, such as a meter for each power supply.

    Raises ``BadInput`` for a machine that has none.
    """
    found = [each for each in machine.accesses if _tells_power(each)]
    best = best_meter(each.kind for each in found)
    if best is None:
        has = ", ".join(dict.fromkeys(each.title for each in machine.accesses)) or "no access at all"
        raise BadInput(
            f"machine '{machine.name}' has no access that tells its watts (it has {has}); add a serial meter, SNMP,"
            " Redfish or IPMI to it, or a Prometheus rule named Power."
        )
    return tuple(each for each in found if each.kind is best)


def measure_idle_watts(
    machines: Sequence[Machine],
    find_secret: FindSecret,
    seconds: float,
    *,
    report_progress: ReportProgress,
    cancelled: IsCancelled,
) -> tuple[IdleWatts, ...]:
    """Read the machines for so long; the watts of a machine's meters and of their channels are added up.

    Raises ``BadInput`` for a machine without a meter, before anything is read, ``UserError`` for one of which no watts
    were read, and ``Cancelled``.
    """
    readers = [_Reader(machine.name, access, find_secret) for machine in machines for access in meters_of(machine)]
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
    return tuple(
        together([reader.measured(seconds) for reader in readers if reader.machine == machine.name])
        for machine in machines
    )


class _Reader:
    """Reads one meter of a machine, and keeps the sum of its channels for each reading."""

    def __init__(self, machine: str, access: Access, find_secret: FindSecret) -> None:
        self.machine = machine
        secret = find_secret(access.secret_name) if access.secret_name else None
        self._source: Source = sources_of(access, secret, machine=machine)[0]
        self._collector = Collector(1, machine, self._source, self._take)
        self._channels = 0
        self._watts: list[float] = []
        self.now = f"{machine} not read yet"

    def run(self, stop: threading.Event) -> None:
        self._collector.run(stop)

    def measured(self, seconds: float) -> IdleWatts:
        if not self._watts:
            message = self._collector.status().message.removeprefix(f"{self.machine}: ")
            why = f": {message}" if message else "; its meter has not answered yet: measure for longer."
            raise UserError(f"{self.machine} told no watts in {planned_length(round(seconds, 1))}{why}")
        source = self._source
        return IdleWatts.of(self.machine, source.name, self._watts, is_average=source.is_average)

    def _take(self, reading: HostReading) -> None:
        watts = [value.value for value in reading.values if value.name == HostFigure.POWER]
        if len(watts) > self._channels:  # what lacked one of them was too low
            self._watts.clear()
            self._channels = len(watts)
        if watts and len(watts) == self._channels:
            self._watts.append(sum(watts))
            self.now = f"{self.machine} {sum(watts):.1f} W"


def _tells_power(access: Access) -> bool:
    """An exporter tells the power if a rule says which of its metrics that is."""
    return not isinstance(access, PrometheusAccess) or any(
        rule_of(each).name == HostFigure.POWER for each in access.rules
    )
