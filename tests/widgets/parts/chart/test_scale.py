"""Ranges and steps of charts, in numbers alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from widgets.parts.chart.scale import amount_step, live_span, nice_top, time_label, time_step, time_unit

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
def test_times_are_formatted_by_unit(seconds: int, step: int, furthest: int, text: str) -> None:
    unit = time_unit(step, furthest)

    assert time_label(seconds, unit) == text
    assert text.count(":") == unit.count(":")


@given(SECONDS)
def test_range_without_a_plan_end_has_spare_room(seconds: int) -> None:
    span = live_span(seconds)

    assert span >= seconds
    assert span <= max(60, 1.1 * (seconds + 1))


@given(SECONDS, st.integers(1, 86_400))
def test_planned_run_uses_at_least_a_third_of_the_chart(seconds: int, planned: int) -> None:
    span = live_span(seconds, planned)

    assert span >= seconds
    if span != max(planned, seconds):
        assert span < planned
        assert span <= max(900, 3.3 * (seconds + 1))


@pytest.mark.parametrize(
    ("seconds", "planned", "span"),
    [(0, 180, 180), (125, 180, 180), (200, 180, 200), (10, 1_800, 900), (600, 1_800, 1_800), (60, 86_400, 900)],
)
def test_axis_ends_with_the_plan_once_enough_is_measured(seconds: int, planned: int, span: int) -> None:
    assert live_span(seconds, planned) == span


@given(AMOUNTS)
def test_maximum_is_near_the_top_of_the_scale(highest: float) -> None:
    assert highest < nice_top(highest) <= 1.7 * highest
