"""The change from one figure to another, with a defined answer where there is none."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.comparing.change import Change, change_of

FIGURES = st.one_of(st.integers(-(10**9), 10**9), st.floats(-1e9, 1e9), st.decimals(-(10**9), 10**9, places=4))


def test_change_has_absolute_percent_and_factor() -> None:
    change = change_of(36_833, 16_771)
    assert change.absolute == 20_062
    assert (f"{change.percent:+.1f}", f"{change.times:.2f}") == ("+119.6", "2.20")


def test_change_of_decimals_is_exact() -> None:
    assert change_of(Decimal("0.30"), Decimal("0.10")) == Change(absolute=0.2, percent=200, times=3)


@pytest.mark.parametrize("figures", [(None, 1), (1, None), (None, None), (math.nan, 1), (1, math.inf)])
def test_change_of_an_unknown_figure_is_unknown(figures: tuple[float | None, float | None]) -> None:
    assert change_of(*figures) == Change()


def test_change_from_zero_has_no_percent() -> None:
    assert change_of(5, 0) == Change(absolute=5)
    assert change_of(0, 5) == Change(absolute=-5, percent=-100, times=0)


@given(FIGURES, FIGURES.filter(lambda base: abs(base) > 0.001))
def test_change_added_to_base_gives_the_figure(figure: float | Decimal, base: float | Decimal) -> None:
    change = change_of(figure, base)
    assert change.absolute is not None
    assert change.percent is not None
    assert change.times is not None
    near = pytest.approx(float(figure), rel=1e-9, abs=1e-3)
    assert float(base) + change.absolute == near
    assert float(base) + abs(float(base)) * change.percent / 100 == near
    assert float(base) * change.times == near
