"""Suspends and changes of the time of day, with clocks that the test sets; and the real ones at rest."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.driver.clock_watch import Clocks, ClockWatch, ProcessClock, read_clocks

LABELS = {7: "client ds2 #7", 8: "client ds2 #8"}


class Bench:
    """A watch with the test's own clocks; ``has_always`` is whether one goes on in a suspend."""

    def __init__(self, *, has_always: bool = True) -> None:
        self.clocks = Clocks(100.0, 1_000.0, 500.0 if has_always else None)
        self.watch = ClockWatch(LABELS, lambda: self.clocks)
        self.watch.look()

    def after(self, monotonic: float, wall: float, always: float | None = None) -> list[str]:
        """The labels told when the clocks have gone on by so much; the third as the first unless it is given."""
        was = self.clocks
        went = monotonic if always is None else always
        self.clocks = Clocks(
            was.monotonic + monotonic, was.wall + wall, None if was.always is None else was.always + went
        )
        return [label for label, _ in self.watch.look()]


@pytest.mark.parametrize("has_always", [True, False])
def test_clocks_that_go_on_evenly_tell_nothing(has_always: bool) -> None:
    bench = Bench(has_always=has_always)
    assert [bench.after(1.0, 1.0 + drift) for drift in (0.0, 0.0005, -0.3, 0.4)] == [[]] * 4


def test_a_suspend_is_told_with_its_length_and_is_no_change_of_the_clock() -> None:
    assert Bench().after(1.0, 13.3, 13.3) == ["the workstation was suspended for 12.3 s"]


@pytest.mark.parametrize("has_always", [True, False])
def test_a_suspend_that_the_run_s_seconds_leave_out_says_that_its_times_of_day_are_off(has_always: bool) -> None:
    clocks = iter((Clocks(0.0, 0.0, 0.0), Clocks(1.0, 13.3, 13.3)))
    without = iter((Clocks(0.0, 0.0, None), Clocks(13.3, 13.3, None)))
    watch = ClockWatch(LABELS, (clocks if has_always else without).__next__)
    watch.look()
    ((_, detail),) = watch.look()
    assert ("its times of day are too early by that" in detail) is has_always


def test_a_clock_that_is_set_is_told_with_the_step() -> None:
    bench = Bench()
    assert bench.after(1.0, 3_601.0) == ["the workstation's clock was set 3600.0 s ahead"]
    assert bench.after(1.0, -0.5) == ["the workstation's clock was set 1.5 s back"]
    assert bench.after(1.0, 1.0) == []


def test_both_at_once_are_told_apart() -> None:
    assert Bench().after(1.0, 31.0, 11.0) == [
        "the workstation was suspended for 10.0 s",
        "the workstation's clock was set 20.0 s ahead",
    ]


def test_without_a_clock_for_it_a_standstill_stands_for_a_suspend() -> None:
    bench = Bench(has_always=False)
    assert bench.after(3.0, 3.0) == []
    assert bench.after(30.0, 30.0) == ["the workstation was suspended for 30.0 s"]


def test_the_quickest_word_tells_how_far_a_clients_clock_is() -> None:
    watch = ClockWatch(LABELS)
    for told_at, arrived_at in ((1.0, 1.02), (2.0, 2.0004), (3.0, 3.3)):
        watch.heard(7, told_at, arrived_at)
    watch.heard(8, 3.0, 2.99)
    assert watch.offsets_ms == {7: 0.4, 8: -10.0}


def drifts_of(offsets_ms: Sequence[float]) -> list[float]:
    """What is told of a client whose clock is so far behind, while most of its words take a while."""
    clock = ProcessClock()
    told = []
    for second, offset_ms in enumerate(offsets_ms):
        way_ms = 0.2 if second % 30 == 17 else 40.0
        told.append(clock.heard(second, second + (offset_ms + way_ms) / 1000))
    return [drift for drift in told if drift is not None]


def test_a_clock_that_drifts_by_more_than_five_milliseconds_is_told_once() -> None:
    (behind,) = drifts_of([0.05 * second for second in range(300)])
    assert behind == pytest.approx(6.0), "in the first thirty seconds that are more than 5 ms from the first of all"
    (ahead,) = drifts_of([-0.1 * second for second in range(300)])
    assert ahead == pytest.approx(-6.0)


@given(st.floats(-1e4, 1e4), st.lists(st.floats(-2.49, 2.49), max_size=200))
def test_an_offset_that_stays_is_no_drift_however_long_the_ways(offset_ms: float, sways_ms: list[float]) -> None:
    assert drifts_of([offset_ms + sway for sway in sways_ms]) == []


def test_a_drift_names_the_client_and_what_it_means() -> None:
    watch = ClockWatch(LABELS)
    told = [each for second in range(60) for each in watch.heard(8, second, second + (0.007 if second > 29 else 0))]
    ((label, detail),) = told
    assert label == "the clock of client ds2 #8 went 7 ms behind"
    assert "too early" in detail
    assert watch.offsets_ms == {8: 0.0}


def test_the_real_clocks_are_read_at_one_moment() -> None:
    first, second = read_clocks(), read_clocks()
    assert second.monotonic >= first.monotonic
    assert abs((second.wall - first.wall) - (second.monotonic - first.monotonic)) < 0.5
