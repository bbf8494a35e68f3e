"""The watts of a published comparison of hard disks with SSDs, from metered series to the report's table.

Published are the sums over server and external storage of the median runs; how they divide between the two is ours. The
difference of the idle watts was published as -51.0 %; the sums as they are quoted give -51.1 %.
"""

from dataclasses import replace

import numpy as np

from engine.analysis.host.idle_watts import IdleWatts, with_idle_watts
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.power import power_figures
from engine.analysis.host.series import HostSeries
from engine.record.totals import Totals
from engine.report.cost_and_power import power_sections
from engine.report.results import Result
from engine.report.run_power import WattsOver, run_watts
from tests.doubles.samples import OPM
from tests.engine.report.reported import STARTED_AT, WARM_SECONDS, a_reported_run, blocks_of, rows_of, table_of

SWING = 12.5


def metered(collector: int, machine: str, watts: float) -> HostMeasurement:
    """A meter's readings, second by second: as idle until measuring begins, then around the mean."""
    seconds = np.arange(1, 10, dtype=np.float64)
    swing = np.where(seconds % 2 == 0, SWING, -SWING)
    swing[seconds <= WARM_SECONDS] = -watts / 2
    swing[-1] -= swing[seconds > WARM_SECONDS].sum()
    series = HostSeries(
        source=machine,
        device="",
        name="Power",
        unit="W",
        utc_seconds=STARTED_AT.timestamp() + seconds,
        values=watts + swing,
    )
    return HostMeasurement(number=collector, kind="live", file_name=machine, series=(series,), collector=collector)


def a_result(name: str, opm: int, active: tuple[float, float], idle: tuple[float, float]) -> Result:
    run = a_reported_run()
    machines = [
        {"name": machine, "sources": [{"collector": number, "access": "serial_meter"}]}
        for number, machine in enumerate(("server", "storage"), start=1)
    ]
    record = replace(run.record, environment={**run.record.environment, "machines": machines})
    host = [metered(1, "server", active[0]), metered(2, "storage", active[1])]
    measured = [
        IdleWatts.of(machine, "Extech 380803", [watts - 0.5, watts, watts + 0.5], is_average=False)
        for machine, watts in zip(("server", "storage"), idle, strict=True)
    ]
    watts = run_watts(record, run.data, host, with_idle_watts((), measured))
    assert watts.remarks == ()
    return Result(headline=OPM, name=name, totals=Totals(headline_rate=opm), power=power_figures(watts.devices, opm))


def test_opm_per_watt_and_the_differences_are_those_published() -> None:
    disks = a_result("HDD", 146_931, active=(290.0, 193.8), idle=(181.0, 189.5))
    ssds = a_result("SSD", 281_741, active=(210.0, 116.4), idle=(110.0, 71.0))
    blocks = blocks_of(power_sections([disks, ssds], WattsOver.MEASURED))
    assert rows_of(table_of(blocks, "OPM per watt")) == [
        ("HDD", "483.8", "370.5", "146 931", "303.7", "–", "–", "–"),
        ("SSD", "326.4", "181.0", "281 741", "863.2", "−32.5 %", "−51.1 %", "+184.2 %"),
    ]
    assert rows_of(table_of(blocks, "Watts of each device")) == [
        ("HDD", "server", "290.0", "181.0", "–", "–"),
        ("HDD", "storage", "193.8", "189.5", "–", "–"),
        ("SSD", "server", "210.0", "110.0", "−27.6 %", "−39.2 %"),
        ("SSD", "storage", "116.4", "71.0", "−39.9 %", "−62.5 %"),
    ]
