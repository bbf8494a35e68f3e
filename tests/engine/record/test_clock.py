from engine.figure_text import UNKNOWN
from engine.record.clock import RunClock
from engine.record.record import Phases


def test_clock_is_zero_when_measuring_began() -> None:
    clock = RunClock.of(Phases(warming_up_from=3, measuring_from=60))
    assert (clock.origin_second, clock.since) == (60, "since measuring began")
    assert [clock.second(second) for second in (3, 60, 187)] == ["−0:57", "0:00", "2:07"]
    assert clock.moment(187.96) == "2:07.9"
    assert clock.shown(59.5) == -0.5


def test_clock_counts_from_the_start_before_measuring_is_known() -> None:
    clock = RunClock.of(Phases(warming_up_from=3))
    assert (clock.origin_second, clock.since) == (0, "since the start")
    assert clock.moment(3.04) == "0:03.0"


def test_unknown_moment_is_a_dash() -> None:
    assert RunClock().second(None) == RunClock().moment(None) == UNKNOWN
