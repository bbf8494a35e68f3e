from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from engine.record.record import Origin, Phases, RunState
from engine.report.results import ReportedRun
from engine.report.run_warnings import run_warnings
from engine.telemetry.event import EventCode, EventKind, RunEvent
from tests.doubles.samples import with_orders
from tests.engine.events import limit, suspended
from tests.engine.events import warning as coded
from tests.engine.report.reported import a_reported_run, plain, samples_of

LONG = Phases(warming_up_from=0, measuring_from=0, measuring_to=400)


def a_long_run(orders: Sequence[int], *, told: Sequence[int] = range(400), **changed: Any) -> ReportedRun:
    """A run of two clients with so many orders in each second; of the second client only the seconds ``told`` of."""
    first = samples_of((1, 1))[:2]
    samples = [replace(with_orders(first[0], count), second=second) for second, count in enumerate(orders)]
    samples += [replace(with_orders(first[1], 500), second=second) for second in told]
    return a_reported_run(samples=samples, phases=LONG, **changed)


def test_a_steady_and_whole_run_has_no_warning() -> None:
    run = a_long_run([500] * 400)
    assert run_warnings(run.record, run.data) == []


def test_what_a_server_warned_of_before_the_run_is_told() -> None:
    run = a_long_run([500] * 400, environment={"servers": [{"warnings": ["The log is small."]}, {}]})
    assert run_warnings(run.record, run.data) == ["The log is small."]


def test_drift_has_a_warning() -> None:
    run = a_long_run([2000 - 4 * second for second in range(400)])
    (warning,) = run_warnings(run.record, run.data)
    assert warning.startswith("OPM was not steady: it fell by")


@pytest.mark.parametrize("told", [range(10, 400), [*range(200), *range(210, 400)], range(390)])
def test_missing_seconds_are_told_of_their_client(told: Sequence[int]) -> None:
    run = a_long_run([500] * 400, told=told)
    (warning,) = run_warnings(run.record, run.data)
    assert warning == "Of client ds2 #2, 10 seconds of 400 measured are missing; they count as without orders."


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (RunState.STOPPED, "It was stopped"),
        (RunState.INTERRUPTED, "It was interrupted"),
        (RunState.FAILED, "It failed"),
        (RunState.MEASURING, "It is still in progress"),
    ],
)
def test_a_run_that_did_not_complete_says_so_first(state: RunState, told: str) -> None:
    run = a_long_run([500] * 400, state=state)
    assert run_warnings(run.record, run.data)[0].startswith(told)


def test_limits_of_the_workstation_have_warnings_and_injections_do_not() -> None:
    drifted = "the clock of client ds2 #2 went 7 ms behind"
    events = [
        limit(1, EventCode.WORKSTATION_BOTTLENECK, "the clients used up to 93 %", lasted_seconds=52),
        limit(2, EventCode.WORKSTATION_DISTORTION, "a heartbeat came 84 ms late (p99)", lasted_seconds=17),
        suspended(3, 12.3),
        coded(4, EventCode.CLIENT_CLOCK_DRIFTED, drifted, ahead_ms=-7.0),
        coded(5, EventCode.NONE, "not injected: run /srv/tool"),
        coded(6, EventCode.PROBE_LOST, "the probe is lost"),
    ]
    run = a_long_run([500] * 400, events=events)
    assert {plain(warning) for warning in run_warnings(run.record, run.data)} == {
        "The workstation was the bottleneck for 52 s from 0:01 on: the clients used up to 93 %.",
        "The workstation distorted the run for 17 s from 0:02 on: a heartbeat came 84 ms late (p99).",
        "The workstation was suspended for 12.3 s.",
        "The clock of client ds2 #2 went 7 ms behind.",
        "The probe is lost.",
    }


def test_many_limits_of_a_kind_are_summarised() -> None:
    events = [limit(at, EventCode.WORKSTATION_BOTTLENECK, "so", lasted_seconds=10 * at) for at in range(1, 6)]
    run = a_long_run([500] * 400, events=events)
    told = run_warnings(run.record, run.data)
    assert told[:3] == [f"The workstation was the bottleneck for {at}0 s from 0:0{at} on: so." for at in (1, 2, 3)]
    assert told[3:] == ["The workstation was the bottleneck 2 more times; the run's log of events has them all."]


def test_unfinished_limit_has_its_begin() -> None:
    lasting = limit(2, EventCode.WORKSTATION_DISTORTION, "a heartbeat comes 84 ms late (p99)")
    run = a_long_run([500] * 400, events=[lasting], state=RunState.INTERRUPTED)
    assert f"From 0:02 on, {lasting.label}." in run_warnings(run.record, run.data)


def test_the_probe_of_one_store_is_told_lost_as_all_of_them_are() -> None:
    labels = ["the probe of db1:5432 is lost", "the probe of db2:5432 is lost"]
    events = [coded(1, EventCode.STORE_PROBE_LOST, label) for label in labels]
    run = a_long_run([500] * 400, events=events)
    assert run_warnings(run.record, run.data) == [
        "The probe of db1:5432 is lost.",
        "The probe of db2:5432 is lost.",
    ]


def test_what_others_did_to_the_stores_is_told_first_with_its_moments() -> None:
    labels = [f"database 'ds2' on db1 was reset or replaced by others ({number})" for number in range(5)]
    events = [
        RunEvent(at_seconds=60.0 * at, kind=EventKind.STORE, label=label, detail="anna@lab-ws2")
        for at, label in enumerate(labels, start=1)
    ]
    run = a_long_run([500] * 400, events=events)
    (warning,) = run_warnings(run.record, run.data)
    told = "; ".join(f"at {at}:00.0, {label}" for at, label in enumerate(labels[:3], start=1))
    assert warning == (f"Others used the run's stores, so its figures are not its own alone: {told}; and 2 more times.")


def test_inconsistencies_of_an_imported_log_have_warnings() -> None:
    doubts = [coded(1, EventCode.NONE, "opm=120 is not 90 orders in 60 s")]
    run = a_long_run([500] * 400, events=doubts, origin=Origin.DS2_LOG)
    (warning,) = run_warnings(run.record, run.data)
    assert warning == "Of the driver's output that it was read from: opm=120 is not 90 orders in 60 s."


def test_users_lost_to_a_fault_of_spindle_s_own_are_told_with_the_others() -> None:
    label = "users ended by a fault of Spindle's own ×1"
    event = RunEvent(at_seconds=10.2, kind=EventKind.CLIENT_FAILED, label=label, client=2, detail="KeyError: 7")
    run = a_long_run([500] * 400, events=[event])
    assert run_warnings(run.record, run.data) == [
        f"Of client ds2 #2, from 0:10 on: {label}; no other users order in their place."
    ]
