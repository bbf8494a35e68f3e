"""The points that a curve is drawn from: a choice of its own, with every extreme and every gap."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.series.bins import min_max_bins
from engine.analysis.series.rates import Rates

VALUES = st.lists(
    st.one_of(st.just(float("nan")), st.floats(0, 1e6), st.sampled_from([0.0, 5.0])), min_size=1, max_size=300
).map(lambda values: np.array(values, dtype=np.float64))
BINS = st.integers(1, 40)
BOUNDS = st.integers(0, 320)


@given(VALUES, BOUNDS, BOUNDS, BINS)
def test_every_point_is_one_of_the_curve_within_the_range_and_in_order(
    values: Rates, first: int, end: int, bins: int
) -> None:
    seconds, kept = min_max_bins(values, first, end, bins)

    np.testing.assert_array_equal(kept, values[seconds.astype(int)])
    assert np.all(np.diff(seconds) >= 0)
    assert np.all((seconds >= first) & (seconds < end))


@given(VALUES, BOUNDS, BOUNDS, BINS)
def test_the_lowest_and_the_highest_of_every_bin_are_kept(values: Rates, first: int, end: int, bins: int) -> None:
    seconds, kept = min_max_bins(values, first, end, bins)

    end = min(end, len(values))
    width = max(1, -(-max(0, end - first) // bins))
    for begin in range(first - first % width, end, width):
        known = [value for value in values[max(first, begin) : min(end, begin + width)] if not np.isnan(value)]
        if known:
            inside = kept[(seconds >= begin) & (seconds < begin + width)]
            assert np.nanmin(inside) == min(known)
            assert np.nanmax(inside) == max(known)


@given(VALUES, BINS)
def test_bins_keep_the_width_of_gaps(values: Rates, bins: int) -> None:
    seconds, kept = min_max_bins(values, 0, None, bins)

    def known_stretches(at: Rates, of: Rates) -> list[tuple[float, float]]:
        stretches: list[tuple[float, float]] = []
        is_open = False
        for second, value in zip(at, of, strict=True):
            if np.isnan(value):
                is_open = False
            elif is_open:
                stretches[-1] = (stretches[-1][0], second)
            else:
                stretches.append((second, second))
                is_open = True
        return stretches

    assert known_stretches(seconds, kept) == known_stretches(np.arange(len(values), dtype=float), values)


@given(BINS)
def test_short_range_is_returned_unchanged(bins: int) -> None:
    values = np.arange(2.0 * bins) % 7

    seconds, kept = min_max_bins(values, bins=bins)

    assert seconds.tolist() == list(range(2 * bins))
    assert kept.tolist() == values.tolist()


def test_a_day_becomes_few_points_and_keeps_one_second_of_nothing() -> None:
    values = np.full(86_400, 700.0) + np.arange(86_400) % 13
    values[40_001] = 0.0
    values[50_000:50_005] = np.nan

    seconds, kept = min_max_bins(values, bins=800)

    assert len(seconds) <= 2 * 801 + 4 + 2
    assert seconds[kept == 0].tolist() == [40_001]
    assert seconds[np.isnan(kept)].tolist() == [50_000, 50_004]


@pytest.mark.parametrize(("first", "end"), [(5, 5), (9, 3), (100, 200)])
def test_an_empty_range_has_no_points(first: int, end: int) -> None:
    seconds, kept = min_max_bins(np.ones(50), first, end)

    assert len(seconds) == len(kept) == 0
