"""Samples by counter, numbers of any country, and problems as sentences."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.host.samples import Counter, Samples, csv_rows, found_series, number_of
from engine.errors import BadInput
from engine.telemetry.host_figure import HostFigure

CPU, CPU_0, WATTS = Counter.of(HostFigure.CPU), Counter.of(HostFigure.CPU, "0"), Counter.of(HostFigure.POWER)


@pytest.mark.parametrize(
    ("text", "number"),
    [("12.5", 12.5), ("12,5", 12.5), (" 1,234 ", 1.234), ("1,234.5", 1234.5), ("1.234,5", 1234.5), ("1e3", 1000)],
)
def test_numbers_with_either_decimal_sign_are_parsed(text: str, number: float) -> None:
    assert number_of(text) == number


@pytest.mark.parametrize("text", ["", " ", "OL", "nan", "inf", "1 2", "--"])
def test_invalid_numbers_are_missing(text: str) -> None:
    assert math.isnan(number_of(text))


@given(st.floats(-1e9, 1e9).map(lambda number: round(number, 3)))
def test_a_number_is_read_with_either_sign(number: float) -> None:
    text = f"{number:.3f}"
    assert number_of(text) == number_of(text.replace(".", ",")) == number


def test_lines_after_a_clock_set_back_are_skipped_and_reported() -> None:
    samples = Samples()
    for line, second in enumerate((1.0, 2.0, 1.5, 2.0, 3.0), start=10):
        samples.add(WATTS, second, 5.0, line)
        samples.add(CPU, second, 5.0, line)
    assert [series.utc_seconds.tolist() for series in samples.series()] == [[1, 2, 3]] * 2
    assert samples.notes() == (
        "2 lines, the first of them line 12, are not later than the one before, as of a clock that was set back, and"
        " left out.",
    )


def test_single_processors_are_left_out_if_the_total_is_known() -> None:
    samples = Samples()
    samples.add(CPU_0, 1.0, 5.0, 1)
    assert [series.device for series in samples.series()] == ["0"]
    samples.add(CPU, 1.0, 6.0, 1)
    assert [series.device for series in samples.series()] == [""]


def test_a_file_without_a_value_is_refused_with_its_problems() -> None:
    samples = Samples()
    samples.add(WATTS, 1.0, math.nan, 4)
    samples.problem("with watts that are no number", 4)
    with pytest.raises(BadInput, match=r"the meter file holds no sample .* Line 4 is with watts that are no number\."):
        found_series(samples, "meter")


def test_rows_have_the_numbers_of_their_lines() -> None:
    assert csv_rows('\ufeffa,b\n\n"1,5",2\n', ",") == [(1, ["a", "b"]), (3, ["1,5", "2"])]
    with pytest.raises(BadInput, match="line 2 can't be split into fields"):
        csv_rows('a\n"' + 200_000 * "x", ",")
