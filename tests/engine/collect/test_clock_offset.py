"""The offset of a source's clock, by Hypothesis over delays, and when a clock was set."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.collect.clock_offset import EXCHANGES, ClockOffset
from engine.collect.source import ClockExchange

delays = st.floats(0.0, 5.0)
offsets = st.floats(-1e5, 1e5)


def exchange(
    at: float, offset: float, *, there: float = 0.001, back: float = 0.001, resolution: float = 0.0
) -> ClockExchange:
    """A question sent at a moment, which took ``there`` and ``back`` seconds."""
    return ClockExchange(
        sent_utc_seconds=at,
        source_utc_seconds=at + there + offset,
        answered_utc_seconds=at + there + back,
        resolution_seconds=resolution,
    )


@given(offset=offsets, ways=st.lists(st.tuples(delays, delays), min_size=1, max_size=30))
def test_the_true_offset_is_always_within_the_error(offset: float, ways: list[tuple[float, float]]) -> None:
    clock = ClockOffset()
    for number, (there, back) in enumerate(ways):
        clock.add(exchange(1000.0 + 20 * number, offset, there=there, back=back))
        assert clock.now is not None
        assert abs(clock.now.seconds - offset) <= clock.now.error_seconds + 1e-6


@given(st.lists(st.tuples(delays, delays), min_size=EXCHANGES, max_size=3 * EXCHANGES))
def test_the_error_is_half_of_the_least_round_trip_of_the_last_ten(ways: list[tuple[float, float]]) -> None:
    clock = ClockOffset()
    for number, (there, back) in enumerate(ways):
        clock.add(exchange(1000.0 + 20 * number, 7.0, there=there, back=back))
    assert clock.now is not None
    assert clock.now.error_seconds == pytest.approx(min(sum(each) for each in ways[-EXCHANGES:]) / 2, abs=1e-6)


def test_a_clock_of_whole_seconds_is_known_within_half_a_second_more() -> None:
    clock = ClockOffset()
    clock.add(exchange(1000.0, 3.0, there=0.01, back=0.01, resolution=0.5))
    assert clock.now is not None
    assert clock.now.error_seconds == pytest.approx(0.51)


def test_a_clock_that_was_set_is_known_at_once() -> None:
    clock = ClockOffset()
    for second in range(30):
        clock.add(exchange(1000.0 + second, 0.5))
    clock.add(exchange(1030.0, -89.5, there=0.3, back=0.3))  # the least certain exchange of all
    assert clock.now is not None
    assert clock.now.seconds == pytest.approx(-89.5)


def test_drift_is_unknown_in_the_first_minute_and_then_measured() -> None:
    clock = ClockOffset()
    for second in range(600):
        clock.add(exchange(1000.0 + second, 2.0 + 50e-6 * second))
        if second < 60:
            assert clock.drift_ppm is None
    assert clock.drift_ppm == pytest.approx(50, rel=0.05)


def test_a_change_that_is_less_than_its_error_is_no_drift() -> None:
    clock = ClockOffset()
    for second in range(600):
        clock.add(exchange(1000.0 + second, 2.0 + 1e-6 * second))
    assert clock.drift_ppm is None
