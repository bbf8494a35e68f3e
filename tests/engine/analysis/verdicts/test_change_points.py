"""Change points of series whose changes are known."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.analysis.verdicts.change_points import change_points
from engine.errors import BadInput


def drawn(*levels: tuple[float, int], seed: int = 1) -> list[float]:
    """Series of normal draws with a deviation of 1: each level for a number of results."""
    random = np.random.default_rng(seed)
    return [float(value) for level, count in levels for value in random.normal(level, 1, count)]


def indexes(values: Sequence[float]) -> list[int]:
    return [change.index for change in change_points(values)]


def test_each_change_of_level_is_found_where_it_is() -> None:
    changes = change_points(drawn((100, 40), (95, 30), (103, 30)))
    assert [change.index for change in changes] == [40, 70]
    assert [change.change_pct for change in changes] == [pytest.approx(-5, abs=0.6), pytest.approx(8.4, abs=0.8)]
    assert all(change.p_value < 0.01 for change in changes)


def test_medians_are_those_between_neighbouring_change_points() -> None:
    first, second = change_points([1.0] * 6 + [2.0] * 6 + [4.0] * 6)
    assert (first.before, first.after, first.change_pct) == (1.0, 2.0, 100.0)
    assert (second.before, second.after, second.change_pct) == (2.0, 4.0, 100.0)


def test_a_single_outlier_is_no_change() -> None:
    series = drawn((100, 30))
    series[14] = 50.0
    assert indexes(series) == []


def test_at_most_about_one_series_in_twenty_without_a_change_has_a_change_point() -> None:
    found = sum(bool(change_points(drawn((100, 20), seed=seed))) for seed in range(60))
    assert found <= 6  # the number of 60 that is exceeded once in 40 where 1 of 20 is expected


def test_three_results_on_either_side_are_too_few_to_tell() -> None:
    assert indexes(drawn((100, 3), (50, 3))) == []
    assert indexes(drawn((100, 4), (50, 4))) == [4]


@pytest.mark.parametrize("values", [[], [5.0], [5.0] * 20])
def test_a_series_without_variation_has_no_change_point(values: list[float]) -> None:
    assert indexes(values) == []


def test_a_change_from_zero_has_no_percentage() -> None:
    (change,) = change_points([0.0] * 6 + [3.0] * 6)
    assert (change.index, change.change_pct) == (6, None)


def test_a_figure_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(BadInput, match="not a finite number"):
        change_points([1.0, float("nan"), 2.0])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 1_000), min_size=6, max_size=24), st.sampled_from([0.5, 2.0, 4.0]))
def test_change_points_do_not_depend_on_the_unit(values: list[int], factor: float) -> None:
    assert indexes(values) == indexes([factor * value for value in values])
