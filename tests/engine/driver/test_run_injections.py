"""Injections of a whole run on a real server: at their moments, by the button, taken back, and ended with the run."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine.driver.run import Run
from engine.errors import UserError
from engine.faults.commands import run_command
from engine.faults.fault_text import parse_fault
from engine.faults.injections import FaultKind, LabInjection
from engine.faults.injector import InjectionTools
from engine.faults.lab_actions import LabAction
from engine.faults.outcome import Outcome
from engine.faults.planned import PlannedFault
from engine.record.record import RunState
from engine.telemetry.event import EventKind, RunEvent
from tests.engine.conftest import BuiltStore
from tests.engine.driver.runs import OVER_SECONDS, Gathering, run_of, start_of, wait_for_state
from tests.waiting import wait_until

SAY = f"run {sys.executable} -c 'print(6 * 7)'"


@dataclass
class Lab:
    done: list[LabAction] = field(default_factory=list)

    def __call__(self, injection: LabInjection) -> Outcome:
        self.done.append(injection.action)
        return Outcome(output="done")

    def tools(self, is_steady: Callable[[], bool] = lambda: True) -> InjectionTools:
        executors: dict[FaultKind, Any] = {FaultKind.LAB: self, FaultKind.COMMAND: run_command}
        return InjectionTools(executors=executors, is_steady=is_steady)


Make = Callable[..., Run]


@pytest.fixture
def make(built_store: BuiltStore) -> Iterator[Make]:
    runs: list[Run] = []

    def run(sink: Gathering, **settings: Any) -> Run:
        runs.append(run_of(start_of(built_store.target, built_store.secret), sink=sink, **settings))
        runs[-1].start()
        return runs[-1]

    yield run
    for each in runs:
        each.stop_now()
        each.wait(OVER_SECONDS)


def a_fault(text: str) -> PlannedFault:
    return parse_fault(f"T+{text}")


def done(sink: Gathering) -> list[RunEvent]:
    """The injections that are not under way any more."""
    return [event for event in sink.events_of(EventKind.INJECTION) if not event.detail.endswith("under way")]


def test_planned_injections_happen_at_their_moments_and_the_run_goes_on(make: Make) -> None:
    sink, lab = Gathering(), Lab()
    faults = [a_fault("0.5s freeze primary for 300ms"), a_fault(f"1s {SAY}"), a_fault("1.2s run /no/such/tool")]
    run = make(sink, measured_seconds=0, faults=faults, tools=lab.tools())
    wait_until(lambda: sink.events_of(EventKind.FAULT_END) and len(done(sink)) == len(faults), "all is done")
    assert run.state is RunState.MEASURING
    run.stop()
    assert run.wait(OVER_SECONDS)

    injections = sink.events_of(EventKind.INJECTION)  # in either order, where two begin late
    frozen, said, failed = (
        next(each for each in injections if word in each.label) for word in ("Freeze", "print", "no/such")
    )
    [thawed] = sink.events_of(EventKind.FAULT_END)
    assert run.phases.measuring_from is not None
    for event, planned in zip((frozen, said, failed), (0.5, 1.0, 1.2), strict=True):
        assert event.at_seconds >= run.phases.measuring_from + planned
    assert (frozen.label, frozen.is_fault, thawed.label) == ("Freeze primary", True, "Thaw")
    assert round(thawed.at_seconds - frozen.at_seconds, 3) >= 0.3
    assert said.detail.endswith("exit code 0; output: 42")
    assert (failed.is_fault, failed.label) == (False, "Run /no/such/tool: failed")
    assert lab.done == [LabAction.FREEZE_PRIMARY, LabAction.THAW]


def test_manual_injection_is_immediate_and_can_repeat(make: Make) -> None:
    sink, lab = Gathering(), Lab()
    run = make(sink, measured_seconds=0, tools=lab.tools())
    wait_for_state(sink, RunState.MEASURING)
    numbers = run.fire(a_fault("9:00 kill primary repeat 2 every 500ms"))
    assert len(numbers) == 2
    wait_until(lambda: len(done(sink)) == len(numbers), "both are done")
    run.stop()
    assert run.wait(OVER_SECONDS)

    labels = sorted(event.label for event in sink.events_of(EventKind.INJECTION))
    assert labels == ["Kill primary (1 of 2)", "Kill primary (2 of 2)"]
    assert run.armed() == ()
    with pytest.raises(UserError, match="the run is stopped; nothing can be injected any more"):
        run.fire(a_fault("1 kill primary"))


def test_pending_injection_can_be_cancelled(make: Make) -> None:
    sink, lab = Gathering(), Lab()
    faults = [a_fault("0.1s once steady by 1:00 kill primary"), a_fault("50s switchover")]
    run = make(sink, measured_seconds=0, faults=faults, tools=lab.tools(is_steady=lambda: False))
    wait_for_state(sink, RunState.MEASURING)
    wait_until(lambda: len(run._injector.held()) == 1, "the first one waits for a steady baseline")
    assert {armed.fault for armed in run.armed()} == set(faults)
    for armed in run.armed():
        assert run.abort(armed.number)
        assert not run.abort(armed.number)
    assert run.armed() == ()
    run.stop()
    assert run.wait(OVER_SECONDS)
    assert lab.done == []


def test_stopped_run_leaves_nothing_frozen(make: Make) -> None:
    sink, lab = Gathering(), Lab()
    run = make(sink, measured_seconds=0, tools=lab.tools())
    wait_for_state(sink, RunState.MEASURING)
    run.fire(a_fault("1 freeze primary for 10:00"))
    wait_until(lambda: bool(lab.done), "the primary is frozen")
    run.stop()
    assert run.wait(OVER_SECONDS)
    assert lab.done == [LabAction.FREEZE_PRIMARY, LabAction.THAW]
    assert [event.label for event in sink.events_of(EventKind.FAULT_END)] == ["Thaw"]


def test_no_orders_while_a_stopped_run_waits_for_an_injection(make: Make, tmp_path: Path) -> None:
    sink, lab, under_way = Gathering(), Lab(), tmp_path / "under_way"
    under_way.touch()
    run = make(sink, measured_seconds=0, tools=lab.tools())
    wait_for_state(sink, RunState.MEASURING)
    run.fire(a_fault(f"1 run sh -c 'while test -e {under_way}; do sleep 0.05; done'"))
    wait_until(lambda: bool(sink.events_of(EventKind.INJECTION)), "the command is under way")
    pids = run.client_pids.values()
    run.stop_now()
    wait_until(lambda: not any(psutil.pid_exists(pid) for pid in pids), "the clients have left")
    assert not run.wait(0), "the injection is still waited for"
    under_way.unlink()
    assert run.wait(OVER_SECONDS)
