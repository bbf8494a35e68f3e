from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from engine.record import Phases, RunState
from engine.report.results import ReportedRun
from engine.report.run_warnings import run_warnings
from engine.sample import EventKind, RunEvent
from tests.engine.report.reported import a_reported_run, samples_of

LONG = Phases(warming_up_from=0, measuring_from=0, measuring_to=400)


def a_long_run(orders: Sequence[int], *, told: Sequence[int] = range(400), **changed: Any) -> ReportedRun:
    """A run of two clients with so many orders in each second; of the second client only the seconds ``told`` of."""
    first = samples_of((1, 1))[:2]
    samples = [replace(first[0], second=second, orders=count) for second, count in enumerate(orders)]
    samples += [replace(first[1], second=second, orders=500) for second in told]
    return a_reported_run(samples=samples, phases=LONG, **changed)


def test_a_steady_and_whole_run_has_no_warning() -> None:
    run = a_long_run([500] * 400)
    assert run_warnings(run.record, run.data) == []


def test_a_drift_is_told() -> None:
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
        (RunState.MEASURING, "It is still going on"),
    ],
)
def test_a_run_that_did_not_complete_says_so_first(state: RunState, told: str) -> None:
    run = a_long_run([500] * 400, state=state)
    assert run_warnings(run.record, run.data)[0].startswith(told)


def test_a_workstation_at_its_limit_is_told_once_and_what_names_commands_is_not() -> None:
    label = "the workstation is the bottleneck: the clients use 93 % of its processors"
    events = [
        RunEvent(at_seconds=at, kind=EventKind.WARNING, label=text)
        for at, text in ((1, label), (2, label), (3, "not injected: run /srv/tool"), (4, "the probe is lost"))
    ]
    run = a_long_run([500] * 400, events=events)
    assert run_warnings(run.record, run.data) == [f"{label[0].upper()}{label[1:]}.", "The probe is lost."]
