"""Even and logarithmic scales, in numbers alone."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from widgets.parts.chart.amounts import LINEAR, LOGARITHMIC, Amounts

VALUES = st.floats(1e-2, 1e6)
BOTH = pytest.mark.parametrize("amounts", [LINEAR, LOGARITHMIC], ids=["linear", "logarithmic"])


@BOTH
@given(value=VALUES)
def test_value_is_recovered_from_its_position(amounts: Amounts, value: float) -> None:
    assert amounts.value(amounts.position(value)) == pytest.approx(value)
    assert amounts.positions(np.array([value]))[0] == pytest.approx(amounts.position(value))


def test_logarithmic_scale_excludes_values_not_above_0() -> None:
    positions = LOGARITHMIC.positions(np.array([0.0, -1.0, np.nan, 100.0]))
    assert np.isnan(positions[:3]).all()
    assert positions[3] == 2


@BOTH
@given(one=VALUES, other=VALUES, most=st.integers(1, 10))
def test_ticks_are_round_inside_the_range_and_fit(amounts: Amounts, one: float, other: float, most: int) -> None:
    bottom, top = amounts.fitted(*amounts.first_range, min(one, other), max(one, other))
    ticks = amounts.ticks(bottom, top, most)
    assert len(ticks) <= most + 1
    assert all(bottom - 1e-6 * abs(bottom) - 1e-9 <= tick <= top + 1e-6 * abs(top) + 1e-9 for tick in ticks)
    assert len(amounts.tick_texts(ticks)) == len(ticks)


@given(highest=VALUES)
def test_a_low_axis_from_0_has_a_second_value_far_from_it(highest: float) -> None:
    bottom, top = LINEAR.fitted(*LINEAR.first_range, 0, highest)
    zero, other = LINEAR.ticks(bottom, top, 1)
    assert zero == 0
    assert other >= 0.6 * top


def test_logarithmic_axis_has_plain_numbers() -> None:
    ticks = LOGARITHMIC.ticks(-1, 3, 20)
    texts = LOGARITHMIC.tick_texts(ticks)
    assert texts[:5] == ["0.1", "0.2", "0.5", "1", "2"]
    assert texts[-1] == "1\u202f000"
    assert LOGARITHMIC.tick_texts(LOGARITHMIC.ticks(-1, 3, 5)) == ["0.1", "1", "10", "100", "1\u202f000"]


@given(one=VALUES, other=VALUES)
def test_logarithmic_range_includes_all_values_and_a_decade(one: float, other: float) -> None:
    lowest, highest = min(one, other), max(one, other)
    bottom, top = LOGARITHMIC.fitted(*LOGARITHMIC.first_range, lowest, highest)
    assert bottom <= math.log10(lowest)
    assert math.log10(highest) <= top
    assert top - bottom >= 1 - 1e-9


@BOTH
@given(one=VALUES, other=VALUES)
def test_fitting_range_is_kept(amounts: Amounts, one: float, other: float) -> None:
    assume(one != other)
    fitted = amounts.fitted(*amounts.first_range, min(one, other), max(one, other))
    again = amounts.fitted(*fitted, min(one, other), max(one, other))
    assert again == pytest.approx(fitted) or again[1] - again[0] < fitted[1] - fitted[0]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_low_logarithmic_axis_has_two_values(most: int) -> None:
    assert LOGARITHMIC.tick_texts(LOGARITHMIC.ticks(0, 2.7, most)[:2]) == (["1", "10"] if most == 3 else ["1", "100"])
    assert len(LOGARITHMIC.ticks(-1, 3, most)) > 1
