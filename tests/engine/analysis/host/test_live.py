"""Readings of a running run: by second as a stored series has them, gaps, memory, and the watts of now."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.host.live import MOST_BINS, CounterKey, LiveCounter, LiveHosts
from engine.analysis.host.series import HostSeries, by_second
from engine.telemetry.host import CollectorStatus, HostReading
from engine.telemetry.host_figure import HostFigure
from tests.doubles.hosts import STARTED_AT, a_status, value

EPOCH = STARTED_AT.timestamp()
KEY = CounterKey(1, "", "CPU")


def hosts_of(*statuses: CollectorStatus) -> LiveHosts:
    hosts = LiveHosts()
    hosts.begin(EPOCH)
    for status in statuses:
        hosts.take(status)
    return hosts


def read_watts(hosts: LiveHosts, collector: int, second: float, **channels: float) -> None:
    values = tuple(value(HostFigure.POWER, watts, name) for name, watts in channels.items())
    hosts.take(HostReading(collector=collector, utc_seconds=EPOCH + second, values=values))


@given(
    times=st.lists(st.integers(1, 120), min_size=2, unique=True).map(sorted),
    interval=st.sampled_from([1, 5]),
    offset=st.sampled_from([0.0, 0.2, 0.5, 0.7]),
)
def test_a_reading_stands_for_the_seconds_for_which_a_stored_one_does(
    times: list[int], interval: int, offset: float
) -> None:
    at = [interval * second + offset for second in times]
    values = [float(second) for second in times]
    series = HostSeries(
        source="", device="", name="CPU", unit="%", utc_seconds=EPOCH + np.array(at), values=np.array(values)
    )
    counter = LiveCounter(KEY, "%")
    for moment, amount in zip(at, values, strict=True):
        counter.add(amount, moment, interval)
    if series.interval_seconds == interval:
        live = counter.by_second(700)
        stored = by_second(series, EPOCH, len(live))
        assert np.array_equal(live, stored, equal_nan=True)


def test_a_gap_stays_a_gap() -> None:
    counter = LiveCounter(KEY, "%")
    for second in (1, 2, 3, 9, 10):
        counter.add(second, second, 1.0)
    assert np.flatnonzero(np.isnan(counter.by_second(10))).tolist() == [3, 4, 5, 6, 7]


def test_a_late_or_unknown_reading_is_ignored() -> None:
    counter = LiveCounter(KEY, "%")
    counter.add(5, 10, 1.0)
    counter.add(7, 9, 1.0)
    counter.add(math.nan, 11, 1.0)
    assert (counter.newest, counter.newest_at, counter.mean) == (5, 10, 5)


@pytest.mark.parametrize("first", [1, 80_000])
def test_a_day_takes_no_more_memory_and_keeps_its_means(first: int) -> None:
    counter = LiveCounter(KEY, "%")
    for second in range(first, 86_401):
        counter.add(second % 2, second, 1.0)
    values = counter.by_second(86_400)
    assert len(counter._sums) <= MOST_BINS
    assert len(values) == 86_400
    assert np.nanmean(values) == pytest.approx(0.5, abs=5e-3)
    assert np.isnan(values[: max(0, first - 100)]).all()
    assert counter.mean == pytest.approx(0.5, abs=5e-3)


def test_readings_of_before_the_run_and_counters_without_a_chart_are_left_out() -> None:
    hosts = LiveHosts()
    hosts.take(HostReading(collector=1, utc_seconds=EPOCH, values=(value(HostFigure.CPU, 5),)))
    assert not hosts.counters
    hosts.begin(EPOCH)
    values = (value(HostFigure.CPU, 5), value(HostFigure.DISK_QUEUE, 3, "sda"))
    hosts.take(HostReading(collector=1, utc_seconds=EPOCH + 1, values=values))
    assert set(hosts.counters) == {KEY}


def test_watts_are_those_of_all_machines_now() -> None:
    hosts = hosts_of(a_status(1, "server"), a_status(2, "storage"))
    assert not hosts.has_power
    assert hosts.watts(0) is None
    read_watts(hosts, 1, 10, one=150, two=170)
    read_watts(hosts, 2, 10, all=84)
    assert hosts.has_power
    assert hosts.watts(10) == 404
    read_watts(hosts, 1, 20, one=150, two=170)
    assert hosts.watts(20) is None


def test_the_meters_of_one_kind_are_of_a_machines_parts() -> None:
    hosts = hosts_of(a_status(1, "server", source="SNMP"), a_status(2, "server", source="SNMP"))
    read_watts(hosts, 1, 10, all=90)
    read_watts(hosts, 2, 10, all=92)
    assert hosts.watts(10) == 182


def test_of_a_meter_and_a_management_controller_the_meter_counts() -> None:
    controller = a_status(1, "server", source="Redfish")
    hosts = hosts_of(
        CollectorStatus(
            number=1,
            machine="server",
            source="Redfish",
            state=controller.state,
            interval_seconds=10,
            is_average=True,
        ),
        a_status(2, "server"),
    )
    read_watts(hosts, 1, 10, all=300)
    assert hosts.watts(11) == 300
    read_watts(hosts, 2, 11, all=326)
    assert hosts.watts(11) == 326
    assert hosts.watts(18) == 300
