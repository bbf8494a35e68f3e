"""Moments of the monotonic clock as seconds of a run, and the other way."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.driver.timebase import Timebase

EPOCHS = st.floats(0, 1e7)
TICKS = st.sampled_from([0.02, 0.1, 1.0])


def test_a_second_of_a_run_is_one_of_the_clock() -> None:
    assert Timebase(1000.0).at(1002.5) == 2.5
    assert Timebase(1000.0).moment(2.5) == 1002.5


def test_an_accelerated_run_has_more_seconds_than_the_clock() -> None:
    timebase = Timebase(1000.0, tick_seconds=0.25)
    assert timebase.at(1001.5) == 6
    assert timebase.moment(6) == 1001.5
    assert timebase.at(999.5) == -2


def test_without_an_epoch_no_second_has_begun() -> None:
    assert Timebase(math.inf).at(1000.0) < 0


@given(epoch=EPOCHS, tick_seconds=TICKS, second=st.integers(0, 200_000))
def test_every_second_of_a_long_run_is_found_again(epoch: float, tick_seconds: float, second: int) -> None:
    timebase = Timebase(epoch, tick_seconds)
    assert timebase.at(timebase.moment(second)) == pytest.approx(second, abs=1e-5)
    assert timebase.moment(second) < timebase.moment(second + 1)
