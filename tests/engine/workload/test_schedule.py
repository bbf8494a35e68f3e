"""The waiting times of overdue orders after a stall, against a computation order by order."""

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from engine.histogram import bucket_of, unpack, value_of
from engine.workload.schedule import Delay, IntendedSchedule, overdue_orders

PERIODS = st.floats(0.000_1, 10)
# In quarters, so that nothing is rounded.
WHOLE = st.integers(1, 400)


@given(PERIODS, st.floats(0, 0.999_999))
def test_without_a_stall_nothing_is_overdue(period: float, share: float) -> None:
    assert list(overdue_orders(Delay(share * period, 0.0), period)) == []


@given(PERIODS, st.floats(0, 0.999_999))
def test_unmeasured_time_is_overdue_even_if_short(period: float, share: float) -> None:
    assert list(overdue_orders(Delay(share * period, 0.001), period)) == [(round(share * period * 1e6), 1)]


@given(WHOLE, WHOLE, st.floats(0, 1))
@example(stalled=1, period=1, untold=5e-324)  # a quarter of it is 0
def test_a_stall_is_charged_to_every_order_due_meanwhile(stalled: int, period: int, untold: float) -> None:
    assume(stalled < 64 * period)  # as long as none are taken together

    unmeasured = untold * stalled / 4

    overdue = list(overdue_orders(Delay(stalled / 4, unmeasured), period / 4))

    due = list(range(0, stalled + 1, period))
    stood_for = max(1, round(4 * unmeasured / period)) if unmeasured else 0
    assert overdue == [((stalled - each) * 250_000, 1) for each in due if each != stood_for * period]


@given(st.floats(0.001, 20_000), PERIODS, st.floats(0, 1))
def test_grouped_overdue_orders_are_complete(stalled: float, period: float, untold: float) -> None:
    overdue = list(overdue_orders(Delay(stalled, untold * stalled), period))

    due = int(stalled / period) + 1
    assert sum(together for _, together in overdue) in (due - 1, *([due] if untold * stalled else []))
    assert [waited for waited, _ in overdue] == sorted((waited for waited, _ in overdue), reverse=True)


@given(st.floats(0.1, 20), st.floats(0.1, 1), st.floats(0.1, 1))
def test_placed_order_replaces_the_one_with_the_nearest_wait(stalled: float, period: float, untold: float) -> None:
    assume(stalled < 64 * period)  # as long as none are taken together

    due = [stalled - number * period for number in range(int(stalled / period) + 1)]
    waits = [waited / 1e6 for waited, _ in overdue_orders(Delay(stalled, untold * stalled), period)]

    left_out = [each for each in due if all(abs(each - waited) > 1e-5 for waited in waits)]
    placed = (1 - untold) * stalled
    if left_out:
        assert left_out == [pytest.approx(min(placed, stalled - period), abs=period / 2 + 1e-5)]
    else:
        assert min(placed, stalled - period) < period / 2


@given(st.floats(1, 300), st.floats(0.01, 1))
def test_orders_taken_together_are_within_a_hundredth_of_their_own_waits(stalled: float, period: float) -> None:
    grouped = [waited for waited, together in overdue_orders(Delay(stalled, 0.0), period) for _ in range(together)]

    alone = [(stalled - number * period) * 1e6 for number in range(1, int(stalled / period) + 1)]
    assert grouped == pytest.approx(alone, rel=0.01, abs=1)


def test_long_outage_is_grouped_into_few_pairs() -> None:
    overdue = list(overdue_orders(Delay(3_600.0, 3_599.99), 0.005))

    assert sum(together for _, together in overdue) == 720_000
    assert len(overdue) < 1_000


def test_the_period_is_think_time_and_the_mean_response_time_before_this_second() -> None:
    schedule = IntendedSchedule(think_seconds=0.75)
    schedule.overdue([], orders=4, order_us=1_000_000)

    packed = schedule.overdue([Delay(3.5, 0.0)], orders=1, order_us=3_500_000)

    assert packed is not None
    assert unpack(packed) == {bucket_of(waited): 1 for waited in (2_500_000, 1_500_000, 500_000)}


def test_first_second_uses_its_own_mean() -> None:
    schedule = IntendedSchedule(think_seconds=1.0)
    schedule.overdue([], orders=0, order_us=0)

    packed = schedule.overdue([Delay(4.5, 0.0)], orders=2, order_us=2_000_000)

    assert packed is not None
    assert [value_of(bucket) for bucket in unpack(packed)] == pytest.approx([500_000, 2_500_000], rel=0.001)


def test_users_who_do_not_think_have_no_schedule() -> None:
    assert IntendedSchedule(0.0).overdue([Delay(9.0, 9.0)], orders=1, order_us=1) is None


def test_second_without_overdue_orders_has_an_empty_histogram() -> None:
    assert IntendedSchedule(0.02).overdue([], orders=7, order_us=35_000) == b""
