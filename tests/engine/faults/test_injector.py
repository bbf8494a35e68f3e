"""Injections as they are executed: their threads, their lines for the audit, their ends, and what takes them back."""

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NoReturn

import pytest

from engine.errors import ErrorClass, TargetError, UserError
from engine.faults.fault_schedule import Armed, FaultSchedule
from engine.faults.fault_text import parse_fault
from engine.faults.injections import CommandInjection, FaultKind, LabInjection
from engine.faults.injector import InjectionTools, Injector, without_round
from engine.faults.lab_actions import LabAction
from engine.faults.marks import LONGEST_LABEL, checked_label
from engine.faults.outcome import Outcome
from engine.faults.planned import PlannedFault
from engine.secrets import Secret
from engine.telemetry.event import EventKind, RunEvent
from tests.waiting import wait_until

KILL = parse_fault("T+40s kill primary")
FREEZE = parse_fault("T+40s freeze primary for 60s")
OVER_SECONDS = 60.0


@dataclass
class KeptBook:
    """A run's events, as ``Run`` would keep them."""

    events: dict[int, RunEvent] = field(default_factory=dict)
    is_over: bool = False

    def add_injection(self, label: str, detail: str = "", *, at_monotonic: float, is_fault: bool = True) -> int:
        return self._put(EventKind.INJECTION, checked_label(label), detail, at_monotonic, is_fault)

    def change_injection(
        self, number: int, *, label: str | None = None, detail: str | None = None, is_fault: bool | None = None
    ) -> None:
        given = {"label": label, "detail": detail, "is_fault": is_fault}
        event = self.events[number]
        assert event.kind is EventKind.INJECTION
        self.events[number] = replace(event, **{key: value for key, value in given.items() if value is not None})  # type: ignore[arg-type]

    def end_fault(self, label: str, detail: str = "", *, at_monotonic: float) -> int:
        return self._put(EventKind.FAULT_END, label, detail, at_monotonic, False)

    def add_event(self, kind: EventKind, label: str, *, detail: str = "") -> None:
        self._put(kind, label, detail, 0.0, False)

    def _put(self, kind: EventKind, label: str, detail: str, at: float, is_fault: bool) -> int:
        if self.is_over:
            raise UserError("the run is over.")
        number = len(self.events) + 1
        self.events[number] = RunEvent(
            number=number, at_seconds=at, kind=kind, label=label, detail=detail, is_fault=is_fault
        )
        return number

    def parts(self) -> list[tuple[EventKind, str]]:
        return [(event.kind, event.label) for event in self.events.values()]


@dataclass
class Lab:
    """Remembers what was done; ``outcome`` is what comes of it, or is raised."""

    done: list[LabAction] = field(default_factory=list)
    outcome: Outcome | Exception = field(default_factory=lambda: Outcome(output="done by the lab"))

    def __call__(self, injection: LabInjection) -> Outcome:
        self.done.append(injection.action)
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


@pytest.fixture
def run_log() -> KeptBook:
    return KeptBook()


@pytest.fixture
def lab() -> Lab:
    return Lab()


Make = Callable[..., Injector]


@pytest.fixture
def make(run_log: KeptBook, lab: Lab) -> Iterator[Make]:
    made: list[Injector] = []

    def injector(**tools: object) -> Injector:
        made.append(Injector(run_log, InjectionTools(executors={FaultKind.LAB: lab}, **tools)))  # type: ignore[arg-type]
        return made[-1]

    yield injector
    for each in made:
        each.close()
        assert each.join(OVER_SECONDS)


def armed(fault: PlannedFault, number: int = 1) -> Armed:
    return replace(FaultSchedule([fault]).waiting()[0], number=number)


def test_an_injection_leaves_its_line_for_the_audit(make: Make, run_log: KeptBook, lab: Lab) -> None:
    injector = make()
    injector.begin(armed(KILL))
    assert injector.join(OVER_SECONDS)

    [event] = run_log.events.values()
    assert lab.done == [LabAction.KILL_PRIMARY]
    assert (event.kind, event.label, event.is_fault) == (EventKind.INJECTION, "Kill primary", True)
    moment = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
    assert re.fullmatch(
        rf"by .+; Kill all processes of the primary \(SIGKILL\); asked {moment}; began {moment}; done {moment};"
        r" output: done by the lab",
        event.detail,
    )


def test_while_it_is_under_way_the_run_knows_of_it_already(run_log: KeptBook) -> None:
    release = threading.Event()

    def slow(_: LabInjection) -> Outcome:
        release.wait(OVER_SECONDS)
        return Outcome()

    injector = Injector(run_log, InjectionTools(executors={FaultKind.LAB: slow}))
    injector.begin(armed(KILL))
    wait_until(lambda: bool(run_log.events), "the injection is told")
    assert run_log.events[1].detail.endswith("; under way")
    assert not injector.join(0.0)
    release.set()
    assert injector.join(OVER_SECONDS)
    assert "under way" not in run_log.events[1].detail


@pytest.mark.parametrize(
    ("outcome", "is_fault", "parts"),
    [
        (Outcome.not_begun("no such tool"), False, "no such tool"),
        (Outcome(exit_code=7, failure="it failed"), True, "exit code 7; it failed"),
        (UserError("the keeper is gone."), True, "the keeper is gone"),
        (TargetError(ErrorClass.TIMEOUT, "no answer"), True, "no answer"),
        (ZeroDivisionError(), True, "Spindle itself failed: ZeroDivisionError"),
    ],
)
def test_failing_injection_is_reported_without_further_effect(
    make: Make, run_log: KeptBook, lab: Lab, outcome: Outcome | Exception, is_fault: bool, parts: str
) -> None:
    lab.outcome = outcome
    injector = make()
    injector.begin(armed(KILL))
    assert injector.join(OVER_SECONDS)

    [event] = run_log.events.values()
    assert (event.label, event.is_fault) == ("Kill primary: failed", is_fault)
    assert event.detail.endswith(f"; {parts}")


def test_unsupported_injection_kind_is_reported(make: Make, run_log: KeptBook) -> None:
    injector = make()
    injector.begin(armed(PlannedFault(at_seconds=1, injection=CommandInjection(arguments=("x",)))))
    assert injector.join(OVER_SECONDS)
    assert "can't do injections of kind command" in run_log.events[1].detail


def test_end_is_injected_after_its_time(make: Make, run_log: KeptBook, lab: Lab) -> None:
    injector = make()
    injector.begin(armed(replace(FREEZE, end_after_seconds=0.05)))
    assert injector.join(OVER_SECONDS)

    assert lab.done == [LabAction.FREEZE_PRIMARY, LabAction.THAW]
    assert run_log.parts() == [(EventKind.INJECTION, "Freeze primary"), (EventKind.FAULT_END, "Thaw")]
    began, ended = run_log.events.values()
    assert ended.at_seconds - began.at_seconds >= 0.05
    assert "done by the lab" in ended.detail


def test_pending_end_is_injected_at_the_end_of_the_run(make: Make, run_log: KeptBook, lab: Lab) -> None:
    injector = make()
    injector.begin(armed(FREEZE))
    wait_until(lambda: lab.done == [LabAction.FREEZE_PRIMARY], "the primary is frozen")
    injector.close()
    assert injector.join(OVER_SECONDS)
    assert lab.done == [LabAction.FREEZE_PRIMARY, LabAction.THAW]


def test_injection_that_never_began_has_no_end(make: Make, lab: Lab) -> None:
    lab.outcome = Outcome.not_begun("nothing there")
    injector = make()
    injector.begin(armed(FREEZE))
    assert injector.join(OVER_SECONDS)
    assert lab.done == [LabAction.FREEZE_PRIMARY]


def test_an_end_that_fails_is_no_end(make: Make, run_log: KeptBook, lab: Lab) -> None:
    injector = make()
    injector.begin(armed(FREEZE))
    wait_until(lambda: bool(run_log.events) and "under way" not in run_log.events[1].detail, "the primary is frozen")
    lab.outcome = Outcome(failure="it can't be thawed")
    injector.close()
    assert injector.join(OVER_SECONDS)
    assert run_log.parts()[-1] == (EventKind.WARNING, "Thaw: failed")


def test_it_waits_for_a_steady_baseline(make: Make, run_log: KeptBook) -> None:
    asked = iter([False, False, True])
    injector = make(is_steady=lambda: next(asked))
    injector.begin(armed(replace(KILL, steady_by_seconds=60)))
    assert injector.join(OVER_SECONDS)
    assert next(asked, None) is None
    assert run_log.parts() == [(EventKind.INJECTION, "Kill primary")]


def test_without_a_steady_baseline_in_time_it_is_left_out(make: Make, run_log: KeptBook, lab: Lab) -> None:
    injector = make(is_steady=lambda: False)
    injector.begin(armed(replace(KILL, steady_by_seconds=KILL.at_seconds)))
    assert injector.join(OVER_SECONDS)
    assert lab.done == []
    assert run_log.parts() == [(EventKind.WARNING, "not injected: Kill primary")]
    assert run_log.events[1].detail == "the baseline was not steady in time"
    assert injector.held() == ()


def test_waiting_injection_can_be_aborted(make: Make, run_log: KeptBook, lab: Lab) -> None:
    injector = make(is_steady=lambda: False)
    waiting = armed(replace(KILL, steady_by_seconds=3_600), number=5)
    injector.begin(waiting)
    assert injector.held() == (waiting,)
    assert injector.abort(5)
    assert not injector.abort(5)
    assert injector.join(OVER_SECONDS)
    assert (lab.done, run_log.events[1].detail) == ([], "it was aborted")


def test_what_waits_when_the_run_ends_is_left_out(make: Make, run_log: KeptBook, lab: Lab) -> None:
    injector = make(is_steady=lambda: False)
    injector.begin(armed(replace(KILL, steady_by_seconds=3_600)))
    injector.close()
    assert injector.join(OVER_SECONDS)
    assert (lab.done, run_log.events[1].detail) == ([], "the run ended")


def test_repetitions_of_a_fault_are_numbered(make: Make, run_log: KeptBook) -> None:
    injector = make()
    for each in FaultSchedule([replace(KILL, repeat=2, every_seconds=10)]).waiting():
        injector.begin(each)
        assert injector.join(OVER_SECONDS)
    labels = [event.label for event in run_log.events.values()]
    assert labels == ["Kill primary (1 of 2)", "Kill primary (2 of 2)"]
    assert {without_round(label) for label in [*labels, "Kill primary"]} == {"Kill primary"}


def test_the_longest_label_has_room_for_what_is_added(make: Make, run_log: KeptBook, lab: Lab) -> None:
    lab.outcome = Outcome(failure="no")
    injector = make()
    fault = replace(KILL, label="x" * LONGEST_LABEL, repeat=1_000, every_seconds=1)
    injector.begin(FaultSchedule([fault]).waiting()[-1])
    assert injector.join(OVER_SECONDS)
    assert run_log.events[1].label.endswith(" (1000 of 1000): failed")
    assert checked_label(run_log.events[1].label)


def test_secrets_are_covered_in_what_is_kept(make: Make, run_log: KeptBook, lab: Lab) -> None:
    lab.outcome = Outcome(output="logged in with tiger")
    injector = make(secrets=lambda: [Secret("tiger")])
    injector.begin(armed(replace(KILL, label="Pull tiger")))
    assert injector.join(OVER_SECONDS)
    assert run_log.events[1].detail.endswith("output: logged in with •••")
    assert run_log.events[1].label == "Pull •••"


def test_a_run_that_is_over_meanwhile_is_no_fault_of_ours(
    make: Make, run_log: KeptBook, caplog: pytest.LogCaptureFixture
) -> None:
    run_log.is_over = True
    injector = make()
    injector.begin(armed(KILL))
    assert injector.join(OVER_SECONDS)
    assert [record.getMessage() for record in caplog.records] == [
        "injection 'Kill primary' went on when its run was over"
    ]


def test_one_that_could_not_be_begun_for_want_of_a_thread_is_not_waited_for(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_thread(_: threading.Thread) -> NoReturn:
        raise RuntimeError("can't start new thread")

    injector = make()
    with monkeypatch.context() as starved:
        starved.setattr(threading.Thread, "start", no_thread)
        with pytest.raises(RuntimeError):
            injector.begin(armed(KILL))
    assert injector.join(0.0)
