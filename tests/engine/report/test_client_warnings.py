from collections.abc import Sequence
from dataclasses import replace

import pytest

from engine.record.record import Phases
from engine.report.client_warnings import client_warnings
from engine.telemetry.event import EventCode, EventKind, RunEvent
from tests.engine.events import warning
from tests.engine.report.reported import a_reported_run
from tests.texts import lacks

PHASES = Phases(warming_up_from=0, measuring_from=0, measuring_to=100)
OUR_FAULT = "users ended by a fault of Spindle's own ×2"
GIVEN_UP = "the ledger is given up (No space left on device); the audit will lack what is ordered from now on"
HUNG = "3 users hung in a call at the end"
WAITED = "3 users were waiting when measuring ended, for up to 12.5 s"
HELD = "the ledger can't be written (No space left on device); it is kept in memory and tried again"


def warnings_for(*events: RunEvent, clients: int = 2) -> list[str]:
    return list(client_warnings(a_reported_run([1] * clients, events=events, phases=PHASES).data))


def failed(client: int, at: float = 10.0) -> RunEvent:
    return RunEvent(at_seconds=at, kind=EventKind.CLIENT_FAILED, label=OUR_FAULT, client=client)


UNWRITTEN = warning(10.0, EventCode.LEDGER_UNWRITTEN, HELD, client=1)
WRITTEN = warning(11.0, EventCode.LEDGER_WRITTEN, "the ledger is written again", client=1)
ELSEWHERE = warning(12.0, EventCode.LEDGER_KEPT_ELSEWHERE, "what the ledger lacks is kept in /tmp/x", client=1)


@pytest.mark.parametrize(
    ("event", "parts"),
    [
        (failed(2), ("ds2 #2", "from 0:10", OUR_FAULT)),
        (warning(10.0, EventCode.LEDGER_GIVEN_UP, GIVEN_UP, client=1), ("ds2 #1", "from 0:10", GIVEN_UP)),
        (warning(103, EventCode.USERS_HUNG, HUNG, client=1), ("ds2 #1", HUNG, "in no service time")),
        (warning(100, EventCode.USERS_WAITED, WAITED, client=1), ("ds2 #1", WAITED, "in no time as intended")),
    ],
)
def test_client_losses_have_warnings(event: RunEvent, parts: tuple[str, ...]) -> None:
    (text,) = warnings_for(event)
    assert lacks(text, *parts) == []


def test_later_losses_of_a_client_are_counted_with_the_first() -> None:
    (text,) = warnings_for(failed(1), failed(1, at=20), failed(1, at=30))
    assert lacks(text, "ds2 #1", "from 0:10", OUR_FAULT, "2 more times") == []


def test_users_that_ended_after_measuring_have_no_warning() -> None:
    assert warnings_for(failed(1, at=101)) == []


def test_losses_of_many_clients_are_summarised() -> None:
    *single, summary = warnings_for(*(failed(client) for client in range(1, 6)), clients=5)
    assert [sentence.partition(",")[0] for sentence in single] == [f"Of client ds2 #{each}" for each in (1, 2, 3)]
    assert lacks(summary, "ds2 #4", "ds2 #5") == []


@pytest.mark.parametrize(
    ("events", "has_warning"),
    [
        ([UNWRITTEN], True),
        ([UNWRITTEN, WRITTEN], False),
        ([UNWRITTEN, ELSEWHERE], False),
        ([UNWRITTEN, WRITTEN, replace(UNWRITTEN, at_seconds=12.0)], True),
    ],
)
def test_unwritten_ledger_has_a_warning(events: Sequence[RunEvent], has_warning: bool) -> None:
    unwritten = [text for text in warnings_for(*events) if "can't be written (No space left on device)" in text]
    assert bool(unwritten) is has_warning


def test_server_errors_have_no_client_warning() -> None:
    server = RunEvent(at_seconds=1, kind=EventKind.TARGET_ERROR, label="deadlock: x", client=1)
    assert warnings_for(server, WRITTEN) == []
