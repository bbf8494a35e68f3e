from dataclasses import replace

import numpy as np
import pytest

from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.power import DeviceWatts
from engine.analysis.host.series import HostSeries
from engine.record.record import Phases
from engine.report.run_power import WattsOver, run_watts
from tests.doubles.samples import with_orders
from tests.engine.events import suspended
from tests.engine.report.reported import STARTED_AT, WARM_SECONDS, a_plan, a_reported_run, samples_of

EPOCH = STARTED_AT.timestamp()


def a_meter(watts: dict[int, float], *, device: str = "Server", shift_seconds: float = 0.0) -> HostMeasurement:
    """Watts by the second of the run at whose end they were read."""
    series = HostSeries(
        source="meter",
        device=device,
        name="Power",
        unit="W",
        utc_seconds=np.array([EPOCH + second for second in watts], dtype=np.float64),
        values=np.array(list(watts.values()), dtype=np.float64),
    )
    return HostMeasurement(
        number=1, kind="power meter", file_name="meter.csv", series=(series,), shift_seconds=shift_seconds
    )


def test_a_meter_goes_before_what_was_typed_and_idle_stays() -> None:
    run = a_reported_run()
    meter = a_meter({second: 100.0 if second <= WARM_SECONDS else 400.0 for second in range(1, 10)})
    typed = (
        DeviceWatts(device="server", active_watts=1.0, idle_watts=90.0),
        DeviceWatts(device="disks", active_watts=50),
    )
    watts = run_watts(run.record, run.data, [meter], typed)
    assert watts.devices == (
        DeviceWatts(device="server", active_watts=400.0, idle_watts=90.0),
        DeviceWatts(device="disks", active_watts=50),
    )
    assert watts.remarks == ()


def test_a_device_that_only_the_meter_knows_stands_behind() -> None:
    run = a_reported_run()
    watts = run_watts(run.record, run.data, [a_meter(dict.fromkeys(range(1, 10), 200.0), device="")], ())
    assert watts.devices == (DeviceWatts(device="meter", active_watts=200.0),)


def test_a_machine_is_read_by_its_best_meters_whose_channels_are_added_up() -> None:
    """A server with a meter for each of its two power supplies, whose controller averages; and external storage."""
    accesses = {1: "serial_meter", 2: "serial_meter", 3: "redfish", 4: "prometheus"}
    machines = [
        {"name": "server", "sources": [{"collector": number, "access": accesses[number]} for number in (1, 2, 3)]},
        {"name": "storage", "sources": [{"collector": 4, "access": accesses[4]}]},
    ]
    run = a_reported_run()
    record = replace(run.record, environment={**run.record.environment, "machines": machines})

    def live(collector: int, machine: str, *channels: tuple[str, float]) -> HostMeasurement:
        series = tuple(
            replace(a_meter(dict.fromkeys(range(1, 10), watts)).series[0], source=machine, device=device)
            for device, watts in channels
        )
        return HostMeasurement(number=collector, kind="live", file_name=machine, series=series, collector=collector)

    host = [
        live(1, "server", ("", 150.0)),
        live(2, "server", ("", 140.5)),
        live(3, "server", ("", 250.0)),
        live(4, "storage", ("1", 90.0), ("2", 99.5)),
    ]
    typed = (DeviceWatts(device="Server", idle_watts=181.0),)
    assert run_watts(record, run.data, host, typed).devices == (
        DeviceWatts(device="Server", active_watts=290.5, idle_watts=181.0),
        DeviceWatts(device="storage", active_watts=189.5),
    )


def test_the_shift_of_a_clock_counts() -> None:
    run = a_reported_run()
    behind = a_meter({second - 90: 300.0 for second in range(1, 10)}, shift_seconds=90)
    assert run_watts(run.record, run.data, [behind], ()).devices[0].active_watts == 300.0


def test_a_gap_is_reported_and_a_clock_that_is_off_leaves_what_was_typed() -> None:
    run = a_reported_run()
    typed = (DeviceWatts(device="Server", active_watts=310),)
    gap = run_watts(run.record, run.data, [a_meter({1: 200.0, 2: 200.0, 3: 200.0, 4: 200.0, 9: 200.0})], ())
    assert gap.remarks == ("Watts of Server: values are known for 33 % of the span; the gaps are left out.",)
    off = run_watts(run.record, run.data, [a_meter({5_000: 1.0, 5_001: 1.0})], typed)
    assert off.devices == typed
    assert off.remarks == ("Watts of Server: no value lies in the span; check the clock and shift the series.",)


def test_a_suspend_of_the_workstation_is_reported_where_a_meter_measured() -> None:
    told = suspended(5, 120)
    run = a_reported_run(events=[told])
    meters = [a_meter(dict.fromkeys(range(1, 10), 200.0), device=device) for device in ("a", "b")]
    (remark,) = run_watts(run.record, run.data, meters, ()).remarks
    assert remark.startswith("The workstation was suspended for 120.0 s at 0:02.")
    typed = (DeviceWatts(device="Server", active_watts=310),)
    assert run_watts(run.record, run.data, [], typed).remarks == ()


@pytest.mark.parametrize(("over", "active"), [(WattsOver.MEASURED, 250.0), (WattsOver.PEAK, 300.0)])
def test_watts_are_averaged_over_the_part_that_is_asked_for(over: WattsOver, active: float) -> None:
    first = samples_of((10,))[0]
    samples = [replace(with_orders(first, 10 if second < 13 else 20), second=second) for second in range(23)]
    phases = Phases(warming_up_from=1, measuring_from=3, measuring_to=23)
    run = a_reported_run(samples=samples, plan=a_plan(clients=1), phases=phases)
    meter = a_meter({second: 200.0 if second <= 13 else 300.0 for second in range(1, 25)})
    assert run_watts(run.record, run.data, [meter], (), over).devices[0].active_watts == active


def test_other_counters_are_no_watts() -> None:
    run = a_reported_run()
    series = HostSeries(
        source="db1", device="", name="CPU", unit="%", utc_seconds=np.array([EPOCH + 5]), values=np.array([50.0])
    )
    host = HostMeasurement(number=1, kind="sar", file_name="sar.csv", series=(series,))
    assert run_watts(run.record, run.data, [host], ()).devices == ()
