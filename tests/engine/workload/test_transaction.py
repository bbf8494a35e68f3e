"""Metrics: their values with and without decimals."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from engine.analysis.headline import headline_of
from engine.analysis.series.rates import metric_values, rounded_down
from engine.workload.registry import find_workload

TRADES, ORDERS = find_workload("brokerage").headline, find_workload("dvdstore").headline


@given(count=some.integers(0, 10**9), seconds=some.integers(1, 10**6))
def test_a_value_is_rounded_down_to_the_decimals_that_it_shows(count: int, seconds: int) -> None:
    value, exact = TRADES.value(count, seconds), Fraction(count, seconds)
    step = Fraction(1, 100 if exact < 10 else 10)
    assert 0 <= exact - Fraction(str(value)) < step
    assert float(headline_of("brokerage").text(value).replace("\u202f", "")) == value


@given(some.lists(some.tuples(some.integers(0, 10**6), some.integers(1, 10**4)), min_size=1, max_size=20))
def test_values_of_arrays_are_those_of_each_element(pairs: list[tuple[int, int]]) -> None:
    counts, seconds = (np.array(each, dtype=np.int64) for each in zip(*pairs, strict=True))
    for metric in (TRADES, ORDERS):
        assert metric_values(metric, counts, seconds).tolist() == [metric.value(*each) for each in pairs]


def test_sums_of_rates_have_the_decimals_of_the_metric() -> None:
    rates = np.array([0.257, 9.876, 10.29, 105.37])
    assert rounded_down(TRADES, rates).tolist() == [0.25, 9.87, 10.2, 105.3]
    assert rounded_down(ORDERS, rates).tolist() == [0, 9, 10, 105]


def test_a_metric_by_the_minute_stays_a_whole_number() -> None:
    assert ORDERS.value(1_799, 7) == 60 * 1_799 // 7
    assert isinstance(ORDERS.value(1_799, 7), int)


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (0.0, "0.00"), (9.87, "9.87"), (105.3, "105.3"), (1_204.5, "1\u202f204.5")]
)
def test_trades_a_second_have_decimals(value: float | None, text: str) -> None:
    assert headline_of("brokerage").text(value) == text


def test_differences_watts_and_wanted_rates_have_decimals_too() -> None:
    trades, orders = headline_of("brokerage"), headline_of("dvdstore")
    assert (trades.signed(-1.25, 8.5), trades.signed(7.6, 1_677.8), trades.signed(0.43, 10.3)) == (
        "−1.25",
        "+7.6",
        "+0.4",
    )
    assert (trades.per_watt_text(0.1523), trades.due_text(2.5)) == ("0.152", "2.5/s")
    assert (orders.signed(-1.25, 8), orders.per_watt_text(12.34), orders.due_text(6_000)) == (
        "−1",
        "12.3",
        "6\u202f000/min",
    )
