"""What a client measures of its own process: the arithmetic with clocks of the test's own, and real threads."""

import gc
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.driver.messages import HealthReport
from engine.driver.process_health import GcPauses, Heartbeat, ProcessHealth, RunQueue, beat_seconds
from engine.histogram import unpack, value_of
from tests.waiting import wait_until


class Sleeper:
    """A clock that goes on only while somebody sleeps, and then by as much more as the test says."""

    def __init__(self) -> None:
        self.now = 100.0
        self.late = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds + self.late

    def heart(self, every_seconds: float = 0.01) -> Heartbeat:
        heart = Heartbeat(every_seconds, clock=lambda: self.now, sleep=self.sleep)
        heart.beat()
        heart.take()
        return heart


def delays_ms(heart: Heartbeat) -> list[float]:
    return sorted(round(value_of(bucket) / 1000) for bucket, count in heart.take().items() for _ in range(count))


def test_late_heartbeat_counts_all_missed_ones() -> None:
    sleeper = Sleeper()
    heart = sleeper.heart()
    sleeper.late = 0.034
    heart.beat()
    sleeper.late = 0.0
    heart.beat()
    assert delays_ms(heart) == [0, 4, 14, 24, 34]
    assert delays_ms(heart) == []


@given(st.lists(st.floats(0, 0.5), max_size=20))
def test_one_heartbeat_is_counted_for_each_10_ms(late: list[float]) -> None:
    sleeper = Sleeper()
    heart = sleeper.heart()
    began = sleeper.now
    for each in late:
        sleeper.late = each
        heart.beat()
    counted = sum(heart.take().values())
    assert counted == pytest.approx((sleeper.now - began) / 0.01, abs=1.01)


def test_long_standstill_is_reported_quickly() -> None:
    sleeper = Sleeper()
    heart = sleeper.heart()
    sleeper.late = 3_600.0
    heart.beat()
    assert sum(heart.take().values()) <= 1_001
    sleeper.late = 0.0
    heart.beat()
    assert delays_ms(heart) == [0]


def test_many_processes_beat_less_often() -> None:
    assert [beat_seconds(processes) for processes in (1, 3, 6, 24)] == [0.01, 0.01, 0.02, 0.08]


def test_heartbeat_runs_on_its_thread_until_stopped() -> None:
    heart = Heartbeat()
    heart.start()
    counted: list[int] = []
    wait_until(lambda: counted.append(sum(heart.take().values())) or sum(counted) >= 5, "it beats")
    heart.stop()
    wait_until(lambda: not any(thread.name == "heartbeat" for thread in threading.enumerate()), "it is stopped")


def test_longest_collector_pause_is_reported() -> None:
    now = iter((1.0, 1.004, 2.0, 2.001))
    pauses = GcPauses(clock=lambda: next(now))
    for phase in ("start", "stop", "start", "stop"):
        pauses.on_collector(phase, {})
    assert pauses.take_longest_ms() == pytest.approx(4.0)
    assert pauses.take_longest_ms() == 0.0


def test_a_real_collection_is_noticed_only_between_start_and_stop() -> None:
    pauses = GcPauses()
    gc.collect()
    assert pauses.take_longest_ms() == 0.0
    pauses.start()
    gc.collect()
    pauses.stop()
    assert pauses.take_longest_ms() > 0.0
    assert pauses.on_collector not in gc.callbacks


def write_waits(tasks: Path, waits_ns: dict[int, int]) -> None:
    for thread, waited in waits_ns.items():
        (tasks / str(thread)).mkdir(exist_ok=True)
        (tasks / str(thread) / "schedstat").write_text(f"123 {waited} 7\n")


def test_run_queue_wait_is_the_increase_since_the_last_reading(tmp_path: Path) -> None:
    write_waits(tmp_path, {1: 5_000_000, 2: 1_000_000})
    threads = [1, 2]
    queue = RunQueue(lambda: threads, tmp_path)
    threads = [1, 2, 3, 5]
    write_waits(tmp_path, {1: 7_000_000, 2: 1_500_000, 3: 250_000, 4: 9_000_000})
    assert queue.take_ms() == pytest.approx(2.75)
    assert queue.take_ms() == 0.0


def test_run_queue_wait_is_unknown_without_system_support(tmp_path: Path) -> None:
    assert RunQueue(lambda: [1], tmp_path).take_ms() is None
    assert RunQueue(list, tmp_path).take_ms() is None


def vitals_of(sleeper: Sleeper, tasks: Path) -> tuple[ProcessHealth, Heartbeat]:
    heart = sleeper.heart()
    return ProcessHealth(3, RunQueue(lambda: [1], tasks), heartbeat=heart), heart


def test_totals_are_from_the_start_of_the_clock_to_the_stop(tmp_path: Path) -> None:
    write_waits(tmp_path, {1: 0})
    sleeper = Sleeper()
    health, heart = vitals_of(sleeper, tmp_path)

    def second(late: float, waited_ns: int, tick_late_seconds: float, answers_waited_ms: float | None) -> HealthReport:
        sleeper.late = late
        for _ in range(50):
            heart.beat()
        write_waits(tmp_path, {1: waited_ns})
        health.samples_made(0.01, orders=4, order_us=5_000)
        health.samples_made(tick_late_seconds, orders=6, order_us=20_000)
        return health.take(answers_waited_ms=answers_waited_ms)

    second(0.09, 500_000_000, 0.5, 70.0)
    health.begin_totals()
    report = second(0.002, 510_000_000, 0.25, 35.0)
    second(0.004, 530_000_000, 0.05, None)
    health.stop()
    second(0.08, 900_000_000, 0.5, 80.0)

    assert report.answers_waited_ms == 35.0
    assert (report.process, report.orders, report.order_ms, report.tick_late_ms) == (3, 10, 25.0, 250.0)
    assert {round(value_of(bucket) / 1000) for bucket in unpack(report.heartbeat)} == {2}
    totals = health.totals()
    assert totals.heartbeat_mean_ms == pytest.approx(3.0, rel=0.01)
    assert totals.heartbeat_p99_ms == pytest.approx(4.0, rel=0.01)
    assert totals.heartbeat_max_ms == pytest.approx(4.0, rel=0.01)
    assert totals.run_queue_ms == pytest.approx(30.0)
    assert totals.order_waited_ms == pytest.approx((35.0 + 20.0) / 20)
    assert totals.late_ticks == 1


def test_wait_per_order_is_unknown_without_orders_or_run_queue(tmp_path: Path) -> None:
    health, _ = vitals_of(Sleeper(), tmp_path)
    health.samples_made(0.0, orders=5, order_us=1_000)
    health.take(answers_waited_ms=None)
    assert health.totals().order_waited_ms is None
    write_waits(tmp_path, {1: 1_000_000})
    health.begin_totals()
    health.samples_made(0.0, orders=0, order_us=0)
    health.take(answers_waited_ms=None)
    assert health.totals().order_waited_ms is None
