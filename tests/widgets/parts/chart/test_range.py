"""What a chart shows, by hand and by itself, in numbers alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from widgets.parts.chart.amounts import LOGARITHMIC
from widgets.parts.chart.range import ChartRange

AMOUNTS = st.floats(1e-3, 1e9)


@given(st.lists(st.one_of(st.just(0.0), AMOUNTS), min_size=1, max_size=50))
def test_value_axis_begins_at_0_and_fits(highest_values: list[float]) -> None:
    shown = ChartRange()
    for highest in highest_values:
        shown.fit_y(0, highest)
        assert shown.bottom == 0
        assert shown.top >= highest


def test_small_change_of_the_maximum_keeps_the_scale() -> None:
    shown = ChartRange()
    shown.fit_y(0, 1000)
    top = shown.top
    shown.fit_y(0, 800)
    assert shown.top == top
    shown.fit_y(0, 100)
    assert shown.top < top / 2


@given(
    st.integers(1, 100_000),
    st.lists(
        st.one_of(
            st.tuples(st.just("zoom"), st.floats(0.01, 100)),
            st.tuples(st.just("pan"), st.floats(-1e6, 1e6)),
        ),
        min_size=1,
        max_size=20,
    ),
)
def test_panning_keeps_part_of_the_run_visible(seconds: int, moves: list[tuple[str, float]]) -> None:
    shown = ChartRange()
    shown.set_extent(0, seconds, growing=False)
    for name, amount in moves:
        getattr(shown, name)(amount)
        span = shown.last - shown.first
        assert min(4.99, seconds) <= span <= 1.26 * seconds
        assert shown.first < seconds
        assert shown.last > 0
    assert not shown.is_live


@given(st.floats(0.2, 0.9), st.floats(0, 1))
def test_zooming_keeps_the_second_under_the_pointer(factor: float, share: float) -> None:
    shown = ChartRange()
    shown.set_extent(0, 1000, growing=False)
    about = 1000 * share

    shown.zoom(factor, about)

    assert (about - shown.first) / (shown.last - shown.first) == pytest.approx(share, abs=1e-6)


def test_range_follows_a_growing_run_unless_zoomed() -> None:
    shown = ChartRange()
    shown.set_extent(0, 50, growing=True)
    assert (shown.first, shown.last) == (0, 60)
    shown.set_extent(0, 61, growing=True)
    assert (shown.first, shown.last) == (0, 65)

    shown.zoom(0.5)
    by_hand = shown.first, shown.last
    shown.set_extent(0, 500, growing=True)
    assert (shown.first, shown.last) == by_hand

    shown.back_to_live()
    assert shown.first == 0
    assert 500 < shown.last < 550
    shown.set_extent(0, 500, growing=False)
    assert (shown.first, shown.last) == (0, 500)


def test_manual_value_range_is_kept_until_reset() -> None:
    shown = ChartRange()
    shown.fit_y(0, 1000)
    shown.pan_y(100)
    assert shown.bottom == 0  # it stands on 0 until it is zoomed

    shown.zoom_y(0.5, 800)
    shown.fit_y(0, 1000)
    assert shown.bottom == pytest.approx(400)
    shown.pan_y(-10_000)
    assert shown.bottom == 0

    shown.back_to_live()
    shown.fit_y(0, 1000)
    assert (shown.bottom, shown.top) == (0, 1200)


def test_range_ends_with_the_plan_also_for_late_data() -> None:
    shown = ChartRange()
    shown.set_extent(-30, 20, growing=True, planned_end=300)
    assert (shown.first, shown.last) == (-30, 300)
    shown.set_extent(-30, 320, growing=True, planned_end=300)
    assert (shown.first, shown.last) == (-30, 320)


def test_changing_the_scale_refits_the_range() -> None:
    shown = ChartRange()
    shown.fit_y(5, 1000)
    shown.zoom_y(0.5)
    shown.set_amounts(LOGARITHMIC)
    shown.fit_y(5, 1000)
    assert LOGARITHMIC.value(shown.bottom) <= 5
    assert LOGARITHMIC.value(shown.top) >= 1000
    before = shown.bottom
    shown.zoom_y(1.5)
    shown.pan_y(-1)
    assert shown.bottom < before
