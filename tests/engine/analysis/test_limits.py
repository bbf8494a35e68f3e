"""What limited a run other than its servers, read from its events."""

import math
from dataclasses import replace

import pytest

from engine.analysis.headline import headline_of
from engine.analysis.limits import dated_label, limits_between, workstation_limits
from engine.analysis.run_data import RunData
from engine.driver.saturation import HEARTBEAT, LIMITS, MACHINE, Cause, interval_data, interval_label
from engine.driver.saturation_intervals import Reading, SaturationInterval
from engine.record.clock import RunClock
from engine.telemetry.event import EventCode, EventKind, RunEvent
from tests.engine.analysis.faulted import constant, run_of
from tests.engine.events import limit, suspended, warning
from tests.texts import plain

DVD = headline_of("dvdstore")

HOW = "a heartbeat of ds2 #1 came up to 12 ms late (p99)"


def run_with(*events: RunEvent) -> RunData:
    run = run_of(constant(300), constant(250))
    for number, event in enumerate(events, start=1):
        run.put_event(replace(event, number=number))
    return run


def event_of(cause: Cause, interval: SaturationInterval) -> RunEvent:
    """The event of a spell, as the watch emits it."""
    data = interval_data(cause, interval, DVD)
    return warning(interval.since, cause.value, interval_label(cause, interval, DVD), **data)


@pytest.mark.parametrize("cause", Cause)
@pytest.mark.parametrize("is_over", [True, False])
def test_every_limit_event_is_recognised(cause: Cause, is_over: bool) -> None:
    worst = {name: Reading(10 * limit.begins, "ds2 #1", 1) for name, limit in LIMITS[cause].items()}
    interval = SaturationInterval(since=20.2, until=149.5, worst=worst, is_over=is_over)

    (limit,) = workstation_limits(run_with(event_of(cause, interval)))
    assert limit.since == 20.2
    assert limit.until == (pytest.approx(20.2 + 130) if is_over else math.inf)
    assert limit.text or limit.busy_pct is not None


def test_limits_name_processor_use_first() -> None:
    worst = {HEARTBEAT: Reading(12.0, "ds2 #1", 1), MACHINE: Reading(98.7)}
    late = SaturationInterval(since=20.0, until=40.0, worst=worst, is_over=True)
    run = run_with(event_of(Cause.DISTORTION, late))

    assert tuple(map(plain, limits_between(run, 39, 60))) == (
        "workstation 99 % busy",
        f"workstation distorted the run: {HOW}",
    )
    assert limits_between(run, 40, 60) == limits_between(run, 10, 20) == ()


def test_lost_clients_and_missing_samples_are_limits() -> None:
    lost = RunEvent(at_seconds=249.6, kind=EventKind.CLIENT_LOST, label="client ds2 #2 lost", client=2)
    ended = RunEvent(at_seconds=255.0, kind=EventKind.CLIENT_FAILED, label="users ended", client=1)
    run = run_with(lost, ended)

    assert [plain(limit) for limit in limits_between(run, 240, 260)] == [
        "client ds2 #2 lost",
        "users of ds2 #1 ended",
        "10 s of ds2 #2 unknown",
    ]
    assert limits_between(run, 200, 240) == ()


def test_a_suspend_limits_the_time_before_it_is_noticed() -> None:
    run = run_with(suspended(100.0, 12.3))
    assert limits_between(run, 80, 90) == ("workstation suspended",)
    assert limits_between(run, 101, 120) == ()


def test_dated_label_says_when_a_limit_began() -> None:
    clock = RunClock(origin_second=10, is_measuring=True)
    over = limit(220.3, EventCode.WORKSTATION_DISTORTION, HOW, lasted_seconds=17)
    assert plain(dated_label(over, clock)) == f"the workstation distorted the run for 17 s from 3:30 on: {HOW}"
    lasting = limit(220.3, EventCode.WORKSTATION_DISTORTION, HOW)
    assert dated_label(lasting, clock) == f"the workstation distorts the run: {HOW}"
    assert dated_label(warning(220.3, EventCode.PROBE_LOST, "the probe is lost"), clock) == "the probe is lost"
