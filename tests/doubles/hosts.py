"""What collectors would have read of a lab's machines during a run: a primary, its standby, and a meter."""

from datetime import UTC, datetime

import numpy as np

from engine.analysis.run_data import RunData
from engine.telemetry.host import CollectorState, CollectorStatus, HostReading, HostValue
from engine.telemetry.host_figure import SESSIONS, HostFigure

STARTED_AT = datetime(2026, 11, 24, 9, 30, tzinfo=UTC)
MACHINES = ("db1", "db2", "rack meter")
GAP = range(100, 112)
_WAITS = {"Sessions running": 9, "Sessions waiting for IO": 4, "Sessions waiting for Lock": 1}
_INTERVALS = {1: 1.0, 2: 1.0, 3: 1.0, 4: 10.0}


def read_hosts(run: RunData, seconds: int | None = None) -> None:
    """Let four collectors read until the end of a run: db1, in which nothing is read for some seconds, db2, a meter,
    and a management controller that fails."""
    run.started_at = run.started_at or STARTED_AT
    epoch = run.started_at.timestamp()
    run.hosts.begin(epoch)
    for number, machine in enumerate(MACHINES, start=1):
        run.hosts.take(a_status(number, machine, offset_seconds=1.24 if machine == "db2" else 0.003))
    run.hosts.take(
        a_status(
            4,
            "db1",
            source="Redfish",
            state=CollectorState.FAILING,
            message="https://bmc1.lab did not answer within 8 s; check its address and its network.",
        )
    )
    random = np.random.default_rng(5)
    for second in range(1, (seconds or run.end) + 1):
        for number in (1, 2, 3):
            if number != 1 or second not in GAP:
                values = _values(number, second, random)
                run.hosts.take(HostReading(collector=number, utc_seconds=epoch + second, values=tuple(values)))


def read_second(run: RunData, second: int, random: np.random.Generator, machines: int) -> None:
    """Let each of so many machines be read at a second of the run."""
    for number in range(1, machines + 1):
        values = tuple(_values(1 + number % 2, second, random))
        run.hosts.take(HostReading(collector=number, utc_seconds=STARTED_AT.timestamp() + second, values=values))


def a_status(
    number: int,
    machine: str,
    *,
    source: str = "Linux over SSH",
    state: CollectorState = CollectorState.READING,
    message: str = "",
    offset_seconds: float | None = None,
) -> CollectorStatus:
    return CollectorStatus(
        number=number,
        machine=machine,
        source=source,
        state=state,
        message=message,
        interval_seconds=_INTERVALS.get(number, 1.0),
        offset_seconds=offset_seconds,
        offset_error_seconds=None if offset_seconds is None else 0.01,
    )


def value(figure: HostFigure, amount: float, device: str = "") -> HostValue:
    """One value of a figure, in its unit."""
    return HostValue(device, figure.value, figure.unit, amount)


def _values(number: int, second: int, random: np.random.Generator) -> list[HostValue]:
    if number == 3:
        return [value(HostFigure.POWER, random.normal(326, 4), "server"), value(HostFigure.POWER, 84.0, "storage")]
    share = 1.0 if number == 1 else 0.35
    return [
        value(HostFigure.CPU, min(100, random.normal(72 * share, 5))),
        value(HostFigure.DISK_UTILISATION, min(100, random.normal(88 * share, 6)), "sdb"),
        value(HostFigure.DISK_TRANSFERS, random.normal(3_400 * share, 200), "sdb"),
        value(HostFigure.DISK_UTILISATION, 2.0, "sda"),
        value(HostFigure.DISK_TRANSFERS, 12.0, "sda"),
        value(HostFigure.NETWORK_RECEIVED, random.normal(210 * share, 12), "eth0"),
        value(HostFigure.NETWORK_SENT, random.normal(480 * share, 25), "eth0"),
        value(HostFigure.NETWORK_SENT, 0.1, "lo"),
        value(HostFigure.NETWORK_RECEIVED, 0.1, "lo"),
        value(HostFigure.MEMORY_USED, 41.0 + second / 100),
        *(HostValue("", name, SESSIONS, float(random.poisson(share * mean))) for name, mean in _WAITS.items()),
    ]
