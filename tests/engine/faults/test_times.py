import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.faults.times import LATEST_SECONDS, checked_duration, duration_of, duration_text, seconds_of, time_text

MILLISECONDS = st.integers(0, int(LATEST_SECONDS) * 1000)


@given(MILLISECONDS)
def test_a_time_reads_back(milliseconds: int) -> None:
    assert seconds_of(time_text(milliseconds / 1000)) == milliseconds / 1000
    assert duration_of(duration_text(milliseconds / 1000)) == milliseconds / 1000


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (59.5, "0:59.500"), (3599, "59:59"), (3600, "1:00:00")])
def test_how_a_time_is_written(seconds: float, text: str) -> None:
    assert time_text(seconds) == text


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("40s", 40), ("500ms", 0.5), ("2m", 120), ("2min", 120), ("1h", 3600), ("0:40", 40), ("40", 40), ("1.5S", 1.5)],
)
def test_a_duration_as_it_is_typed(text: str, seconds: float) -> None:
    assert duration_of(text) == seconds


@pytest.mark.parametrize("text", ["", "s", "-5s", "5 s", "1e3", "forty", "40sec", "٣s", "5:7"])
def test_a_duration_that_can_not_be_read_says_what_to_write(text: str) -> None:
    with pytest.raises(BadInput, match="write seconds such as 40s, or minutes and seconds such as 0:40"):
        duration_of(text)


@pytest.mark.parametrize("value", [True, "5", None, -0.1, float("nan"), float("inf"), 10.1])
def test_a_duration_out_of_range_is_refused(value: object) -> None:
    with pytest.raises(BadInput, match=r"^lasts is .*; give seconds from 0 to 10\."):
        checked_duration("lasts", value, most=10)
