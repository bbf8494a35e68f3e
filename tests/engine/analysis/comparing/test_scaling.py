"""Scaling tables: the published increases to the printed digit, and factors that are no numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.comparing.scaling import ScalingPoint, by_factor, factor_number, scaling
from tests.engine.analysis.published_rows import totals_of

POINTS = st.lists(
    st.builds(
        ScalingPoint,
        factor=st.one_of(st.integers(-5, 64).map(str), st.sampled_from(["HDD", "SSD", "nan", "1e999", ""])),
        headline_rate=st.none() | st.integers(0, 10**7),
    ),
    max_size=8,
)


def points(**opms: int) -> list[ScalingPoint]:
    return [
        ScalingPoint(factor=factor.lstrip("n"), headline_rate=totals_of({"ds2": opm}).headline_rate)
        for factor, opm in opms.items()
    ]


def test_scaling_matches_published_increases() -> None:
    steps = scaling(points(n1=16_771, n2=36_833, n4=59_409))
    assert [f"{step.increase.percent:+.1f}" for step in steps] == ["+0.0", "+119.6", "+254.2"]
    assert [f"{step.increase.times:.2f}" for step in steps] == ["1.00", "2.20", "3.54"]
    assert [step.headline_rate_per_unit for step in steps] == [16_771, 18_416.5, 14_852.25]
    assert [f"{step.efficiency_pct:.1f}" for step in steps if step.efficiency_pct] == ["100.0", "109.8", "88.6"]


def test_scaling_is_relative_to_the_first_point() -> None:
    steps = scaling(points(n4=59_409, n1=16_771))
    assert [f"{step.increase.percent:+.1f}" for step in steps] == ["+0.0", "-71.8"]
    assert [point.factor for point in by_factor(points(n10=1, n9=2, n4=3))] == ["4", "9", "10"]


def test_a_factor_that_is_a_text_has_an_increase_and_nothing_per_unit() -> None:
    given_points = [ScalingPoint(factor="HDD", headline_rate=100), ScalingPoint(factor="SSD", headline_rate=300)]
    ssd = scaling(given_points)[1]
    assert ssd.increase.percent == 200
    assert (ssd.number, ssd.headline_rate_per_unit, ssd.efficiency_pct) == (None, None, None)
    assert by_factor(given_points) == given_points


@pytest.mark.parametrize(("text", "number"), [("4", 4), (" 0.5 ", 0.5), ("four", None), ("inf", None), ("", None)])
def test_factor_number_parses_numbers(text: str, number: float | None) -> None:
    assert factor_number(text) == number


@given(POINTS)
def test_scaling_accepts_any_points(table: list[ScalingPoint]) -> None:
    steps = scaling(table)
    assert [(step.factor, step.headline_rate) for step in steps] == [
        (point.factor, point.headline_rate) for point in table
    ]
    for step in steps:
        assert (step.headline_rate_per_unit is None) is (
            step.headline_rate is None or step.number is None or step.number <= 0
        )
        assert (step.increase.absolute is None) is (step.headline_rate is None or steps[0].headline_rate is None)
        assert (step.increase.percent is None) is (step.headline_rate is None or not steps[0].headline_rate)
