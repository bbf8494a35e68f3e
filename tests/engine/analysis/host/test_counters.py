"""What a counter of Windows or ESX counts, by its name."""

import numpy as np
import pytest

from engine.analysis.host.counters import quantity_of, with_known_unit
from engine.analysis.host.series import HostSeries
from engine.telemetry.host_figure import HostFigure


def a_series(name: str, unit: str, value: float) -> HostSeries:
    return HostSeries(
        source="r630", device="0 C:", name=name, unit=unit, utc_seconds=np.array([1.0]), values=np.array([value])
    )


@pytest.mark.parametrize(
    ("counter", "unit", "shown"),
    [
        ("PhysicalDisk: Avg. Disk sec/Read", "ms", 2_000),
        ("SMB Client Shares: Avg. sec/Data Request", "ms", 2_000),
        ("SQLServer:Locks: Average Wait Time (ms)", "ms", 2),
        ("Physical Disk Path: Average Driver MilliSec/Command", "ms", 2),
        ("SQLServer:Databases: Log Flush Wait Time (us)", "ms", 0.002),
        ("Memory: Available MBytes", "MB", 2),
        ("Memory: Available KBytes", "MB", 2 / 1024),
        ("Process: Working Set Bytes", "MB", 2 / 1024**2),
        ("SQLServer:Databases: Log Bytes Flushed/sec", "MB/s", 2e-6),
        ("Network Port: MBits Received/sec", "Mb/s", 2),
        ("Paging File: % Usage", "%", 2),
        ("SQLServer:Buffer Manager: Buffer cache hit ratio", "%", 2),
        ("SQLServer:Buffer Manager: Page life expectancy", "s", 2),
        ("System: Context Switches/sec", "1/s", 2),
        ("System: Processor Queue Length", "count", 2),
        ("SQLServer:General Statistics: User Connections", "count", 2),
        ("Processor Information: Processor Frequency", "MHz", 2),
        ("Some Object: Something else", "", 2),
    ],
)
def test_quantity_has_the_unit_in_the_counters_name(counter: str, unit: str, shown: float) -> None:
    object_name, _, name = counter.rpartition(": ")
    quantity = quantity_of(object_name, name)
    assert quantity.unit == unit
    assert quantity.convert(2.0) == pytest.approx(shown)


def test_idle_time_becomes_utilisation() -> None:
    quantity = quantity_of("PhysicalDisk", "% Idle Time")
    assert quantity.figure is HostFigure.DISK_UTILISATION
    assert quantity.convert(30.5) == 69.5


@pytest.mark.parametrize(
    ("kept", "shown"),
    [
        (("PhysicalDisk: Avg. Disk sec/Read", "", 0.0034), ("Disk read latency", "ms", 3.4)),
        (("PhysicalDisk: Disk Read Bytes/sec", "1/s", 6.5e6), ("Disk read throughput", "MB/s", 6.5)),
        (("Memory: Available MBytes", "", 20_480), ("Memory: Available MBytes", "MB", 20_480)),
        (("Memory: Available KBytes", "", 20_480), ("Memory: Available KBytes", "MB", 20)),
        (("Disk reads", "1/s", 100), ("Disk reads", "ops/s", 100)),
        (("Power", "W", 300), ("Power", "W", 300)),
        (("System: Context Switches/sec", "1/s", 7), ("System: Context Switches/sec", "1/s", 7)),
        (("Some Object: Something else", "", 5), ("Some Object: Something else", "", 5)),
        (("of a file of its own", "", 5), ("of a file of its own", "", 5)),
    ],
)
def test_stored_series_get_known_units(kept: tuple[str, str, float], shown: tuple[str, str, float]) -> None:
    today = with_known_unit(a_series(*kept))
    assert (today.name, today.unit, today.values[0]) == (*shown[:2], pytest.approx(shown[2]))
    again = with_known_unit(today)
    assert (again.name, again.unit, again.values[0]) == (today.name, today.unit, today.values[0])
