from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine import figure_text
from engine.figure_text import UNKNOWN, planned_length
from tests.texts import plain


def test_figures_match_published_formatting() -> None:
    assert plain(figure_text.whole(186_604)) == "186 604"
    assert plain(figure_text.percent(29.13)) == "29.1 %"
    assert plain(figure_text.signed_percent(254.2365)) == "+254.2 %"
    assert plain(figure_text.signed_percent(-0.1563, 2)) == "−0.16 %"
    assert plain(figure_text.times(2.1962)) == "2.20 ×"


def test_unknown_figure_is_a_dash_without_unit() -> None:
    texts = (
        figure_text.whole(None), figure_text.decimal(None), figure_text.shortest(None), figure_text.percent(None),
        figure_text.signed(None), figure_text.times(None), figure_text.milliseconds(None), figure_text.duration(None),
        figure_text.clock(None), figure_text.clock_tenths(None), figure_text.moment(None),
        figure_text.significant(None), figure_text.variability_text(None),
    )  # fmt: skip
    assert set(texts) == {UNKNOWN}


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.123, "0.12"), (9.994, "9.99"), (9.996, "10.0"), (99.94, "99.9"), (99.96, "100"), (1_204.5, "1 204")],
)
def test_response_times_have_three_digits(number: float, text: str) -> None:
    assert plain(figure_text.milliseconds(number)) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (12.0, "12 s"), (1.94, "1.9 s"), (0.04, "0 s"), (99.94, "99.9 s"), (99.96, "1:40 min"), (245, "4:05 min"),
        (3_599.6, "1:00:00 h"), (3_761, "1:02:41 h"),
    ],
)  # fmt: skip
def test_duration_formats(number: float, text: str) -> None:
    assert plain(figure_text.duration(number)) == text


@pytest.mark.parametrize(
    ("number", "text"), [(0.0, "0.0 s"), (0.2, "0.2 s"), (12.0, "12.0 s"), (245, "4:05 min"), (None, "–")]
)
def test_a_duration_may_have_its_tenths_written(number: float | None, text: str) -> None:
    assert plain(figure_text.duration(number, with_tenths=True)) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0034, "0.00340"), (3.4, "3.40"), (9.996, "10.0"), (99.96, "100"), (20_480.4, "20 480"), (0, "0"),
        (-0.05, "−0.0500"),
    ],
)  # fmt: skip
def test_three_significant_digits(number: float, text: str) -> None:
    assert plain(figure_text.significant(number)) == text


@given(st.floats(1e-6, 1e9), st.sampled_from([1, -1]))
def test_significant_digits_are_within_half_a_per_cent(number: float, sign: int) -> None:
    text = figure_text.significant(sign * number).replace("\u202f", "").replace("−", "-")
    assert abs(float(text) - sign * number) <= 0.0051 * number


def test_a_difference_that_is_rounded_to_nothing_has_no_sign() -> None:
    assert figure_text.signed(0.4) == "0"
    assert figure_text.signed(-0.04, 1) == "0.0"
    assert figure_text.signed(0.05, 2) == "+0.05"


@pytest.mark.parametrize(
    ("at_seconds", "second", "tenth"),
    [
        (0, "0:00", "0:00.0"), (59.96, "0:59", "0:59.9"), (761, "12:41", "12:41.0"), (3_761.4, "1:02:41", "1:02:41.4"),
        (-30, "−0:30", "−0:30.0"), (-0.04, "−0:01", "−0:00.1"), (50.3 - 50, "0:00", "0:00.3"),
        (33.96, "0:33", "0:33.9"),
    ],
)  # fmt: skip
def test_times_on_the_clock_are_rounded_down(at_seconds: float, second: str, tenth: str) -> None:
    assert figure_text.clock(at_seconds) == second
    assert figure_text.clock_tenths(at_seconds) == tenth


@given(st.floats(0, 1e6))
def test_a_moment_to_a_tenth_begins_as_its_second_does(at_seconds: float) -> None:
    assert figure_text.clock_tenths(at_seconds)[:-2] == figure_text.clock(at_seconds)


def test_moment_is_in_utc() -> None:
    local = datetime(2026, 11, 21, 16, 3, tzinfo=timezone(timedelta(hours=2)))
    assert figure_text.moment(local) == figure_text.moment(local.astimezone(UTC)) == "2026-11-21 14:03 UTC"


def test_a_count_has_its_noun() -> None:
    assert plain(figure_text.counted(1, "client")) == "1 client"
    assert plain(figure_text.counted(1_204, "search", "searches")) == "1 204 searches"


@given(st.integers(-(10**12), 10**12))
def test_a_whole_number_is_read_back(number: int) -> None:
    text = figure_text.whole(number)
    assert int(text.replace("\u202f", "").replace("−", "-")) == number
    assert all(len(group) == 3 for group in text.lstrip("−").split("\u202f")[1:])


@given(st.floats(-1e9, 1e9), st.integers(0, 6))
@example(67108864.5390625, 6)
def test_the_shortest_text_is_as_near_as_its_digits(number: float, digits: int) -> None:
    text = figure_text.shortest(number, digits).replace("\u202f", "").replace("−", "-")
    # In decimals: half of the last digit may be less than the distance between two floats.
    assert abs(Decimal(text) - Decimal(number)) <= Decimal("0.5").scaleb(-digits)
    assert not ("." in text and text.endswith(("0", ".")))


@given(st.integers(0, 10**7))
def test_clock_round_trip(at_seconds: int) -> None:
    parts = [int(part) for part in figure_text.clock(at_seconds).split(":")]
    assert sum(part * 60**power for power, part in enumerate(reversed(parts))) == at_seconds
    assert all(part < 60 for part in parts[1:])


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (999_950, "1.0 MB"), (4_200_000_000, "4.2 GB"), (2e18, "2 000 PB")],
)
def test_sizes_have_decimal_units(count: float, text: str) -> None:
    assert plain(figure_text.byte_size(count)) == text


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("LOST: 1,234 orders of 12,345,678 acknowledged.", "LOST: 1 234 orders of 12 345 678 acknowledged."),
        ("3 in doubt: 3 there, 0 not (1, 200, 3).", "3 in doubt: 3 there, 0 not (1, 200, 3)."),
        ("ids 1,2345", "ids 1,2345"),
    ],
)
def test_commas_between_thousands_give_way_to_spaces(sentence: str, shown: str) -> None:
    assert plain(figure_text.spaced(sentence)) == shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("no answer from PostgreSQL", "No answer from PostgreSQL"),
        ("über 3 s", "Über 3 s"),
        ("3 Runs", "3 Runs"),
        ("meter.csv: the file is empty", "meter.csv: the file is empty"),
        ("stopped.", "Stopped."),
        ("", ""),
    ],
)
def test_only_the_first_letter_is_capitalised(said: str, shown: str) -> None:
    assert figure_text.capitalised(said) == shown


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (6, "6 s"), (48, "48 s"), (300, "5 min"), (90, "1 min 30 s"), (5400, "1 h 30 min"), (0.5, "0.5 s")],
)
def test_a_planned_length_has_the_units_that_it_needs(seconds: float, text: str) -> None:
    assert planned_length(seconds) == text
