"""Ranges and steps of charts, in numbers alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from widgets.parts.chart_scale import ChartRange, amount_step, live_span, nice_top, time_label, time_step, time_unit

SECONDS = st.integers(0, 10 * 86_400)
AMOUNTS = st.floats(1e-3, 1e9)


@given(st.floats(1, 1e6), st.integers(1, 30))
def test_a_time_axis_has_no_more_labels_than_fit(span: float, most: int) -> None:
    assert span / time_step(span, most) <= most


@given(AMOUNTS, st.integers(1, 12))
def test_an_amount_axis_has_round_steps_and_no_more_than_fit(span: float, most: int) -> None:
    step = amount_step(span, most)

    assert span / step <= most * (1 + 1e-6)
    assert f"{step:e}"[0] in "125"


@pytest.mark.parametrize(
    ("seconds", "step", "furthest", "text"),
    [
        (0, 60, 600, "0:00"),
        (-90, 30, 600, "−1:30"),
        (2_700, 600, 3_000, "45:00"),
        (5_400, 600, 7_000, "1:30"),
        (5_405, 5, 7_000, "1:30:05"),
        (90_000, 3_600, 90_000, "25:00"),
    ],
)
def test_times_are_written_as_their_unit_says(seconds: int, step: int, furthest: int, text: str) -> None:
    unit = time_unit(step, furthest)

    assert time_label(seconds, unit) == text
    assert text.count(":") == unit.count(":")


@given(SECONDS)
def test_a_growing_run_has_room_and_uses_at_least_a_third_of_it(seconds: int) -> None:
    span = live_span(seconds)

    assert span >= seconds
    assert span <= max(60, 3 * seconds)


@given(AMOUNTS)
def test_the_highest_value_is_on_the_scale_and_high_on_it(highest: float) -> None:
    assert highest < nice_top(highest) <= 1.7 * highest


@given(st.lists(st.one_of(st.just(0.0), AMOUNTS), min_size=1, max_size=50))
def test_the_amounts_begin_at_0_and_always_fit(highest_values: list[float]) -> None:
    shown = ChartRange()
    for highest in highest_values:
        shown.fit_y(highest)
        assert shown.bottom == 0
        assert shown.top >= highest


def test_a_small_change_of_the_highest_value_leaves_the_scale_alone() -> None:
    shown = ChartRange()
    shown.fit_y(1000)
    top = shown.top
    shown.fit_y(800)
    assert shown.top == top
    shown.fit_y(100)
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
def test_by_hand_some_of_the_run_stays_in_view(seconds: int, moves: list[tuple[str, float]]) -> None:
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
def test_zooming_leaves_the_second_under_the_pointer_where_it_is(factor: float, share: float) -> None:
    shown = ChartRange()
    shown.set_extent(0, 1000, growing=False)
    about = 1000 * share

    shown.zoom(factor, about)

    assert (about - shown.first) / (shown.last - shown.first) == pytest.approx(share, abs=1e-6)


def test_it_follows_a_growing_run_in_steps_until_zoomed_and_again_after() -> None:
    shown = ChartRange()
    shown.set_extent(0, 50, growing=True)
    assert (shown.first, shown.last) == (0, 60)
    shown.set_extent(0, 61, growing=True)
    assert (shown.first, shown.last) == (0, 120)

    shown.zoom(0.5)
    by_hand = shown.first, shown.last
    shown.set_extent(0, 500, growing=True)
    assert (shown.first, shown.last) == by_hand

    shown.back_to_live()
    assert (shown.first, shown.last) == (0, 600)
    shown.set_extent(0, 500, growing=False)
    assert (shown.first, shown.last) == (0, 500)


def test_amounts_by_hand_stay_until_the_way_back() -> None:
    shown = ChartRange()
    shown.fit_y(1000)
    shown.pan_y(100)
    assert shown.bottom == 0  # it stands on 0 until it is zoomed

    shown.zoom_y(0.5, 800)
    shown.fit_y(1000)
    assert shown.bottom == pytest.approx(400)
    shown.pan_y(-10_000)
    assert shown.bottom == 0

    shown.back_to_live()
    shown.fit_y(1000)
    assert (shown.bottom, shown.top) == (0, 1200)
