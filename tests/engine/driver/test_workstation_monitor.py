"""Whether the workstation limits or distorts a run: the judgement of readings that the test sets."""

from itertools import pairwise
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.headline import headline_of
from engine.driver.clock_monitor import ClockMonitor, Clocks
from engine.driver.cpu_meter import CpuReading, Pids
from engine.driver.network_meter import NetworkReading
from engine.driver.workstation_monitor import Meters, WorkstationMonitor
from engine.telemetry.workstation import SaturationRecord, WorkstationLoad
from tests.engine.driver.monitor_bench import EPOCH, LABELS, PIDS, Bench, evenly, health_report
from tests.texts import lacks


def test_cpu_use_is_averaged_over_10_seconds() -> None:
    bench = Bench()
    assert bench.load is None

    assert bench.after(5, evenly(20.0), 40.0) == []
    load = bench.load
    assert load is not None
    assert (load.machine_pct, load.clients_pct, load.busiest_process_pct) == (40.0, 20.0, 20.0)

    bench.after(5, {**evenly(20.0), 3: 60.0}, 60.0)
    load = bench.load
    assert load is not None
    assert (load.machine_pct, load.clients_pct, load.busiest_process_pct) == (50.0, 25.0, 40.0)
    bench.after(10, evenly(10.0), 30.0)
    assert bench.load is not None
    assert bench.load.clients_pct == 10.0
    assert not bench.load.is_bottleneck


def test_clients_using_all_processors_are_reported_at_begin_and_end() -> None:
    bench = Bench()

    assert bench.after(9, evenly(85.0)) == []
    (begin,) = bench.after(20, evenly(85.0))
    assert lacks(begin, "is the bottleneck", "clients", "85 %", "processors") == []
    assert bench.load is not None
    assert bench.load.is_bottleneck
    assert bench.after(30, evenly(75.0)) == []
    (end,) = bench.after(30, evenly(40.0))
    assert lacks(end, "was the bottleneck for 29 s", "up to 85 %") == []
    assert not bench.load.is_bottleneck
    assert len(bench.events) == 1
    assert len(bench.after(20, evenly(88.0))) == 1
    assert [event.at_seconds for event in bench.events.values()] == [0.0, 89.0]


def test_open_interval_is_stored_every_second() -> None:
    bench = Bench()
    bench.after(12, evenly(85.0))
    (begun,) = bench.intervals.values()

    bench.after(5, evenly(85.0))

    (known,) = bench.intervals.values()
    assert len(bench.reports) == 1
    assert (known.number, known.from_seconds) == (begun.number, begun.from_seconds)
    assert known.to_seconds == begun.to_seconds + 5
    assert [(each.measure, each.worst) for each in known.measures] == [("clients_pct", 85.0)]
    assert [each.second for each in bench.written if isinstance(each, WorkstationLoad)] == list(range(1, 18))


def test_one_client_that_fills_its_processor_is_named() -> None:
    bench = Bench(processors=16)

    (begin,) = bench.after(20, {**evenly(30.0), 2: 97.4})
    assert lacks(begin, "is the bottleneck", LABELS[2], "97 %") == []
    assert bench.after(20, {**evenly(30.0), 2: 85.0}) == []
    (end,) = bench.after(20, evenly(30.0))
    assert lacks(end, "was the bottleneck for 20 s", LABELS[2], "up to 97 %") == []


@pytest.mark.parametrize(("used", "is_reported"), [(97.4, False), (190.0, True)])
def test_a_client_with_two_loops_can_use_two_processors(used: float, is_reported: bool) -> None:
    bench = Bench(processors=16)
    bench.used = {**evenly(30.0), 3: used}
    bench.beating(1, 0.1, orders=False)
    reports = bench.after(20, bench.used)
    assert [lacks(text, "is the bottleneck", LABELS[3], "95 %") for text in reports] == is_reported * [[]]


def test_short_burst_is_no_interval() -> None:
    bench = Bench()

    bench.after(20, evenly(30.0))
    assert bench.after(3, evenly(100.0)) == []
    assert bench.after(20, evenly(30.0)) == []


def test_ended_clients_are_not_counted() -> None:
    bench = Bench()
    bench.after(20, evenly(95.0))

    (reports,) = bench.after(1, {})
    assert reports.startswith("the workstation was the bottleneck for 20 s: ")


def test_monitor_reads_once_a_second() -> None:
    read: list[float] = []
    now = 0.0

    def meter(_pids: Pids) -> CpuReading | None:
        read.append(now)
        return None

    clocks = ClockMonitor(LABELS, lambda: Clocks(now, now, now))
    meters = Meters(cpu=meter, network=lambda _: None, clocks=clocks, processors=2)
    written: list[WorkstationLoad | SaturationRecord] = []
    monitor = WorkstationMonitor(
        LABELS, headline_of("dvdstore"), lambda event: event.number, written.append, meters=meters, clock=lambda: now
    )
    for tenth in range(35):
        now = tenth / 10
        monitor.check(PIDS, orders=True)

    assert read == [0.0, 1.0, 2.0, 3.0]
    assert not any(isinstance(each, WorkstationLoad) for each in written)


def test_busy_processors_are_reported_for_any_process() -> None:
    bench = Bench()
    bench.after(20, evenly(10.0), 60.0)
    (begin,) = bench.after(20, evenly(10.0), 99.2)
    assert lacks(begin, "processors are busy", "95 %") == []
    assert bench.load is not None
    assert not bench.load.is_bottleneck
    (remark,) = bench.load.remarks
    assert lacks(remark, "processors are busy", "99 %") == []
    (end,) = bench.after(20, evenly(10.0), 60.0)
    assert lacks(end, "processors were busy for 20 s", "up to 99 %") == []
    (event,) = bench.events.values()
    assert event.at_seconds == 20.0
    assert lacks(event.detail, "end other work", "a machine of its own") == []
    assert [interval.what for interval in bench.intervals.values()] == ["busy"]


def test_late_heartbeat_is_a_distortion_with_times_and_worst_value() -> None:
    bench = Bench()
    bench.after(5, evenly(20.0), 94.0)
    assert bench.beating(30, 0.4) == []
    (begin,) = bench.beating(12, 60.0)
    assert lacks(begin, "distorts the run", "heartbeat", LABELS[3], "60 ms late (p99)") == []
    assert bench.load is not None
    assert bench.load.heartbeat_ms.keys() == LABELS.keys()
    assert bench.load.remarks == tuple(bench.reports)
    assert bench.beating(5, 70.0) == []
    (end,) = bench.beating(30, 0.4)
    assert lacks(end, "distorted the run for 17 s", LABELS[3], "up to 70 ms late") == []
    assert bench.load.remarks == ()
    (event,) = bench.events.values()
    assert event.at_seconds == 35.0
    assert lacks(event.detail, "94 % busy", f"{LABELS[2]} for 7 ms") == []


def test_growing_interval_is_updated_but_not_every_second() -> None:
    bench = Bench()
    bench.beating(20, 0.4)
    bench.beating(10, 12.0)
    late_ms = [12.0 + second for second in range(100)]
    reports = [text for each in late_ms for text in bench.beating(1, each)]
    assert len(bench.events) == 1
    assert 5 < len(reports) <= log(late_ms[-1] / 12.0, 1.25)
    (event,) = bench.events.values()
    assert event.label == reports[-1]
    assert event.at_seconds == 20.0
    amounts = [int(text.split(" comes ")[1].split(" ms")[0]) for text in reports]
    assert all(after >= 1.2 * before for before, after in pairwise(amounts))
    assert amounts[-1] > late_ms[-1] / 1.25 - 1
    assert len(bench.intervals) == 1


def test_additional_measure_joins_the_interval() -> None:
    bench = Bench()
    bench.beating(20, 0.4)
    bench.beating(10, 12.0)
    (reports,) = bench.beating(1, 12.0, waited_ms=80.0)
    assert lacks(reports, "heartbeat", "12 ms late (p99)", "order", "waits 8 ms") == []


def test_standstill_is_reported_with_two_messages_before_the_next_check() -> None:
    bench = Bench()
    bench.beating(30, 0.4)
    bench.silent = 3
    assert bench.beating(3, 0.4) == []
    for sent_at, tick_late_ms in ((33.4, 3_000.0), (33.9, 0.5)):
        bench.monitor.receive(health_report(3, EPOCH + sent_at, 0.4, tick_late_ms=tick_late_ms))
    (begin,) = bench.beating(1, 0.4)
    assert lacks(begin, "distorts the run", "sample", LABELS[3], "3000 ms late") == []
    (interval,) = bench.intervals.values()
    assert (interval.from_seconds, interval.to_seconds) == (30.0, 34.0)


def test_no_distortion_without_orders() -> None:
    bench = Bench()
    assert bench.beating(30, 500.0, orders=False) == []
    assert bench.beating(30, 0.4) == []


def test_only_recent_seconds_are_kept_before_the_first_order() -> None:
    bench = Bench()
    bench.beating(30, 500.0, orders=False)
    bench.beating(15, 0.4, orders=False)
    assert bench.load is not None
    assert bench.load.heartbeat_ms[3] == pytest.approx(0.4, rel=0.01)


def test_orders_that_wait_for_the_driver_are_distorted() -> None:
    bench = Bench()
    assert bench.beating(20, 0.4, waited_ms=1.9) == []
    reports = bench.beating(20, 0.4, waited_ms=8.0)[0]
    assert reports.startswith("the workstation distorts the run: an order of client ds2_3 waits ")


def test_open_interval_ends_with_the_run() -> None:
    bench = Bench()
    bench.beating(20, 30.0)
    bench.monitor.close()
    bench.monitor.close()
    assert [text.partition(":")[0] for text in bench.reports] == [
        "the workstation distorts the run",
        "the workstation distorted the run for 19 s",
    ]
    assert len(bench.events) == 1


def test_full_or_lossy_network_is_reported() -> None:
    bench = Bench()
    bench.network = NetworkReading(
        seconds=1.0, interface="eth0", used_pct=91.0, packets=9_000, segments=5_000, segments_again=100
    )
    (begin,) = bench.after(20, evenly(10.0))
    assert lacks(begin, "network limits the run", "eth0", "91 %", "2.0 %", "sent again") == []
    bench.network = NetworkReading(seconds=1.0, interface="eth0", used_pct=20.0, packets=50, segments=5)
    (end,) = bench.after(20, evenly(10.0))
    assert lacks(end, "network limited the run for 20 s", "eth0", "up to 91 %", "up to 2.0 %") == []


def sending(segments: int, again: int, *, unanswered: int = 0) -> NetworkReading:
    """What goes over the network in a second; as much comes back."""
    return NetworkReading(
        seconds=1.0,
        packets=2 * segments,
        segments=segments,
        segments_again=again,
        segments_received=segments,
        segments_unanswered=unanswered,
    )


def sent_again_to_a_lost_server(users: int, *, lost_after: float, silent_seconds: int) -> list[int]:
    """How often its users' connections send again in each second, with the back-off of TCP: 0.2 s, 0.4 s, 0.8 s …"""
    again = [0] * (silent_seconds + 1)
    moment, wait = lost_after, 0.2
    while moment + wait < silent_seconds:
        moment, wait = moment + wait, 2 * wait
        again[int(moment)] += users
    return again


@pytest.mark.parametrize("lost_after", [0.0, 0.3, 0.5, 0.75, 0.9])
@pytest.mark.parametrize("segments_per_second", [640, 7_000])
@pytest.mark.parametrize("other_servers_pct", [0, 20, 50])
def test_lost_server_is_no_network_limit(lost_after: float, segments_per_second: int, other_servers_pct: int) -> None:
    bench = Bench()
    others = segments_per_second * other_servers_pct // 100
    lost = segments_per_second - others
    users = 32 * (100 - other_servers_pct) // 100
    bench.network = sending(segments_per_second, 0)
    assert bench.after(60, evenly(10.0)) == []
    for second, again in enumerate(sent_again_to_a_lost_server(users, lost_after=lost_after, silent_seconds=30)):
        alive = round(lost * lost_after) if second == 0 else 0
        bench.network = sending(others + alive, again, unanswered=again)
        assert bench.after(1, evenly(10.0)) == []
    bench.network = sending(segments_per_second, users, unanswered=users)
    assert bench.after(1, evenly(10.0)) == []
    bench.network = sending(segments_per_second, 0)
    assert bench.after(30, evenly(10.0)) == []


def test_lossy_network_is_reported_after_a_lost_server() -> None:
    bench = Bench()
    bench.network = sending(7_000, 3)
    bench.after(30, evenly(10.0))
    bench.network = sending(0, 30, unanswered=30)
    bench.after(10, evenly(10.0))
    bench.network = sending(7_000, 3)
    bench.after(20, evenly(10.0))
    bench.network = sending(5_000, 150, unanswered=6)
    reports = bench.after(20, evenly(10.0))
    assert reports[0].startswith("the workstation's network limits the run: ")
    bench.network = sending(7_000, 3)
    (end,) = bench.after(20, evenly(10.0))
    assert lacks(end, "network limited the run for 20 s", "up to 3.0 %", "sent again") == []


def test_suspend_is_recorded_at_its_time() -> None:
    bench = Bench()
    bench.after(7, evenly(10.0))
    bench.suspended += 12.3
    (report,) = bench.after(1, evenly(10.0))
    assert lacks(report, "suspended", "12.3 s") == []
    assert [event.at_seconds for event in bench.events.values()] == [8.0]


def test_the_clients_clocks_are_compared_with_the_runs() -> None:
    bench = Bench()
    bench.beating(3, 0.4)
    assert bench.monitor.clock_offsets_ms == {1: 10.0, 2: 20.0, 3: 30.0, 4: 40.0}
    assert bench.beating(60, 0.4) == []
    bench.clocks_ahead = 0.02
    assert lacks(bench.beating(60, 0.4)[0], "clock", LABELS[1], "20 ms ahead") == []


@given(st.lists(st.dictionaries(st.integers(1, 4), st.floats(0, 100)), min_size=1, max_size=60))
def test_intervals_begin_and_end_in_turn(seconds: list[dict[int, float]]) -> None:
    bench = Bench()
    for used in seconds:
        bench.after(1, used)
        load = bench.load
        assert load is not None
        assert 0 <= load.clients_pct <= 100
        assert 0 <= load.busiest_process_pct <= 100
        assert load.is_bottleneck is bool(bench.reports and "is the bottleneck" in bench.reports[-1])

    ends = [text for text in bench.reports if "was the bottleneck" in text]
    assert len(bench.events) - len(ends) == (1 if bench.reports and bench.reports[-1] not in ends else 0)
    assert [event.label for event in bench.events.values() if "was the bottleneck" in event.label] == ends
