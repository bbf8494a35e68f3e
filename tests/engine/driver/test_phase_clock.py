"""The phases of runs of any length, stopped at any moment."""

import math
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.driver.phase_clock import RAMP_GRACE_SECONDS, PhaseClock
from engine.record.record import Phases, RunState

MOMENTS = st.integers(0, 10_000_000).map(lambda milliseconds: milliseconds / 1000)
ORDER = [RunState.RAMPING, RunState.WARMING_UP, RunState.MEASURING, RunState.STOPPING]


def clock(*, ramp: float = 0.0, warmup: int = 2, measured: int = 5) -> PhaseClock:
    return PhaseClock(ramp_seconds=ramp, warmup_seconds=warmup, measured_seconds=measured)


@given(MOMENTS, st.integers(0, 600), st.integers(1, 3_600))
def test_phases_begin_with_the_first_whole_second_after_all_are_connected(
    at: float, warmup: int, measured: int
) -> None:
    run = clock(warmup=warmup, measured=measured)
    assert run.phases == Phases()

    run.all_connected(at)

    phases = run.phases
    assert phases.warming_up_from is not None
    assert 0 <= phases.warming_up_from - at < 1
    assert phases.measuring_from == phases.warming_up_from + warmup
    assert phases.measuring_to == phases.measuring_from + measured


@given(MOMENTS, MOMENTS)
def test_the_clock_starts_once(first: float, again: float) -> None:
    run = clock()
    run.all_connected(first)
    begun = run.phases

    run.all_connected(again)

    assert run.phases == begun


@given(MOMENTS, st.integers(0, 600))
def test_without_a_length_measuring_goes_on_until_stopped(at: float, warmup: int) -> None:
    run = clock(warmup=warmup, measured=0)
    run.all_connected(at)
    assert run.phases.measuring_to is None
    assert run.state(1e9) is RunState.MEASURING

    run.stop(20_000.7)

    assert run.phases.measuring_to == 20_000
    assert run.state(20_000.7) is RunState.STOPPING


@given(MOMENTS, st.integers(0, 600), st.integers(0, 3_600), MOMENTS)
def test_a_stop_keeps_only_the_measured_seconds_that_are_over(
    connected: float, warmup: int, measured: int, stopped: float
) -> None:
    assume(stopped >= connected)
    run = clock(warmup=warmup, measured=measured)
    run.all_connected(connected)
    whole = run.phases

    run.stop(stopped)

    phases = run.phases
    assert run.state(stopped) is RunState.STOPPING
    assert phases.warming_up_from == whole.warming_up_from
    assert whole.measuring_from is not None
    if math.floor(stopped) <= whole.measuring_from:
        assert phases == Phases(warming_up_from=whole.warming_up_from)
        assert run.began(RunState.STOPPING) == math.floor(stopped)
    else:
        assert phases.measuring_from == whole.measuring_from
        assert phases.measuring_to is not None
        assert phases.measuring_to <= stopped
        assert whole.measuring_to is None or phases.measuring_to <= whole.measuring_to
        assert run.began(RunState.STOPPING) == phases.measuring_to


@given(MOMENTS, st.integers(0, 600), st.integers(1, 3_600), st.lists(st.integers(1, 3_600), min_size=1, max_size=4))
def test_an_extension_moves_the_end_and_nothing_else(
    connected: float, warmup: int, measured: int, extensions: list[int]
) -> None:
    run = clock(warmup=warmup, measured=measured)
    assert run.extend(extensions[0])
    run.all_connected(connected)
    begun = run.phases
    assert begun.measuring_from is not None
    assert begun.measuring_to == begun.measuring_from + measured + extensions[0]

    for seconds in extensions[1:]:
        assert run.extend(seconds)

    assert run.phases == replace(begun, measuring_to=begun.measuring_from + measured + sum(extensions))
    assert run.phases.measuring_to is not None
    assert run.state(run.phases.measuring_to - 0.001) is RunState.MEASURING
    assert run.state(run.phases.measuring_to) is RunState.STOPPING


def test_a_run_without_an_end_is_not_given_one() -> None:
    run = clock(measured=0)
    run.all_connected(0)

    assert not run.extend(60)
    assert run.phases.measuring_to is None


def test_only_the_first_stop_counts() -> None:
    run = clock()
    run.all_connected(0)
    run.stop(4.5)
    run.stop(6.5)

    assert run.phases.measuring_to == 4


def test_a_run_that_was_stopped_in_its_ramp_has_no_phases() -> None:
    run = clock()
    run.stop(3.2)

    assert run.phases == Phases()
    assert run.state(3.2) is RunState.STOPPING
    assert run.began(RunState.STOPPING) == 3


@given(MOMENTS, st.integers(0, 60), st.integers(1, 60), st.lists(st.floats(0, 200), max_size=30))
def test_states_follow_one_another_and_never_go_back(
    connected: float, warmup: int, measured: int, delays: list[float]
) -> None:
    run = clock(warmup=warmup, measured=measured)
    run.all_connected(connected)

    seen = [ORDER.index(run.state(connected + delay)) for delay in sorted(delays)]

    assert seen == sorted(seen)


@given(MOMENTS, st.integers(0, 60), st.integers(1, 60), st.floats(0, 200))
def test_the_state_only_changes_at_the_next_change(connected: float, warmup: int, measured: int, delay: float) -> None:
    run = clock(warmup=warmup, measured=measured)
    run.all_connected(connected)
    at = connected + delay

    change = run.next_change(at)

    assert change > at
    if change == math.inf:
        assert run.state(at) is RunState.STOPPING
    else:
        assert run.state(math.nextafter(change, 0.0)) is run.state(at)
        assert run.state(change) is not run.state(at)


@given(MOMENTS, st.integers(1, 60), st.integers(1, 60))
def test_a_phase_began_with_the_second_at_which_the_state_changed(connected: float, warmup: int, measured: int) -> None:
    run = clock(warmup=warmup, measured=measured)
    run.all_connected(connected)
    at = math.nextafter(float(math.ceil(connected)), -1.0) if connected else connected

    while (at := run.next_change(at)) != math.inf:
        assert run.began(run.state(at)) == at

    assert run.began(RunState.RAMPING) == 0


def test_a_phase_that_has_not_come_has_no_beginning() -> None:
    with pytest.raises(ValueError, match="measuring has not come"):
        clock().began(RunState.MEASURING)


@given(st.floats(0, 1_000))
def test_a_ramp_is_overdue_some_time_after_it_should_have_ended(ramp: float) -> None:
    run = clock(ramp=ramp)
    deadline = math.ceil(ramp) + RAMP_GRACE_SECONDS

    assert run.next_change(0.0) == deadline
    assert not run.ramp_is_overdue(deadline - 0.001)
    assert run.ramp_is_overdue(deadline)
    run.all_connected(deadline)
    assert not run.ramp_is_overdue(deadline + 1_000)


def test_short_seconds_leave_the_ramp_its_time() -> None:
    run = PhaseClock(ramp_seconds=2.0, warmup_seconds=0, measured_seconds=0, tick_seconds=0.5)
    assert run.next_change(0.0) == 2 * (2 + RAMP_GRACE_SECONDS)


@given(MOMENTS)
def test_without_a_warm_up_measuring_follows_the_ramp(at: float) -> None:
    run = clock(warmup=0)
    run.all_connected(at)

    begins = math.ceil(at)
    assert run.state(begins) is RunState.MEASURING
    assert run.phases.measuring_from == run.phases.warming_up_from == begins
