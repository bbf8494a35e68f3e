"""How far apart the machines of a run began, by what their processes report."""

import pytest

from engine.driver.start_monitor import StartMonitor
from engine.telemetry.event import EventCode, EventKind, RunEvent

MACHINES = {1: "", 2: "lg1", 3: "lg1", 4: "lg2"}
ERRORS_MS = {"": 0.0, "lg1": 0.25, "lg2": 0.2}
LAST_AT, SOON, LATE = 10.0, 10.1, 14.0


@pytest.fixture
def events() -> list[RunEvent]:
    return []


@pytest.fixture
def monitor(events: list[RunEvent]) -> StartMonitor:
    def emit(event: RunEvent) -> int:
        events.append(event)
        return len(events)

    return StartMonitor(MACHINES, ERRORS_MS, LAST_AT, emit, lambda _: 2.5)


def test_the_start_is_reported_when_every_process_has_begun(monitor: StartMonitor, events: list[RunEvent]) -> None:
    for process, late_ms in ((1, 0.1), (2, 0.3), (3, 1.3)):
        monitor.receive(process, late_ms)
    assert not monitor.check(SOON)
    monitor.receive(4, 0.2)
    assert monitor.check(SOON)
    (event,) = events
    assert (event.kind, event.code, event.at_seconds) == (EventKind.PHASE, EventCode.LOAD_MACHINES_STARTED, 2.5)
    assert event.label == "the load machines started within 1.65 ms of each other"
    assert event.data == {
        "skew_ms": 1.2,
        "error_ms": 0.45,
        "started": {
            "": {"late_ms": 0.1, "error_ms": 0.0},
            "lg1": {"late_ms": 1.3, "error_ms": 0.25},
            "lg2": {"late_ms": 0.2, "error_ms": 0.2},
        },
    }


def test_a_machine_that_began_notably_later_is_a_warning(monitor: StartMonitor, events: list[RunEvent]) -> None:
    for process in MACHINES:
        monitor.receive(process, 400.0 if process == 4 else 0.0)
    assert monitor.check(SOON)
    assert events[0].kind is EventKind.WARNING
    assert "within 400 ms" in events[0].label


def test_a_process_that_has_not_begun_in_time_is_named(monitor: StartMonitor, events: list[RunEvent]) -> None:
    for process in (1, 3, 4):
        monitor.receive(process, 0.0)
    assert monitor.check(LATE)
    assert events[0].kind is EventKind.WARNING
    assert events[0].label == "the load machines started within 0.450 ms of each other, without lg1"


def test_a_run_in_which_nobody_has_begun_says_so(monitor: StartMonitor, events: list[RunEvent]) -> None:
    assert monitor.check(LATE)
    assert events[0].label == "no machine has begun its load"
    assert events[0].data["skew_ms"] is None
