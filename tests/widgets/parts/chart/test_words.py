"""A chart described in a sentence."""

import numpy as np
import pytest

from engine.analysis.series.rates import Rates
from widgets.parts.chart.curves import Curve, CurveStyle
from widgets.parts.chart.marks import ChartMark, Marks
from widgets.parts.chart.words import describe


def curve_of(values: Rates, offset: float = 0.0) -> Curve:
    curve = Curve(CurveStyle(name="total", colour=str))
    curve.values, curve.offset = values, offset
    return curve


@pytest.mark.usefixtures("qtbot")
def test_description_without_values_reports_it() -> None:
    expected = "OPM: no data yet."

    assert describe("OPM", None, 0, Marks(), 0, str) == expected
    assert describe("OPM", curve_of(np.full(9, np.nan)), 1, Marks(), 0, str) == expected


@pytest.mark.usefixtures("qtbot")
def test_extremes_are_computed_since_the_origin() -> None:
    values = np.array([0.0, 1.0, 7.0, 5.0, np.nan, 6.0])

    expected = describe("OPM", curve_of(values), 3, Marks(), 2, lambda value: f"{value:.0f}")

    assert expected == "OPM, 3 curves from −0:02 to 0:03; total last 6; lowest 5 at 0:01; highest 7 at 0:00."


@pytest.mark.usefixtures("qtbot")
def test_extremes_before_the_origin_use_all_values() -> None:
    expected = describe("OPM", curve_of(np.array([3.0, 1.0])), 1, Marks(), 60, lambda value: f"{value:.0f}")

    assert "lowest 1 at −0:59" in expected


@pytest.mark.usefixtures("qtbot")
def test_description_counts_many_marks() -> None:
    marks = Marks()
    marks.set([ChartMark(number=number, at_seconds=number, label=f"m{number}") for number in range(1, 8)])

    expected = describe("OPM", curve_of(np.ones(9)), 1, marks, 0, str)

    assert expected.endswith("m5 at 0:05.0 and 2 more.")
