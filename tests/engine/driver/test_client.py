"""The events of a client about its users, which are doubles of ended ones."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.audit.ledger_reading import read_ledger
from engine.databases import database_of
from engine.driver.client import Client
from engine.driver.drive import Drive
from engine.driver.timebase import Timebase
from engine.driver.user_connection import UserState
from engine.target.target import POSTGRESQL, Host, Target
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import Sample
from tests.engine.driver.runs import start_of

NOWHERE = Target(kind=POSTGRESQL, hosts=(Host("127.0.0.1", 1),), database="ds2", user="nobody", tls="disable")


def raised(error: Exception) -> Exception:
    """The error, with the place at which it was raised."""
    try:
        raise error
    except type(error) as caught:
        return caught


def test_internal_error_of_any_user_is_reported() -> None:
    faults: list[Exception] = []
    drive = Drive(polled=False, report_fault=faults.append)
    start = start_of(NOWHERE, None, threads=3)
    client = Client(start, database_of(POSTGRESQL), Timebase(time.monotonic()), drive)
    users = client.users._users

    def messages() -> list[tuple[str, str]]:
        events = [event for event in client.take_messages([]) if isinstance(event, RunEvent)]
        assert all(event.kind is EventKind.CLIENT_FAILED for event in events)
        return [(event.label[-2:], event.detail.partition(":")[0]) for event in events]

    assert messages() == []
    users[2].failure = raised(ValueError("the last one's"))
    assert messages() == [("×1", "ValueError")]
    users[0].failure = raised(KeyError("the first one's"))
    assert messages() == [("×1", "KeyError")]
    assert messages() == []
    assert faults == []


@pytest.mark.parametrize("ends_late", [True, False])
def test_a_user_whose_order_ends_after_the_last_samples_leaves_no_complete_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, ends_late: bool
) -> None:
    path = tmp_path / "run" / "client-1.orders"
    start = replace(start_of(NOWHERE, None, threads=1), ledger=str(path))
    drive = Drive(polled=False, report_fault=lambda _: None)
    client = Client(start, database_of(POSTGRESQL), Timebase(time.monotonic()), drive)
    connection = SimpleNamespace(state=UserState.WORKING, received=(0, 0))
    user = SimpleNamespace(is_alive=ends_late, connection=connection, failure=None)
    client.users._users = [user]  # type: ignore[list-item]
    take_all = client._tally.take_all

    def taken_before_the_answer_comes(states: dict[str, int]) -> list[Sample]:
        samples = take_all(states)
        client._tally.acknowledged(1, 2, 3)
        user.is_alive = False
        return samples

    monkeypatch.setattr(client._tally, "take_all", taken_before_the_answer_comes)
    messages, hung = client.end()

    ledger = read_ledger(path, "run", 1)
    assert (hung, ledger.is_complete) == (int(ends_late), not ends_late)
    assert _warnings(messages) == (["1 user hung in a call at the end"] if ends_late else [])


def _warnings(messages: Sequence[Any]) -> list[str]:
    return [each.label for each in messages if isinstance(each, RunEvent)]
