import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.parameters.typed_text import (
    LATEST_SECONDS,
    checked_duration,
    duration_of,
    duration_text,
    read_list,
    read_minutes,
    read_number,
    read_whole,
    seconds_of,
    time_text,
    write_list,
    write_minutes,
    write_number,
)

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


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_reads_back_exactly(number: float) -> None:
    assert read_number("Threads", write_number(number)) == number


@given(st.floats(0, 1e12))
@example(99_999_999.0)
def test_minutes_read_back_exactly(minutes: float) -> None:
    assert read_minutes("Run time", write_minutes(minutes)) == minutes


@pytest.mark.parametrize(
    ("typed", "minutes", "written"),
    [
        ("30", 30, "30:00"),
        ("1.5", 1.5, "1:30"),
        ("0.1", 0.1, "0:06"),
        ("30s", 0.5, "0:30"),
        ("2m", 2, "2:00"),
        ("90 ", 90, "1:30:00"),
        ("0:40", 40 / 60, "0:40"),
        ("1h", 60, "1:00:00"),
        ("0", 0, "0:00"),
    ],
)
def test_minutes_are_typed_as_faults_are(typed: str, minutes: float, written: str) -> None:
    assert read_minutes("Run time", typed) == minutes
    assert write_minutes(minutes) == written


@pytest.mark.parametrize("typed", ["", "soon", "5:7", "1,5"])
def test_what_is_no_time_is_named(typed: str) -> None:
    with pytest.raises(BadInput, match=r"^Run time is .*; give minutes such as 30, or 90s, or 1:30"):
        read_minutes("Run time", typed)


@given(st.integers(0, 2**63 - 1))
def test_a_whole_number_reads_back_exactly(number: int) -> None:
    assert read_whole("Seed", write_number(number)) == number


def test_whole_numbers_are_written_without_a_point() -> None:
    assert [write_number(each) for each in (20.0, 0.8, 32, 0.0, 1e-7)] == ["20", "0.8", "32", "0", "1e-07"]


@given(st.lists(st.text("ab ,\"'é", min_size=1).map(str.strip).filter(bool), max_size=4))
def test_a_list_reads_back(entries: list[str]) -> None:
    assert read_list(write_list(entries)) == tuple(entries)


def test_a_list_is_typed_with_commas() -> None:
    assert read_list("nightly, r630-a ,, 20 ms,") == ("nightly", "r630-a", "20 ms")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Threads is empty; give a whole number."),
        ("many", "Threads is 'many'; give a whole number."),
        ("1.5", "Threads is '1.5'; give a whole number."),
    ],
)
def test_what_is_no_whole_number_is_named(text: str, sentence: str) -> None:
    with pytest.raises(BadInput) as error:
        read_whole("Threads", text)
    assert str(error.value) == sentence


def test_a_decimal_comma_is_reported() -> None:
    with pytest.raises(BadInput, match=r"Run time is '0,8'; write it with a decimal point\."):
        read_number("Run time", "0,8")
