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
from tests.engine.report.reported import a_reported_run, samples_of
from tests.texts import lacks, one_with

LONG = Phases(warming_up_from=0, measuring_from=0, measuring_to=400)


def a_long_run(orders: Sequence[int], *, seconds: Sequence[int] = range(400), **changed: Any) -> ReportedRun:
    """A run of two clients with so many orders in each second; of the second client only in ``seconds``."""
    first = samples_of((1, 1))[:2]
    samples = [replace(with_orders(first[0], count), second=second) for second, count in enumerate(orders)]
    samples += [replace(with_orders(first[1], 500), second=second) for second in seconds]
    return a_reported_run(samples=samples, phases=LONG, **changed)


def test_steady_and_complete_run_has_no_warning() -> None:
    run = a_long_run([500] * 400)
    assert run_warnings(run.record, run.data) == []


def test_warnings_of_servers_are_included() -> None:
    run = a_long_run([500] * 400, environment={"servers": [{"warnings": ["The log is small."]}, {}]})
    assert run_warnings(run.record, run.data) == ["The log is small."]


def test_drift_has_a_warning() -> None:
    run = a_long_run([2000 - 4 * second for second in range(400)])
    (warning,) = run_warnings(run.record, run.data)
    assert warning.startswith("OPM was not steady: it fell by")


@pytest.mark.parametrize("seconds", [range(10, 400), [*range(200), *range(210, 400)], range(390)])
def test_missing_seconds_of_a_client_have_a_warning(seconds: Sequence[int]) -> None:
    run = a_long_run([500] * 400, seconds=seconds)
    (warning,) = run_warnings(run.record, run.data)
    assert lacks(warning, "ds2 #2", "10 seconds of 400", "missing") == []


@pytest.mark.parametrize(
    ("state", "beginning"),
    [
        (RunState.STOPPED, "It was stopped"),
        (RunState.INTERRUPTED, "It was interrupted"),
        (RunState.FAILED, "It failed"),
        (RunState.MEASURING, "It is still in progress"),
    ],
)
def test_incomplete_run_has_its_state_as_the_first_warning(state: RunState, beginning: str) -> None:
    run = a_long_run([500] * 400, state=state)
    assert run_warnings(run.record, run.data)[0].startswith(beginning)


def test_workstation_limits_have_warnings_and_injections_do_not() -> None:
    drift = "the clock of client ds2 #2 went 7 ms behind"
    events = [
        limit(1, EventCode.WORKSTATION_BOTTLENECK, "the clients used up to 93 %", lasted_seconds=52),
        limit(2, EventCode.WORKSTATION_DISTORTION, "a heartbeat came 84 ms late (p99)", lasted_seconds=17),
        suspended(3, 12.3),
        coded(4, EventCode.CLIENT_CLOCK_DRIFTED, drift, ahead_ms=-7.0),
        coded(5, EventCode.NONE, "not injected: run /srv/tool"),
        coded(6, EventCode.PROBE_LOST, "the probe is lost"),
        coded(7, EventCode.MAIN_PROCESS_STOOD_STILL, "the main process stood still for 6.3 s", seconds=6.3),
    ]
    run = a_long_run([500] * 400, events=events)
    warnings = run_warnings(run.record, run.data)
    assert len(warnings) == 6
    assert lacks(one_with(warnings, "bottleneck"), "52 s", "from 0:01", "the clients used up to 93 %") == []
    assert lacks(one_with(warnings, "distorted"), "17 s", "from 0:02", "84 ms late") == []
    assert lacks(warnings, "suspended for 12.3 s", drift, "the probe is lost", "stood still for 6.3 s") == []


def test_many_limits_of_one_kind_are_summarised() -> None:
    events = [limit(at, EventCode.WORKSTATION_BOTTLENECK, "so", lasted_seconds=10 * at) for at in range(1, 6)]
    run = a_long_run([500] * 400, events=events)
    *single, summary = run_warnings(run.record, run.data)
    assert len(single) == 3
    for at, warning in enumerate(single, start=1):
        assert lacks(warning, f"for {at}0 s", f"from 0:0{at}") == []
    assert lacks(summary, "bottleneck", "2 more times") == []


def test_unfinished_limit_has_its_begin() -> None:
    lasting = limit(2, EventCode.WORKSTATION_DISTORTION, "a heartbeat came 84 ms late (p99)")
    run = a_long_run([500] * 400, events=[lasting], state=RunState.INTERRUPTED)
    distorted = "From 0:02 on, the workstation distorted the run: a heartbeat came 84 ms late (p99)."
    assert distorted in run_warnings(run.record, run.data)


def test_lost_probe_of_each_store_has_a_warning() -> None:
    labels = ["the probe of db1:5432 is lost", "the probe of db2:5432 is lost"]
    events = [coded(1, EventCode.STORE_PROBE_LOST, label) for label in labels]
    run = a_long_run([500] * 400, events=events)
    first, second = run_warnings(run.record, run.data)
    assert lacks(first, labels[0]) == lacks(second, labels[1]) == []


def test_use_of_the_stores_by_others_has_a_warning_with_times() -> None:
    labels = [f"database 'ds2' on db1 was reset or replaced by others ({number})" for number in range(5)]
    events = [
        RunEvent(at_seconds=60.0 * at, kind=EventKind.STORE, label=label, detail="anna@lab-ws2")
        for at, label in enumerate(labels, start=1)
    ]
    run = a_long_run([500] * 400, events=events)
    (warning,) = run_warnings(run.record, run.data)
    shown = [f"at {at}:00.0, {label}" for at, label in enumerate(labels[:3], start=1)]
    assert lacks(warning, "not its own alone", *shown, "2 more times") == []
    assert lacks(warning, *labels[3:], "anna") == [*labels[3:], "anna"]


def test_inconsistencies_of_an_imported_log_have_warnings() -> None:
    doubts = [coded(1, EventCode.NONE, "opm=120 is not 90 orders in 60 s")]
    run = a_long_run([500] * 400, events=doubts, origin=Origin.DS2_LOG)
    (warning,) = run_warnings(run.record, run.data)
    assert lacks(warning, "driver's output", "opm=120 is not 90 orders in 60 s") == []


def test_users_lost_to_an_internal_error_have_a_warning() -> None:
    label = "users ended by a fault of Spindle's own ×1"
    event = RunEvent(at_seconds=10.2, kind=EventKind.CLIENT_FAILED, label=label, client=2, detail="KeyError: 7")
    run = a_long_run([500] * 400, events=[event])
    (warning,) = run_warnings(run.record, run.data)
    assert lacks(warning, "ds2 #2", "from 0:10", label) == []


def read_by(collector: int, machine: str, **data: Any) -> dict[str, Any]:
    return {"collector": collector, "machine": machine, "source": "Linux over SSH", **data}


def test_machines_that_were_not_read_have_warnings_with_times_and_reasons() -> None:
    text = "db1: refused the connection."
    events = [
        coded(14, EventCode.COLLECTOR_FAILING, "so", **read_by(1, "db1", text=text)),
        coded(23, EventCode.COLLECTOR_BACK, "so", **read_by(1, "db1", failed_seconds=9.3)),
        coded(40, EventCode.COLLECTOR_FAILING, "so", **read_by(1, "db1", text="another reason.")),
        coded(50, EventCode.COLLECTOR_FAILING, "so", **read_by(2, "db2", text="it has no power.")),
        *(coded(60, EventCode.COLLECTOR_FAILING, "so", **read_by(n, f"db{n}", text="gone.")) for n in (3, 4, 5)),
    ]
    run = a_long_run([500] * 400, events=events)
    first, second, third, others = run_warnings(run.record, run.data)
    assert first == (
        "db1 (Linux over SSH) was not read from 0:14 on, for 9.3 s: refused the connection. So it was 1 more time."
    )
    assert second == "db2 (Linux over SSH) was not read from 0:50 on, until the end: it has no power."
    assert third.startswith("db3")
    assert lacks(others, "db4 (Linux over SSH)", "db5 (Linux over SSH)") == []


def test_a_machines_clock_that_is_off_has_a_warning() -> None:
    label = "the clock of db1 is 90.0 s behind this workstation's"
    off = coded(5, EventCode.COLLECTOR_CLOCK_OFF, label, **read_by(1, "db1", ahead_seconds=-90.0, error_seconds=0.01))
    run = a_long_run([500] * 400, events=[off])
    assert lacks(run_warnings(run.record, run.data), "0:05", label) == []
