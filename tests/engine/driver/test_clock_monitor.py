"""Suspends and changes of the time of day, with clocks that the test sets; and the real ones at rest."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.driver.clock_monitor import ClockMonitor, Clocks, ProcessClock, read_clocks
from engine.telemetry.event import EventCode

LABELS = {7: "client ds2 #7", 8: "client ds2 #8"}


class Bench:
    """A watch with the test's own clocks; ``has_always`` is whether one goes on in a suspend."""

    def __init__(self, *, has_always: bool = True) -> None:
        self.clocks = Clocks(100.0, 1_000.0, 500.0 if has_always else None)
        self.monitor = ClockMonitor(LABELS, lambda: self.clocks)
        self.monitor.check()

    def after(self, monotonic: float, wall: float, always: float | None = None) -> list[str]:
        """The labels told when the clocks have gone on by so much; the third as the first unless it is given."""
        was = self.clocks
        went = monotonic if always is None else always
        self.clocks = Clocks(
            was.monotonic + monotonic, was.wall + wall, None if was.always is None else was.always + went
        )
        return [finding.label for finding in self.monitor.check()]


@pytest.mark.parametrize("has_always", [True, False])
def test_even_clocks_emit_no_event(has_always: bool) -> None:
    bench = Bench(has_always=has_always)
    assert [bench.after(1.0, 1.0 + drift) for drift in (0.0, 0.0005, -0.3, 0.4)] == [[]] * 4


def test_suspend_is_reported_and_is_no_clock_change() -> None:
    assert Bench().after(1.0, 13.3, 13.3) == ["the workstation was suspended for 12.3 s"]


@pytest.mark.parametrize("has_always", [True, False])
def test_suspend_outside_the_runs_clock_reports_wrong_times_of_day(has_always: bool) -> None:
    clocks = iter((Clocks(0.0, 0.0, 0.0), Clocks(1.0, 13.3, 13.3)))
    without = iter((Clocks(0.0, 0.0, None), Clocks(13.3, 13.3, None)))
    monitor = ClockMonitor(LABELS, (clocks if has_always else without).__next__)
    monitor.check()
    (finding,) = monitor.check()
    seconds = 12.3 if has_always else 13.3
    assert (finding.code, finding.data) == (EventCode.WORKSTATION_SUSPENDED, {"seconds": seconds})
    assert ("its times of day are too early by that" in finding.detail) is has_always


def test_set_clock_is_reported_with_its_step() -> None:
    bench = Bench()
    assert bench.after(1.0, 3_601.0) == ["the workstation's clock was set 3600.0 s ahead"]
    assert bench.after(1.0, -0.5) == ["the workstation's clock was set 1.5 s back"]
    assert bench.after(1.0, 1.0) == []


def test_suspend_and_set_clock_are_distinguished() -> None:
    assert Bench().after(1.0, 31.0, 11.0) == [
        "the workstation was suspended for 10.0 s",
        "the workstation's clock was set 20.0 s ahead",
    ]


def test_standstill_counts_as_suspend_without_a_boot_clock() -> None:
    bench = Bench(has_always=False)
    assert bench.after(3.0, 3.0) == []
    assert bench.after(30.0, 30.0) == ["the workstation was suspended for 30.0 s"]


def test_standstill_of_the_main_process_is_no_suspend_with_a_boot_clock() -> None:
    bench = Bench()
    assert bench.after(4.9, 4.9) == []
    assert bench.after(6.3, 6.3) == ["the main process stood still for 6.3 s"]
    assert bench.after(1.0, 31.0, 31.0) == ["the workstation was suspended for 30.0 s"]


def test_clock_offset_uses_the_quickest_message() -> None:
    monitor = ClockMonitor(LABELS)
    for sent_at, arrived_at in ((1.0, 1.02), (2.0, 2.0004), (3.0, 3.3)):
        monitor.received(7, sent_at, arrived_at)
    monitor.received(8, 3.0, 2.99)
    assert monitor.offsets_ms == {7: 0.4, 8: -10.0}


def drifts_of(offsets_ms: Sequence[float]) -> list[float]:
    """The events about a client whose clock is so far behind, while most of its messages are delayed."""
    clock = ProcessClock()
    reports = []
    for second, offset_ms in enumerate(offsets_ms):
        way_ms = 0.2 if second % 30 == 17 else 40.0
        reports.append(clock.received(second, second + (offset_ms + way_ms) / 1000))
    return [drift for drift in reports if drift is not None]


def test_clock_drift_above_5_ms_is_reported_once() -> None:
    (behind,) = drifts_of([0.05 * second for second in range(300)])
    assert behind == pytest.approx(6.0), "in the first thirty seconds that are more than 5 ms from the first of all"
    (ahead,) = drifts_of([-0.1 * second for second in range(300)])
    assert ahead == pytest.approx(-6.0)


@given(st.floats(-1e4, 1e4), st.lists(st.floats(-2.49, 2.49), max_size=200))
def test_constant_offset_is_no_drift(offset_ms: float, sways_ms: list[float]) -> None:
    assert drifts_of([offset_ms + sway for sway in sways_ms]) == []


def drifts_reported(behind_ms: Sequence[float]) -> list[float]:
    """The events about a client whose messages, one a second, arrive so long after they were sent."""
    clock = ProcessClock()
    reports = [clock.received(second, second + ms / 1000) for second, ms in enumerate(behind_ms)]
    return [drift for drift in reports if drift is not None]


def scattered(seed: int, count: int, least_ms: float, most_ms: float) -> list[float]:
    way = Random(seed)
    return [way.uniform(least_ms, most_ms) for _ in range(count)]


def test_ramp_with_late_messages_is_no_drift() -> None:
    assert drifts_reported([*scattered(1, 30, 6.0, 36.0), *[0.2] * 90]) == []


def test_ramp_with_equally_late_messages_is_no_drift() -> None:
    assert drifts_reported([*[9.0] * 60, *[0.2] * 90]) == []


@given(st.integers(0, 99), st.floats(6, 20), st.floats(10, 400), st.integers(0, 95), st.integers(1, 120))
def test_messages_late_for_a_while_are_no_drift(
    seed: int, least_ms: float, sway_ms: float, quick: int, late: int
) -> None:
    late_ms = scattered(seed, late, least_ms, least_ms + sway_ms)
    assert drifts_reported([*[0.2] * quick, *late_ms, *[0.2] * 95]) == []


@given(
    st.integers(0, 99), st.floats(0.06, 20), st.sampled_from((-1, 1)), st.integers(0, 80), st.floats(6, 20),
    st.floats(0.2, 1.0),
)  # fmt: skip
def test_drift_is_reported_after_late_messages(
    seed: int, ms_per_second: float, direction: int, late: int, least_ms: float, sway_ms: float
) -> None:
    late_ms = scattered(seed, late, least_ms, least_ms + 30.0)
    ways_ms = scattered(seed + 1, 240, 0.1, 0.1 + sway_ms)
    drifting = [max(0, second - 60) * ms_per_second * direction + way for second, way in enumerate(ways_ms)]
    (drift_ms,) = drifts_reported([*late_ms, *drifting])
    assert drift_ms * direction > 5.0


@pytest.mark.parametrize("step_ms", [-6.5, 6.5, 300.0])
def test_clock_step_is_reported(step_ms: float) -> None:
    ways_ms = scattered(3, 200, 0.1, 0.8)
    (drift_ms,) = drifts_reported([way + (step_ms if second >= 77 else 0.0) for second, way in enumerate(ways_ms)])
    assert drift_ms == pytest.approx(step_ms, abs=0.5)


def test_drift_event_names_client_and_effect() -> None:
    monitor = ClockMonitor(LABELS)
    reports = [
        each for second in range(60) for each in monitor.received(8, second, second + (0.007 if second > 29 else 0))
    ]
    (finding,) = reports
    assert (finding.code, finding.data) == (EventCode.CLIENT_CLOCK_DRIFTED, {"ahead_ms": -7.0})
    assert finding.label == "the clock of client ds2 #8 went 7 ms behind"
    assert "too early" in finding.detail
    assert monitor.offsets_ms == {8: 0.0}


def test_the_real_clocks_are_read_at_one_moment() -> None:
    first, second = read_clocks(), read_clocks()
    assert second.monotonic >= first.monotonic
    assert abs((second.wall - first.wall) - (second.monotonic - first.monotonic)) < 0.5
