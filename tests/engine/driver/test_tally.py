"""Counting by second, with a clock that the test sets."""

import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.audit import ledger as ledger_module
from engine.audit.ledger import End, Ledger
from engine.audit.ledger_reading import read_ledger
from engine.audit.notes import PlainNotes
from engine.driver import tally as tallying
from engine.driver.counting import PlainCounting
from engine.driver.tally import SecondTally
from engine.driver.timebase import Timebase
from engine.errors import ErrorClass, TargetError
from engine.histogram import bucket_of, pack, unpack, value_of
from engine.telemetry.sample import Sample
from engine.workload.pacing import EVEN, OpenPacing, PacedStage, PacingPlan
from engine.workload.schedule import Delay
from engine.workloads.dvdstore.transactions import ORDER, TRANSACTIONS, Step
from tests.doubles.samples import dvd_sample, numbers

EPOCH = 100.0
USERS = {"working": 1, "thinking": 2, "reconnecting": 0, "down": 1}


@pytest.fixture(autouse=True, params=["compiled", "plain"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How steps and orders are counted, and orders noted."""
    if request.param == "plain":
        monkeypatch.setattr(tallying, "new_counting", PlainCounting)
        monkeypatch.setattr(ledger_module, "new_notes", PlainNotes)
    else:
        pytest.importorskip("engine.driver._counting", reason="set up without a C compiler")
        pytest.importorskip("engine.audit._notes", reason="set up without a C compiler")


@dataclass
class Clock:
    now: float = EPOCH

    def __call__(self) -> float:
        return self.now


def tally_with_clock(tick_seconds: float = 1.0) -> tuple[SecondTally, Clock]:
    clock = Clock()
    return SecondTally(3, Timebase(EPOCH, tick_seconds), clock, types=TRANSACTIONS), clock


def test_order_counts_in_the_second_of_its_end() -> None:
    tally, clock = tally_with_clock()

    clock.now = EPOCH + 1.99
    tally.transaction(ORDER, 1.5, rolled_back=False)
    clock.now = EPOCH + 2.0
    tally.transaction(ORDER, 1.5, rolled_back=True)
    clock.now = EPOCH + 3.0

    samples = tally.take(3, USERS)
    assert [numbers(sample, "second", "orders", "rollbacks") for sample in samples] == [
        (0, 0, 0),
        (1, 1, 0),
        (2, 1, 1),
    ]


def test_order_counts_in_the_tick_of_its_end_in_an_accelerated_run() -> None:
    tally, clock = tally_with_clock(tick_seconds=0.02)

    clock.now = EPOCH + 0.039
    tally.transaction(ORDER, 0.005, rolled_back=False)
    clock.now = EPOCH + 0.045
    tally.transaction(ORDER, 0.005, rolled_back=False)
    clock.now = EPOCH + 0.055
    tally.transaction(ORDER, 0.005, rolled_back=False)
    clock.now = EPOCH + 0.07

    assert [numbers(sample, "second", "orders") for sample in tally.take(9, USERS)] == [(0, 0), (1, 1), (2, 2)]


def test_late_tick_does_not_move_orders() -> None:
    tally, clock = tally_with_clock()

    clock.now = EPOCH + 0.5
    tally.transaction(ORDER, 0.1, rolled_back=False)
    clock.now = EPOCH + 4.7  # the tick of second 0 comes almost four seconds late
    tally.transaction(ORDER, 0.1, rolled_back=False)

    assert [numbers(sample, "second", "orders") for sample in tally.take(4, USERS)] == [
        (0, 1),
        (1, 0),
        (2, 0),
        (3, 0),
    ]
    clock.now = EPOCH + 5
    assert [numbers(sample, "second", "orders") for sample in tally.take(5, USERS)] == [(4, 1)]


def test_second_without_orders_is_zero() -> None:
    tally, clock = tally_with_clock()
    clock.now = EPOCH + 2

    samples = tally.take(2, USERS)

    assert samples == [
        dvd_sample(client=3, second=second, steps={}, working=1, thinking=2, down=1) for second in (0, 1)
    ]


def test_second_is_taken_once_after_its_end() -> None:
    tally, clock = tally_with_clock()
    clock.now = EPOCH + 0.9
    tally.retry()

    assert tally.take(1, USERS) == []
    clock.now = EPOCH + 1
    assert [sample.retries for sample in tally.take(1, USERS)] == [1]
    assert tally.take(1, USERS) == []


def test_only_seconds_below_the_asked_one_are_taken() -> None:
    tally, clock = tally_with_clock()
    clock.now = EPOCH + 3

    assert [sample.second for sample in tally.take(2, USERS)] == [0, 1]
    assert [sample.second for sample in tally.take(3, USERS)] == [2]


def test_the_last_take_has_the_second_that_has_only_begun() -> None:
    tally, clock = tally_with_clock()
    clock.now = EPOCH + 1.2
    tally.transaction(ORDER, 0.001, rolled_back=False)

    assert [numbers(sample, "second", "orders") for sample in tally.take_all(USERS)] == [(0, 0), (1, 1)]


def test_overdue_orders_count_in_the_second_in_which_the_delay_ended() -> None:
    clock = Clock()
    tally = SecondTally(3, Timebase(EPOCH), clock, types=TRANSACTIONS, think_seconds=0.75)

    tally.transaction(ORDER, 0.25, rolled_back=False)
    clock.now = EPOCH + 5.5
    tally.transaction(ORDER, 3.5, rolled_back=False)
    tally.delayed(Delay(3.5, unmeasured_seconds=0.0))
    clock.now = EPOCH + 7

    overdue = {sample.second: sample.overdue for sample in tally.take(7, USERS)}
    due_meanwhile = {bucket_of(waited_us): 1 for waited_us in (2_500_000, 1_500_000, 500_000)}
    assert overdue == {**dict.fromkeys(range(7), b""), 5: pack(due_meanwhile)}


class Intended:
    """A tally whose users place an order a second when nothing stalls, in a run that is measured from 10 on."""

    def __init__(self, end: int | None = 20) -> None:
        self.clock = Clock()
        self.tally = SecondTally(3, Timebase(EPOCH), self.clock, types=TRANSACTIONS, think_seconds=0.75)
        self.tally.transaction(ORDER, 0.25, rolled_back=False)
        self.tally.measure(10, end)
        self._samples: list[Sample] = []

    def at(self, seconds: float) -> SecondTally:
        self.clock.now = EPOCH + seconds
        return self.tally

    def charge(self, seconds: float, *waits: float) -> None:
        self.at(seconds).charge(waits, self.clock.now)

    def waits(self, first: int = 0, end: int = 99) -> list[float]:
        """How long the overdue orders of these seconds waited."""
        self._samples += self.tally.take_all(USERS)
        histograms = [unpack(each.overdue or b"") for each in self._samples if first <= each.second < end]
        return sorted(round(value_of(each) / 1e6, 2) for counts in histograms for each in counts)


def test_a_stall_that_outlasts_measuring_is_charged_to_its_last_second() -> None:
    run = Intended()

    run.charge(20.125, 3.625)  # due at 16.5

    assert run.waits(19, 20) == [0.5, 1.5, 2.5, 3.5]
    assert run.waits() == [0.5, 1.5, 2.5, 3.5]


def test_order_after_measuring_is_not_charged_twice() -> None:
    run = Intended()

    run.charge(20.125, 3.625)
    run.at(22.25).delayed(Delay(5.75, unmeasured_seconds=0.0))
    run.at(24.25).delayed(Delay(1.5, unmeasured_seconds=0.0))

    assert run.waits(19, 20) == [0.5, 1.5, 2.5, 3.5]
    assert run.waits(20) == [0.5, 0.75, 1.75]


def test_order_across_the_end_of_measuring_is_charged_to_both_phases() -> None:
    run = Intended()

    run.at(21.25).delayed(Delay(3.75, unmeasured_seconds=0.0))  # due at 17.5
    run.charge(21.5)

    assert run.waits(19, 20) == [0.5, 1.5, 2.5]
    assert run.waits(20) == [0.75]


def test_orders_under_way_in_their_ordinary_course_are_not_overdue_when_measuring_ends() -> None:
    run = Intended()

    run.charge(20.0, 0.25, 0.9)

    assert run.waits() == []


def test_orders_due_after_measuring_are_not_charged_to_it() -> None:
    run = Intended()

    run.charge(25.0, 4.0)

    assert run.waits() == []


def test_what_is_due_at_the_end_of_an_open_loop_counts_beside_what_was_placed() -> None:
    """By hand: 80 orders a second for 9 s, each answered in 12.5 ms until second 6, then none: of 720 that are due, 480
    are placed and 240 wait. Those due in the last 125 ms, ten mean response times, are in their ordinary course."""
    clock = Clock()
    tally = SecondTally(3, Timebase(EPOCH), clock, types=TRANSACTIONS, is_open_loop=True)
    pacing = OpenPacing(
        PacingPlan(stages=(PacedStage(seconds=9, rate=80.0),), client=0, clients=1, arrivals=EVEN), Random()
    )
    pacing.begin(EPOCH, ())
    tally.measure(0, 9)
    for number in range(480):
        clock.now = EPOCH + number / 80 + 0.0125
        assert pacing.next_due(0) == EPOCH + number / 80
        tally.transaction(ORDER, 0.0125, rolled_back=False)
    clock.now = EPOCH + 9.25
    hung = pacing.next_due(0)  # a user has taken it, and waits for its answer
    assert hung == EPOCH + 6
    tally.charge((clock.now - due for due in (hung, *pacing.queue(clock.now))), clock.now)

    samples = tally.take_all(USERS)

    assert sum(numbers(sample, "orders")[0] for sample in samples) == 480
    waits = Counter(value_of(bucket) for each in samples for bucket in Counter(unpack(each.overdue or b"")).elements())
    assert waits.total() == 230
    assert (round(min(waits) / 1e6, 2), round(max(waits) / 1e6, 1)) == (0.14, 3.0)


def test_stall_from_the_warm_up_is_charged_from_the_start_of_measuring() -> None:
    run = Intended()

    run.at(12.0).delayed(Delay(4.5, unmeasured_seconds=0.0))  # due at 7.5, 8.5, 9.5, 10.5, 11.5

    assert run.waits() == [0.5, 1.5]


def test_short_stall_ending_in_the_first_second_belongs_to_the_warm_up() -> None:
    run = Intended()

    run.at(10.2).delayed(Delay(0.6, unmeasured_seconds=0.6))
    run.at(10.8).delayed(Delay(0.5, unmeasured_seconds=0.5))

    assert run.waits() == [0.5]


def test_stall_from_warm_up_beyond_measuring_is_charged_to_measuring() -> None:
    run = Intended(end=12)

    run.charge(12.5, 5.0)

    assert run.waits(11, 12) == run.waits() == [0.5, 1.5]


def test_stall_in_the_warm_up_is_charged_to_the_warm_up() -> None:
    run = Intended()

    run.at(9.5).delayed(Delay(2.5, unmeasured_seconds=0.0))

    assert run.waits(9, 10) == [0.5, 1.5]


def test_extended_run_is_charged_at_its_new_end() -> None:
    run = Intended()

    run.at(19.5).measure(10, 30)
    assert not run.tally.must_charge(20)
    run.at(21.0).delayed(Delay(2.5, unmeasured_seconds=0.0))
    assert run.tally.must_charge(30)
    run.charge(30.0, 1.5)
    assert not run.tally.must_charge(31)

    assert run.waits(21, 22) == [0.5, 1.5]
    assert run.waits(29, 30) == [0.5, 1.5]


def test_run_extended_at_its_end_is_not_charged_twice() -> None:
    run = Intended()

    run.charge(20.0, 2.5)
    run.at(20.1).measure(10, 30)
    run.at(22.0).delayed(Delay(4.5, unmeasured_seconds=0.0))

    assert run.waits(19, 20) == [0.5, 1.5, 2.5]
    assert run.waits(20) == [0.5, 1.5]


def test_each_step_has_a_histogram_of_its_second() -> None:
    tally, clock = tally_with_clock()
    for seconds in (0.003, 0.003, 0.0041):
        tally.step(Step.BROWSE, seconds)
    tally.step(Step.PURCHASE, 0.005)
    clock.now = EPOCH + 1.5
    tally.step(Step.LOGIN, 0.001)

    samples = tally.take(1, USERS) + tally.take_all(USERS)

    browses = {bucket_of(3_000): 2, bucket_of(4_100): 1}
    assert [{step: sample.of(step).histogram for step in Step} for sample in samples] == [
        dict.fromkeys(Step, b"") | {"browse": pack(browses), "purchase": pack({bucket_of(5_000): 1})},
        dict.fromkeys(Step, b"") | {"login": pack({bucket_of(1_000): 1})},
    ]


def test_sample_has_all_counts() -> None:
    tally, clock = tally_with_clock()

    tally.step(Step.LOGIN, 0.001)
    tally.step(Step.NEW_CUSTOMER, 0.002)
    tally.step(Step.BROWSE, 0.003)
    tally.step(Step.BROWSE, 0.0041)
    tally.step(Step.PURCHASE, 0.005)
    tally.transaction(ORDER, 0.015, rolled_back=True)
    tally.transaction(ORDER, 0.25, rolled_back=False)
    tally.retry()
    tally.reconnected()
    tally.in_doubt(7, 999)
    tally.error(TargetError(ErrorClass.DEADLOCK, "deadlock detected"))
    tally.error(TargetError(ErrorClass.DEADLOCK, "deadlock detected"))
    tally.error(TargetError(ErrorClass.TIMEOUT, "too slow"))
    clock.now = EPOCH + 1

    (sample,) = tally.take(1, USERS)
    assert (sample.of("login").n, sample.of("new_customer").n, sample.of("browse").n, sample.of("purchase").n) == (
        1,
        1,
        2,
        1,
    )
    assert (
        sample.of("login").sum_us,
        sample.of("new_customer").sum_us,
        sample.of("browse").sum_us,
        sample.of("purchase").sum_us,
    ) == (1000, 2000, 7100, 5000)
    assert (sample.of("order").n, sample.rollbacks, sample.of("order").sum_us, sample.of("order").max_us) == (
        2,
        1,
        265_000,
        250_000,
    )
    assert (sample.retries, sample.reconnects, sample.in_doubt) == (1, 1, 1)
    assert sample.errors == {"deadlock": 2, "timeout": 1}
    assert unpack(sample.of("order").histogram or b"") == {bucket_of(15_000): 1, bucket_of(250_000): 1}
    assert (sample.working, sample.thinking, sample.reconnecting, sample.down) == (1, 2, 0, 1)


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("order"), st.integers(0, 5_000_000)),
        st.tuples(st.just("error"), st.sampled_from(list(ErrorClass))),
        # Quarters add up without rounding, so that the test's second is the tally's.
        st.tuples(st.just("pass"), st.integers(0, 14)),
        st.tuples(st.just("take"), st.just(None)),
    ),
    max_size=60,
)


@given(ACTIONS)
def test_interleaved_counting_and_taking_preserves_totals(actions: list) -> None:
    tally, clock = tally_with_clock()
    orders: Counter[int] = Counter()
    microseconds: Counter[int] = Counter()
    errors: Counter[tuple[int, str]] = Counter()
    taken: list[Sample] = []

    for name, value in actions:
        second = int(clock.now - EPOCH)
        match name:
            case "order":
                tally.transaction(ORDER, value / 1_000_000, rolled_back=False)
                orders[second] += 1
                microseconds[second] += value
            case "error":
                tally.error(TargetError(value, "no"))
                errors[second, value] += 1
            case "pass":
                clock.now += value / 4
            case "take":
                taken += tally.take(second, USERS)
    last = int(clock.now - EPOCH)
    taken += tally.take_all(USERS)

    assert [sample.second for sample in taken] == list(range(last + 1))
    assert [sample.of("order").n for sample in taken] == [orders[second] for second in range(last + 1)]
    assert [sample.of("order").sum_us for sample in taken] == [microseconds[second] for second in range(last + 1)]
    assert [sum(unpack(sample.of("order").histogram or b"").values()) for sample in taken] == [
        sample.of("order").n for sample in taken
    ]
    assert {(sample.second, name): count for sample in taken for name, count in sample.errors.items()} == errors


def test_concurrent_threads_lose_no_count() -> None:
    tally, clock = tally_with_clock()
    threads, each = 8, 1_000

    def count() -> None:
        for number in range(each):
            tally.step(Step.BROWSE, 0.001)
            tally.transaction(ORDER, 0.002, rolled_back=number % 10 == 0)

    workers = [threading.Thread(target=count) for _ in range(threads)]
    for worker in workers:
        worker.start()
    taken: list[Sample] = []
    while any(worker.is_alive() for worker in workers):
        clock.now += 0.25
        taken += tally.take(int(clock.now - EPOCH), USERS)
    for worker in workers:
        worker.join()
    taken += tally.take_all(USERS)

    assert sum(sample.of("order").n for sample in taken) == threads * each
    assert sum(sample.of("browse").n for sample in taken) == threads * each
    assert sum(sample.rollbacks for sample in taken) == threads * each // 10
    assert [sample.second for sample in taken] == list(range(len(taken)))


def test_message_is_reported_once_and_deadlocks_are_counted() -> None:
    tally, clock = tally_with_clock()
    for late in (0.25, 0.5, 0.75):
        clock.now = EPOCH + late
        tally.error(TargetError(ErrorClass.TIMEOUT, "too slow"))
        tally.error(TargetError(ErrorClass.DEADLOCK, "deadlock detected"))

    assert tally.take_error_messages() == [("timeout", "too slow", EPOCH + 0.25)]
    assert tally.take_error_messages() == []
    tally.error(TargetError(ErrorClass.TIMEOUT, "too slow"))
    assert tally.take_error_messages() == []


def test_number_of_distinct_error_messages_is_limited() -> None:
    tally, clock = tally_with_clock()
    for number in range(1_000):
        tally.error(TargetError(ErrorClass.OTHER, f"trouble {number}"))
    clock.now = EPOCH + 1

    error_messages = tally.take_error_messages()
    assert 1 < len(error_messages) <= 20
    assert error_messages[0] == ("other", "trouble 0", EPOCH)
    assert tally.take(1, USERS)[0].errors == {"other": 1_000}


def test_purchase_outcomes_are_written_to_the_ledger_with_their_time(tmp_path: Path) -> None:
    clock = Clock()
    path = tmp_path / "a-run" / "client-3.ledger"
    ledger = Ledger(str(path), 3)
    tally = SecondTally(3, Timebase(EPOCH), clock, types=TRANSACTIONS, ledger=ledger)

    clock.now = EPOCH + 1.25
    tally.acknowledged(12_001, 7, 9_99)
    clock.now = EPOCH + 2.5
    tally.in_doubt(8, 12_34)
    ledger.flush()

    content = read_ledger(path, "a-run", 3)
    assert content.acknowledged.tolist() == [(1_250, 12_001, 7, 9_99)]
    assert content.in_doubt.tolist() == [(2_500, 0, 8, 12_34)]
    assert sum(sample.in_doubt for sample in tally.take_all(USERS)) == 1
    ledger.close(2_500, End.COMPLETE)


def test_ledger_times_are_run_times_in_an_accelerated_run(tmp_path: Path) -> None:
    clock = Clock()
    path = tmp_path / "a-run" / "client-3.ledger"
    ledger = Ledger(str(path), 3)
    tally = SecondTally(3, Timebase(EPOCH, 0.5), clock, types=TRANSACTIONS, ledger=ledger)

    clock.now = EPOCH - 1
    tally.acknowledged(1, 7, 9_99)
    clock.now = EPOCH + 1.25
    tally.acknowledged(2, 7, 9_99)
    ledger.close(9_000, End.COMPLETE)

    assert read_ledger(path, "a-run", 3).acknowledged["moment_ms"].tolist() == [0, 2_500]


def test_no_notes_without_a_ledger() -> None:
    tally, _ = tally_with_clock()
    tally.acknowledged(12_001, 7, 9_99)
    tally.in_doubt(8, 12_34)
    assert [sample.in_doubt for sample in tally.take_all(USERS)] == [1]
