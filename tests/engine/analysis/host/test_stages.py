"""Processors and idle disks by stage."""

from datetime import UTC, datetime

import numpy as np
import pytest

from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.series import HostSeries
from engine.analysis.host.stages import stage_hosts
from engine.record.totals import StageTotals
from engine.telemetry.host_figure import HostFigure

STARTED_AT = datetime(2026, 11, 21, 14, 5, tzinfo=UTC)
STAGES = tuple(
    StageTotals(number=number, users=10 * number, first_second=20 * number, seconds=10, headline=100, count=100)
    for number in (1, 2, 3)
)


def series(figure: HostFigure, device: str, by_stage: tuple[float, ...]) -> HostSeries:
    """A value a second over the stages, with their settling times before them."""
    values = np.repeat(np.array(by_stage), 20)
    times = STARTED_AT.timestamp() + 11 + np.arange(len(values), dtype=np.float64)
    return HostSeries(
        source="db1", device=device, name=figure.value, unit="%", utc_seconds=times, values=values.astype(np.float64)
    )


def test_each_host_has_its_processors_and_the_idle_time_of_its_busiest_disk() -> None:
    measured = HostMeasurement(
        number=1,
        kind="live",
        file_name="db1",
        series=(
            series(HostFigure.CPU, "", (20.0, 60.0, 99.0)),
            series(HostFigure.CPU, "3", (100.0, 100.0, 100.0)),
            series(HostFigure.DISK_UTILISATION, "sda", (10.0, 30.0, 20.0)),
            series(HostFigure.DISK_UTILISATION, "sdb", (5.0, 40.0, 10.0)),
            series(HostFigure.MEMORY_USED, "", (50.0, 50.0, 50.0)),
        ),
    )
    cpu, idle = stage_hosts(STAGES, STARTED_AT, [measured])
    assert (cpu.label, idle.label) == ("CPU db1", "Disk idle db1")
    assert cpu.values == pytest.approx((20, 60, 99), abs=0.1)
    assert idle.values == pytest.approx((90, 60, 80), abs=0.1)


def test_what_was_not_read_in_a_stage_is_unknown() -> None:
    measured = HostMeasurement(number=1, kind="sar", file_name="sar", series=(series(HostFigure.CPU, "", (20.0,)),))
    (cpu,) = stage_hosts(STAGES, STARTED_AT, [measured])
    assert cpu.values[1:] == (None, None)
    assert stage_hosts(STAGES, STARTED_AT, []) == []
