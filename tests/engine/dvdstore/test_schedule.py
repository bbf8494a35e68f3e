"""What a stall is charged to: held against each overdue order by itself."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.dvdstore.schedule import Delay, IntendedSchedule, overdue_orders
from engine.histogram import bucket_of, unpack, value_of

PERIODS = st.floats(0.000_1, 10)
# In quarters, so that nothing is rounded.
WHOLE = st.integers(1, 400)


@given(PERIODS, st.floats(0, 0.999_999), st.booleans())
def test_without_a_stall_nothing_is_overdue_but_what_failed(period: float, share: float, has_failed: bool) -> None:
    overdue = list(overdue_orders(Delay(share * period, has_failed), period))

    assert overdue == ([(round(share * period * 1e6), 1)] if has_failed else [])


@given(WHOLE, WHOLE, st.booleans())
def test_a_stall_is_charged_to_every_order_due_meanwhile(stalled: int, period: int, has_failed: bool) -> None:
    assume(stalled < 64 * period)  # as long as none are taken together

    overdue = list(overdue_orders(Delay(stalled / 4, has_failed), period / 4))

    due = range(0 if has_failed else period, stalled + 1, period)
    assert overdue == [((stalled - moment) * 250_000, 1) for moment in due]


@given(st.floats(0.001, 20_000), PERIODS, st.booleans())
def test_no_order_is_missed_when_many_are_taken_together(stalled: float, period: float, has_failed: bool) -> None:
    overdue = list(overdue_orders(Delay(stalled, has_failed), period))

    assert sum(together for _, together in overdue) == int(stalled / period) + has_failed
    assert [waited for waited, _ in overdue] == sorted((waited for waited, _ in overdue), reverse=True)


@given(st.floats(1, 300), st.floats(0.01, 1))
def test_orders_taken_together_are_within_a_hundredth_of_their_own_waits(stalled: float, period: float) -> None:
    grouped = [waited for waited, together in overdue_orders(Delay(stalled, False), period) for _ in range(together)]

    alone = [(stalled - number * period) * 1e6 for number in range(1, int(stalled / period) + 1)]
    assert grouped == pytest.approx(alone, rel=0.01, abs=1)


def test_an_outage_of_an_hour_takes_hundreds_of_pairs_and_not_its_orders() -> None:
    overdue = list(overdue_orders(Delay(3_600.0, True), 0.005))

    assert sum(together for _, together in overdue) == 720_001
    assert len(overdue) < 1_000


def test_the_period_is_think_time_and_the_mean_response_time_before_this_second() -> None:
    schedule = IntendedSchedule(think_seconds=0.75)
    schedule.overdue([], orders=4, order_us=1_000_000)

    packed = schedule.overdue([Delay(3.5, False)], orders=1, order_us=3_500_000)

    assert packed is not None
    assert unpack(packed) == {bucket_of(waited): 1 for waited in (2_500_000, 1_500_000, 500_000)}


def test_the_first_second_with_orders_is_its_own_mean() -> None:
    schedule = IntendedSchedule(think_seconds=1.0)
    schedule.overdue([], orders=0, order_us=0)

    packed = schedule.overdue([Delay(4.5, False)], orders=2, order_us=2_000_000)

    assert packed is not None
    assert [value_of(bucket) for bucket in unpack(packed)] == pytest.approx([500_000, 2_500_000], rel=0.001)


def test_users_who_do_not_think_have_no_schedule() -> None:
    assert IntendedSchedule(0.0).overdue([Delay(9.0, True)], orders=1, order_us=1) is None


def test_a_second_in_which_nothing_was_overdue_is_known_to_be_one() -> None:
    assert IntendedSchedule(0.02).overdue([], orders=7, order_us=35_000) == b""
