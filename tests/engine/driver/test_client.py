"""A client's own words about its users, who are doubles of ended ones."""

import time

from engine.databases import database_of
from engine.driver.client import Client
from engine.driver.drive import Drive
from engine.driver.timebase import Timebase
from engine.sample import EventKind, RunEvent
from engine.target import POSTGRESQL, Host, Target
from tests.engine.driver.runs import start_of

NOWHERE = Target(kind=POSTGRESQL, hosts=(Host("127.0.0.1", 1),), database="ds2", user="nobody", tls="disable")


def raised(error: Exception) -> Exception:
    """The error, with the place at which it was raised."""
    try:
        raise error
    except type(error) as caught:
        return caught


def test_each_fault_that_ends_a_user_is_told_whichever_user_it_is() -> None:
    faults: list[Exception] = []
    drive = Drive(polled=False, tell_fault=faults.append)
    start = start_of(NOWHERE, None, threads=3)
    client = Client(start, database_of(POSTGRESQL), Timebase(time.monotonic()), drive)
    users = client.crowd._users

    def told() -> list[tuple[str, str]]:
        events = [event for event in client.what_to_tell([]) if isinstance(event, RunEvent)]
        assert all(event.kind is EventKind.CLIENT_FAILED for event in events)
        return [(event.label[-2:], event.detail.partition(":")[0]) for event in events]

    assert told() == []
    users[2].failure = raised(ValueError("the last one's"))
    assert told() == [("×1", "ValueError")]
    users[0].failure = raised(KeyError("the first one's"))
    assert told() == [("×1", "KeyError")]
    assert told() == []
    assert faults == []
