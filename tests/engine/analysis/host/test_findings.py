"""Findings about hosts: each rule just below and above its limit, in time and in value; hysteresis; gaps; faults."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.host.busy_times import Limit, busy_times
from engine.analysis.host.figures import UtcSpan
from engine.analysis.host.findings import FindingCode, HostFinding, host_findings
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.series import HostSeries
from engine.record.record import Phases, RunRecord
from engine.report.host_findings import finding_sentences, findings_json
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.host_figure import HostFigure
from tests.engine.report.reported import STARTED_AT, a_reported_run
from tests.texts import plain

EPOCH = STARTED_AT.timestamp()
MEASURING_FROM, MEASURING_TO = 60, 360
LIMIT = Limit(enter=95, leave=90, least_seconds=10)
SPAN = UtcSpan(first=EPOCH + MEASURING_FROM, end=EPOCH + MEASURING_TO)


def a_record() -> RunRecord:
    phases = Phases(warming_up_from=10, measuring_from=MEASURING_FROM, measuring_to=MEASURING_TO)
    return a_reported_run(phases=phases, samples=()).record


def of(figure: HostFigure, values: Mapping[int, float], device: str = "", source: str = "db1") -> HostSeries:
    """A figure at seconds of the run; a value stands for the second before."""
    return HostSeries(
        source=source,
        device=device,
        name=figure.value,
        unit=figure.unit,
        utc_seconds=np.array([EPOCH + second for second in values], dtype=np.float64),
        values=np.array(list(values.values()), dtype=np.float64),
    )


def each_second(value: float, high: float = 0.0, spans: Sequence[tuple[int, int]] = ()) -> dict[int, float]:
    """A value for every second of the run, ``high`` at ``first < second <= end`` of each span."""
    return {second: high if any(first < second <= end for first, end in spans) else value for second in range(1, 371)}


def measured(*series: HostSeries, file_name: str = "sar.csv", **more: Any) -> HostMeasurement:
    return HostMeasurement(number=1, kind="sar", file_name=file_name, series=series, **more)


def found_in(*series: HostSeries, events: Sequence[RunEvent] = ()) -> list[HostFinding]:
    return host_findings(a_record(), events, [measured(*series)])


def sentences_of(*series: HostSeries, events: Sequence[RunEvent] = ()) -> list[str]:
    return [plain(each) for each in finding_sentences(a_record(), events, [measured(*series)])]


def a_fault(at_seconds: float, number: int = 7) -> RunEvent:
    return RunEvent(at_seconds=at_seconds, kind=EventKind.MARK, label="Failover", number=number, is_fault=True)


def test_what_two_collectors_say_of_a_machine_is_reported_once() -> None:
    cpu = of(HostFigure.CPU, each_second(99))
    by_ssh, by_exporter = (measured(cpu, file_name="db1", collector=number) for number in (1, 2))
    assert len(host_findings(a_record(), (), [by_ssh, by_exporter])) == 1
    assert len(host_findings(a_record(), (), [by_ssh, by_exporter, measured(cpu)])) == 2


def test_a_busy_disk_has_the_moments_of_the_run() -> None:
    disk = of(HostFigure.DISK_UTILISATION, each_second(40, 100, [(250, 400)]), device="sda")
    (finding,) = found_in(disk)
    assert (finding.code, finding.machine, finding.device) == (FindingCode.DISK_BUSY, "db1", "sda")
    assert (finding.at_seconds, finding.until_seconds, finding.times, finding.in_seconds) == (250, None, 1, 110)
    assert sentences_of(disk) == [
        "The disk sda of db1 was busy for 100 % of the time from 3:10 on: a disk that serves one request at a time is"
        " at its limit then, an SSD or an array need not be."
    ]


@pytest.mark.parametrize(
    ("spans", "when"),
    [
        ([(250, 300)], "from 3:10 to 4:00"),
        ([(0, 400)], "throughout measuring"),
        ([(0, 100)], "from 0:00 to 0:40"),
        ([(100, 120), (250, 300)], "2 times, for 70 s together and the longest time from 3:10 to 4:00"),
    ],
)
def test_when_a_processor_was_busy(spans: list[tuple[int, int]], when: str) -> None:
    assert sentences_of(of(HostFigure.CPU, each_second(50, 97, spans))) == [f"The CPU of db1 was 97 % busy {when}."]


@pytest.mark.parametrize(
    ("high", "seconds", "is_found"),
    [(95, 10, True), (94.9, 300, False), (100, 9, False), (100, 10, True)],
)
def test_a_processor_must_be_busy_enough_for_long_enough(high: float, seconds: int, is_found: bool) -> None:
    assert bool(found_in(of(HostFigure.CPU, each_second(50, high, [(100, 100 + seconds)])))) is is_found


def test_a_busy_time_goes_on_until_the_value_is_below_the_lower_limit() -> None:
    values = {**each_second(50, 96, [(100, 110)]), **dict.fromkeys(range(111, 121), 91.0)}
    (time,) = busy_times(of(HostFigure.CPU, values), LIMIT, SPAN)
    assert (time.first - EPOCH, time.end - EPOCH, time.mean, time.highest) == (100, 120, 93.5, 96)


def test_values_between_the_limits_begin_no_busy_time() -> None:
    values = {**each_second(50, 96, [(110, 120)]), **dict.fromkeys(range(101, 111), 91.0)}
    (time,) = busy_times(of(HostFigure.CPU, values), LIMIT, SPAN)
    assert (time.first - EPOCH, time.end - EPOCH) == (110, 120)


@pytest.mark.parametrize("is_missing", [True, False])
def test_a_gap_ends_a_busy_time(is_missing: bool) -> None:
    values = each_second(50, 99, [(100, 116)])
    for second in (108, 109):
        values[second] = float("nan")
        if is_missing:
            del values[second]
    assert found_in(of(HostFigure.CPU, values)) == []


def test_only_the_measuring_phase_counts() -> None:
    assert found_in(of(HostFigure.CPU, each_second(50, 100, [(0, 60), (360, 370)]))) == []


def test_a_shift_moves_what_is_found() -> None:
    series = of(HostFigure.CPU, each_second(50, 100, [(100, 120)]))
    (finding,) = host_findings(a_record(), (), [measured(series, shift_seconds=90)])
    assert (finding.at_seconds, finding.until_seconds) == (190, 210)


def test_a_disk_time_that_adds_up_requests_is_no_share_of_time() -> None:
    assert found_in(of(HostFigure.DISK_UTILISATION, each_second(340), device="0 C:")) == []


def test_an_interface_is_full_in_one_direction_at_its_speed_of_that_time() -> None:
    received = of(HostFigure.NETWORK_RECEIVED, each_second(950), device="eth0")
    sent = of(HostFigure.NETWORK_SENT, each_second(20), device="eth0")
    speed = of(HostFigure.NETWORK_SPEED, each_second(10_000, 1_000, [(199, 299)]), device="eth0")
    others = of(HostFigure.NETWORK_SPEED, each_second(100), device="eth1")
    assert sentences_of(received, sent, others, speed) == [
        "The network interface eth0 of db1 received 95 % of what its link carries from 2:19 to 3:59."
    ]
    assert found_in(received, sent) == []


@pytest.mark.parametrize(
    ("figure", "sentence"),
    [
        (HostFigure.CPU_STEAL, "The hypervisor kept 12 % of the processor time from db1 from 0:40 to 0:50."),
        (HostFigure.MEMORY_PRESSURE, "On db1, programs waited for memory in 12 % of the time from 0:40 to 0:50."),
    ],
)
def test_shares_of_time(figure: HostFigure, sentence: str) -> None:
    assert sentences_of(of(figure, each_second(0, 12, [(100, 110)]))) == [sentence]
    assert found_in(of(figure, each_second(0, 9.9, [(100, 200)]))) == []


def test_swapping() -> None:
    swapped = of(HostFigure.SWAPPED_IN, each_second(0, 12.5, [(100, 110)]))
    assert sentences_of(swapped) == ["On db1, memory was swapped in from the disk at 12.5 MB/s from 0:40 to 0:50."]


def test_the_lag_at_a_fault_is_what_was_last_known() -> None:
    lag = of(HostFigure.REPLICATION_LAG, {**each_second(0.2), 150: 12.0}, device="standby1")
    found = found_in(lag, events=[a_fault(150.6), a_fault(200, number=8)])
    assert [(each.code, each.fault, each.mean) for each in found] == [
        (FindingCode.REPLICATION_BEHIND_AT_FAULT, 7, 12.0)
    ]
    assert sentences_of(lag, events=[a_fault(150.6)]) == [
        "Replication from db1 to standby1 lagged by 12 s at the fault at 1:30."
    ]


def test_a_lag_of_long_before_the_fault_is_unknown_at_it() -> None:
    lag = of(HostFigure.REPLICATION_LAG, {100: 0.0, 101: 5.0}, device="standby1")
    assert found_in(lag, events=[a_fault(150)]) == []


def test_lasting_lag() -> None:
    lag = of(HostFigure.REPLICATION_LAG, each_second(0.1, 14, [(100, 160)]), device="standby1")
    assert sentences_of(lag) == ["Replication from db1 to standby1 lagged by 14 s, at most 14 s, from 0:40 to 1:40."]


def test_of_many_disks_a_few_are_reported_in_full() -> None:
    disks = [of(HostFigure.DISK_UTILISATION, each_second(99), device=f"sd{letter}") for letter in "abcde"]
    *told, others = sentences_of(*disks)
    assert len(told) == 3
    assert others == "So it was of 2 others: sdd of db1 and sde of db1."


def test_a_file_without_a_host_is_named() -> None:
    (sentence,) = sentences_of(of(HostFigure.CPU, each_second(99), source=""))
    assert sentence == "The CPU of sar.csv was 99 % busy throughout measuring."


def test_a_run_that_never_measured_has_no_finding() -> None:
    record = a_reported_run(phases=Phases(), samples=()).record
    assert host_findings(record, (), [measured(of(HostFigure.CPU, each_second(99)))]) == []


def test_findings_as_json() -> None:
    (found,) = findings_json(a_record(), (), [measured(of(HostFigure.CPU, each_second(50, 97, [(250, 300)])))])
    assert found["code"] == "cpu busy"
    assert (found["at_seconds"], found["since_measuring_seconds"], found["until_seconds"]) == (250, 190, 300)
    assert found["text"] == "The CPU of db1 was 97 % busy from 3:10 to 4:00."


@given(
    values=st.dictionaries(
        st.integers(1, 400), st.one_of(st.just(float("nan")), st.sampled_from([0.0, 89.9, 90.0, 94.9, 95.0, 100.0]))
    ).map(lambda each: dict(sorted(each.items()))),
    interval=st.sampled_from([1, 5, 10]),
)
def test_every_busy_time_obeys_the_rule(values: dict[int, float], interval: int) -> None:
    """What is found is over the limits, in order and apart; and any 10 s of values over the upper limit are found."""
    series = of(HostFigure.CPU, {second * interval: value for second, value in values.items()})
    times = busy_times(series, LIMIT, SPAN)
    for time in times:
        assert SPAN.first <= time.first < time.end <= SPAN.end
        assert time.seconds >= LIMIT.least_seconds
        inside = (series.begins < time.end) & (series.utc_seconds > time.first)
        held = series.values[inside]
        assert (held >= LIMIT.leave).all()
        assert held[0] >= LIMIT.enter
        assert LIMIT.leave <= time.mean <= time.highest == held.max()
    assert all(before.end <= after.first for before, after in pairwise(times))
    begins, ends = np.maximum(series.begins, SPAN.first), np.minimum(series.utc_seconds, SPAN.end)
    for begin, end, value in zip(begins, ends, series.values, strict=True):
        if value >= LIMIT.enter and end - begin >= LIMIT.least_seconds:
            assert any(time.first <= begin and end <= time.end for time in times)
