"""The newest readings and those of ten seconds together, against what is computed of the readings by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.driver.cpu_meter import CpuReading
from engine.driver.messages import HealthReport
from engine.driver.monitor_windows import CpuWindow, HealthWindow, NetworkWindow
from engine.driver.network_meter import NetworkReading
from engine.driver.saturation import (
    CLIENT,
    CLIENTS,
    FAILED,
    GC_PAUSE,
    HEARTBEAT,
    LINK,
    MACHINE,
    SENT_AGAIN,
    TICK,
    WAITED,
)
from engine.driver.saturation_intervals import Reading
from engine.histogram import bucket_of, pack

LABELS = {1: "client ds2 #1", 2: "clients ds2 #2 to ds2 #4"}
PIDS = {1: 101, 2: 102}


def cpu(seconds: float, machine_pct: float, *processes_pct: float) -> CpuReading:
    return CpuReading(seconds=seconds, machine_pct=machine_pct, processes_pct=dict(enumerate(processes_pct, start=1)))


def report(process: int, sent_at: float, late_us: dict[int, int] | None = None, **changed: float) -> HealthReport:
    values: dict[str, float | None] = {
        "longest_gc_pause_ms": 0.0, "run_queue_ms": 0.0, "answers_waited_ms": None, "orders": 10, "order_ms": 200.0,
        "tick_late_ms": 0.5, "usable_processors": 1,
    }  # fmt: skip
    counts = {bucket_of(late): count for late, count in (late_us or {100: 100}).items()}
    return HealthReport(process=process, sent_at=sent_at, heartbeat=pack(counts), **(values | changed))  # type: ignore[arg-type]


def test_processor_use_is_a_mean_by_time_and_the_busiest_process_is_named() -> None:
    window = CpuWindow(LABELS, processors=4)
    window.add(cpu(1.0, 20.0, 10.0, 90.0))
    window.add(cpu(3.0, 60.0, 50.0, 10.0))

    assert window.last() == {MACHINE: Reading(60.0), CLIENTS: Reading(15.0), CLIENT: Reading(50.0, "client ds2 #1", 1)}
    assert window.whole() == {MACHINE: Reading(50.0), CLIENTS: Reading(17.5), CLIENT: Reading(40.0, "client ds2 #1", 1)}


def test_a_process_is_as_busy_as_it_can_be_with_its_loops() -> None:
    window = CpuWindow(LABELS, processors=4)
    window.usable[2] = 2
    window.add(cpu(1.0, 20.0, 60.0, 110.0))
    assert window.last()[CLIENT] == Reading(60.0, "client ds2 #1", 1)
    assert window.last()[CLIENTS] == Reading(42.5)


def test_cpu_use_is_zero_without_clients() -> None:
    window = CpuWindow(LABELS, processors=4)
    window.add(cpu(1.0, 20.0))
    assert window.last() == {MACHINE: Reading(20.0), CLIENTS: Reading(0.0), CLIENT: Reading(0.0)}


@given(st.lists(st.tuples(st.floats(0.5, 5), st.floats(0, 100), st.floats(0, 100)), min_size=1, max_size=40))
def test_a_window_holds_ten_seconds_and_its_means_lie_among_its_readings(
    readings: list[tuple[float, float, float]],
) -> None:
    window = CpuWindow(LABELS, processors=2)
    for seconds, machine_pct, client_pct in readings:
        window.add(cpu(seconds, machine_pct, client_pct))
    total = sum(seconds for seconds, _, _ in readings)
    assert min(total, 10.0) - 1e-9 <= window.seconds < 15.0
    whole = window.whole()
    for name, values in ((MACHINE, [each[1] for each in readings]), (CLIENT, [each[2] for each in readings])):
        assert min(values) - 1e-6 <= whole[name].value <= max(values) + 1e-6


def net(used_pct: float | None = None, *, seconds: float = 1.0, **counts: int) -> NetworkReading:
    values = {"packets": 0, "failed_packets": 0, "segments": 0, "segments_again": 0} | counts
    return NetworkReading(seconds=seconds, interface="eth0", used_pct=used_pct, **values)


def test_network_use_and_loss_are_percentages() -> None:
    window = NetworkWindow()
    window.add(net(80.0, packets=900, failed_packets=0, segments=400, segments_again=0))
    window.add(net(20.0, packets=100, failed_packets=10, segments=100, segments_again=5))

    assert window.last()[FAILED] == Reading(10.0)
    whole = window.whole()
    assert whole == {LINK: Reading(50.0, "eth0"), SENT_AGAIN: Reading(1.0), FAILED: Reading(1.0)}


def test_only_seconds_in_which_traffic_flows_count_and_only_where_they_are_half_of_the_window() -> None:
    window = NetworkWindow()
    for _ in range(5):
        window.add(net(packets=1_000, segments=1_000, segments_again=5))
    for _ in range(5):
        window.add(net(packets=99, failed_packets=99, segments=99, segments_again=99))
    assert (window.whole()[SENT_AGAIN], window.whole()[FAILED]) == (Reading(0.5), Reading(0.0))
    window.add(net(packets=99, segments=99))
    assert window.whole().keys().isdisjoint({SENT_AGAIN, FAILED})


@pytest.mark.parametrize(
    "silent", [{"segments_received": 40}, {"segments_unanswered": 26}, {"segments": 90, "segments_again": 50}]
)
def test_retransmissions_to_a_silent_server_are_ignored(silent: dict[str, int]) -> None:
    """Nor is it in the second after: what was sent before the server answered again is in it."""
    usual = {"segments": 1_000, "segments_again": 50, "segments_received": 900}
    window = NetworkWindow()
    for _ in range(8):
        window.add(net(**usual))
    assert window.last()[SENT_AGAIN] == Reading(5.0)
    for changed in (silent, {}):
        window.add(net(**usual | changed))
        assert SENT_AGAIN not in window.last()
    assert window.whole()[SENT_AGAIN] == Reading(5.0)
    window.add(net(**usual))
    assert window.last()[SENT_AGAIN] == Reading(5.0)


def test_lossy_network_with_unanswered_segments_is_detected() -> None:
    window = NetworkWindow()
    window.add(net(segments=1_000, segments_again=50, segments_received=950, segments_unanswered=10))
    assert window.last()[SENT_AGAIN] == Reading(5.0)


def test_few_packets_and_unknown_link_speed_are_not_judged() -> None:
    window = NetworkWindow()
    window.add(net(packets=99, failed_packets=99, segments=99, segments_again=99))
    assert window.whole() == {}


def test_heartbeats_are_merged_before_their_percentile_and_the_latest_process_is_named() -> None:
    window = HealthWindow(LABELS)
    for second in range(4):
        window.add(report(1, second, {500: 100}, longest_gc_pause_ms=float(second), tick_late_ms=9.0))
        window.add(report(2, second, {500: 97, 20_000: 3}))
    whole = window.whole()
    assert whole[HEARTBEAT].value == pytest.approx(20.0, rel=0.002)
    assert whole[HEARTBEAT][1:] == ("clients ds2 #2 to ds2 #4", 2)
    assert whole[GC_PAUSE] == Reading(3.0, "client ds2 #1", 1)
    assert whole[TICK] == Reading(9.0, "client ds2 #1", 1)
    assert window.heartbeat_ms() == {1: pytest.approx(0.5, rel=0.002), 2: pytest.approx(20.0, rel=0.002)}


def test_wait_per_order_is_total_wait_divided_by_orders() -> None:
    window = HealthWindow(LABELS)
    window.add(report(1, 0.0, run_queue_ms=40.0, answers_waited_ms=80.0, orders=4))
    window.add(report(1, 1.0, run_queue_ms=0.0, orders=12))
    window.add(report(2, 1.0, run_queue_ms=20.0, orders=10))
    assert window.whole()[WAITED] == Reading(5.0, "client ds2 #1", 1)


def test_small_waiting_share_counts_as_zero() -> None:
    window = HealthWindow(LABELS)
    window.add(report(1, 0.0, run_queue_ms=100.0, orders=10, order_ms=1_000.0))
    assert window.whole()[WAITED].value == 0.0
    window.add(report(1, 1.0, run_queue_ms=101.0, orders=10, order_ms=1_000.0))
    assert window.whole()[WAITED].value == pytest.approx(10.05)


def test_wait_per_order_is_unknown_without_orders() -> None:
    window = HealthWindow(LABELS)
    window.add(report(1, 0.0, orders=0, order_ms=0.0))
    assert WAITED not in window.whole()


def test_old_readings_and_ended_processes_are_dropped() -> None:
    window = HealthWindow(LABELS)
    reports = [report(1, 1.0, tick_late_ms=50.0), report(1, 2.0, tick_late_ms=5.0), report(2, 2.0, tick_late_ms=70.0)]
    for each in reports:
        window.add(each)
    assert window.take_new() == reports
    assert window.take_new() == []
    window.forget(2.0, all_but={1: PIDS[1]})
    assert window.whole()[TICK] == Reading(5.0, "client ds2 #1", 1)
    assert window.last(reports[:1])[TICK] == Reading(50.0, "client ds2 #1", 1)
    assert window.last([]) == {}


def test_all_messages_since_the_last_check_count() -> None:
    window = HealthWindow(LABELS)
    new = [
        report(1, 1.0, {30_000: 100}, tick_late_ms=3_000.0, orders=5, answers_waited_ms=95.0),
        report(1, 1.1, {100: 1}, tick_late_ms=5.0, orders=5, answers_waited_ms=5.0),
    ]
    last = window.last(new)
    assert last[TICK] == Reading(3_000.0, "client ds2 #1", 1)
    assert last[HEARTBEAT].value == pytest.approx(30.0, rel=0.002)
    assert last[WAITED].value == pytest.approx(10.0)
