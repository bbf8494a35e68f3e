import pytest
from hypothesis import given
from hypothesis import strategies as st

from widgets.parts.numbers import UNKNOWN, byte_size, clock, decimal, milliseconds, percent, signed, spaced, whole


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (whole(186_604), "186\u202f604"),
        (whole(0), "0"),
        (whole(-1_000), "−1\u202f000"),
        (decimal(1234.56, 1), "1\u202f234.6"),
        (percent(1.88), "1.9\u202f%"),
        (signed(12.0), "+12"),
        (signed(0.0, 1), "0.0"),
        (signed(-3.21, 1), "−3.2"),
        (milliseconds(0.804), "0.80"),
        (milliseconds(11.84), "11.8"),
        (milliseconds(1234.0), "1\u202f234"),
        (clock(761), "12:41"),
        (clock(3_761), "1:02:41"),
        (clock(-5), "−0:05"),
        (byte_size(999), "999\u202fB"),
        (byte_size(4_200_000_000), "4.2\u202fGB"),
        (byte_size(999_950), "1.0\u202fMB"),
    ],
)
def test_a_number_stands_as_engineers_write_it(shown: str, expected: str) -> None:
    assert shown == expected


@pytest.mark.parametrize("show", [whole, percent, milliseconds, signed, decimal])
def test_what_is_not_known_is_a_dash_and_never_zero(show: object) -> None:
    assert callable(show)
    assert show(None) == UNKNOWN


@given(st.integers(-(10**15), 10**15))
def test_a_count_reads_back(number: int) -> None:
    assert int(whole(number).replace("\u202f", "").replace("−", "-")) == number


@given(st.integers(0, 10**7))
def test_a_clock_reads_back(seconds: int) -> None:
    parts = [int(part) for part in clock(seconds).split(":")]
    assert sum(part * 60**power for power, part in enumerate(reversed(parts))) == seconds
    assert all(part < 60 for part in parts[1:])


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        (
            "LOST: 1,234 orders of 12,345,678 acknowledged.",
            "LOST: 1\u202f234 orders of 12\u202f345\u202f678 acknowledged.",
        ),
        ("3 in doubt: 3 there, 0 not (1, 200, 3).", "3 in doubt: 3 there, 0 not (1, 200, 3)."),
        ("ids 1,2345", "ids 1,2345"),
    ],
)
def test_commas_between_thousands_give_way_to_spaces(sentence: str, shown: str) -> None:
    assert spaced(sentence) == shown
