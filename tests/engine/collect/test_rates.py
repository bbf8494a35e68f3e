from hypothesis import given
from hypothesis import strategies as st

from engine.collect.rates import Rates


def test_the_rate_is_of_the_time_since_the_last_total() -> None:
    rates = Rates()
    assert rates.per_second("reads", 1000, 10.0) is None
    assert rates.per_second("reads", 1030, 11.5) == 20
    assert rates.per_second("writes", 5, 11.5) is None
    assert rates.per_second("reads", 1030, 12.5) == 0


def test_after_a_reset_the_rate_is_unknown_until_the_next_total() -> None:
    rates = Rates()
    rates.per_second("reads", 1000, 1.0)
    assert rates.per_second("reads", 3, 2.0) is None
    assert rates.per_second("reads", 7, 3.0) == 4


def test_a_clock_that_stands_or_goes_back_gives_no_rate() -> None:
    rates = Rates()
    rates.per_second("reads", 1, 2.0)
    assert rates.per_second("reads", 2, 2.0) is None
    assert rates.per_second("reads", 3, 1.0) is None


@given(st.lists(st.integers(0, 2**64), min_size=2))
def test_no_rate_is_negative(totals: list[int]) -> None:
    rates = Rates()
    found = [rates.per_second("counter", total, second) for second, total in enumerate(totals)]
    assert all(rate is None or rate >= 0 for rate in found)
