from collections.abc import Sequence
from dataclasses import replace

import pytest

from engine.record.record import Phases
from engine.report.client_warnings import client_warnings
from engine.telemetry.event import EventCode, EventKind, RunEvent
from tests.engine.events import warning
from tests.engine.report.reported import a_reported_run

PHASES = Phases(warming_up_from=0, measuring_from=0, measuring_to=100)
OUR_FAULT = "users ended by a fault of Spindle's own ×2"
GIVEN_UP = "the order ledger is given up (No space left on device); the audit will lack what is ordered from now on"
WAITED = "3 users were waiting when measuring ended, for up to 12.5 s"
HELD = "the order ledger can't be written (No space left on device); it is kept in memory and tried again"


def told_of(*events: RunEvent, clients: int = 2) -> list[str]:
    return list(client_warnings(a_reported_run([1] * clients, events=events, phases=PHASES).data))


def failed(client: int, at: float = 10.0) -> RunEvent:
    return RunEvent(at_seconds=at, kind=EventKind.CLIENT_FAILED, label=OUR_FAULT, client=client)


UNWRITTEN = warning(10.0, EventCode.LEDGER_UNWRITTEN, HELD, client=1)
WRITTEN = warning(11.0, EventCode.LEDGER_WRITTEN, "the order ledger is written again", client=1)
ELSEWHERE = warning(12.0, EventCode.LEDGER_KEPT_ELSEWHERE, "what the order ledger lacks is kept in /tmp/x", client=1)


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (failed(2), f"Of client ds2 #2, from 0:10 on: {OUR_FAULT}; no other users order in their place."),
        (warning(10.0, EventCode.LEDGER_GIVEN_UP, GIVEN_UP, client=1), f"Of client ds2 #1, from 0:10 on: {GIVEN_UP}."),
        (
            warning(103, EventCode.USERS_HUNG, "3 users hung in a call at the end", client=1),
            "Of client ds2 #1, 3 users hung in a call at the end; the times of these calls are in no service time.",
        ),
        (
            warning(100, EventCode.USERS_WAITED, WAITED, client=1),
            "Of client ds2 #1, 3 users were waiting when measuring ended, for up to 12.5 s; the run's last second"
            " was over, so their wait is in no time as intended.",
        ),
    ],
)
def test_client_losses_have_warnings(event: RunEvent, told: str) -> None:
    assert told_of(event) == [told]


def test_users_that_ended_later_are_counted_with_the_first_of_their_client() -> None:
    first = f"Of client ds2 #1, from 0:10 on: {OUR_FAULT}; no other users order in their place."
    assert told_of(failed(1), failed(1, at=20), failed(1, at=30)) == [f"{first} So it was 2 more times."]


def test_users_that_ended_after_measuring_have_no_warning() -> None:
    assert told_of(failed(1, at=101)) == []


def test_losses_of_many_clients_are_summarised() -> None:
    told = told_of(*(failed(client) for client in range(1, 6)), clients=5)
    assert [sentence.partition(",")[0] for sentence in told[:3]] == [f"Of client ds2 #{each}" for each in (1, 2, 3)]
    assert told[3:] == ["So it was of ds2 #4 and ds2 #5: users ended by a fault of Spindle's own."]


@pytest.mark.parametrize(
    ("events", "is_told"),
    [
        ([UNWRITTEN], True),
        ([UNWRITTEN, WRITTEN], False),
        ([UNWRITTEN, ELSEWHERE], False),
        ([UNWRITTEN, WRITTEN, replace(UNWRITTEN, at_seconds=12.0)], True),
    ],
)
def test_unwritten_ledger_has_a_warning(events: Sequence[RunEvent], is_told: bool) -> None:
    told = told_of(*events)
    what = "the order ledger can't be written (No space left on device)"
    assert bool([sentence for sentence in told if what in sentence]) is is_told


def test_server_errors_have_no_client_warning() -> None:
    server = RunEvent(at_seconds=1, kind=EventKind.TARGET_ERROR, label="deadlock: x", client=1)
    assert told_of(server, WRITTEN) == []
