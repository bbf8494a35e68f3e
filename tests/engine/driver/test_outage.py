"""The events about users that lost their connections: how many are away, and how long each reconnection took."""

import threading

import pytest

from engine.driver.outage import Outage
from engine.driver.timebase import Timebase
from engine.telemetry.event import EventKind

EPOCH = 1000.0


@pytest.fixture
def outage() -> Outage:
    return Outage(3, Timebase(EPOCH))


def test_no_lost_users_have_no_outage(outage: Outage) -> None:
    assert outage.take_events() == []


def test_moments_are_seconds_of_the_run() -> None:
    outage = Outage(3, Timebase(EPOCH, tick_seconds=0.5))
    outage.lost(1010.25)
    (lost,) = outage.take_events()
    assert lost.at_seconds == 20.5


def test_wave_has_its_first_loss_and_returns(outage: Outage) -> None:
    for lost_at in (1010.25, 1010.5, 1011.0):
        outage.lost(lost_at)
    (lost,) = outage.take_events()
    assert (lost.kind, lost.label, lost.at_seconds, lost.client) == (
        EventKind.CONNECTION_LOST,
        "connection lost ×3",
        10.25,
        3,
    )

    outage.back(1010.25, 1011.0)
    outage.back(1011.0, 1013.5)
    assert outage.take_events() == []
    outage.back(1010.5, 1012.0)
    (back,) = outage.take_events()

    assert (back.kind, back.at_seconds) == (EventKind.CONNECTION_BACK, 13.5)
    assert back.detail == "3 users: first after 0.75 s, median 1.50 s, last 2.50 s"
    assert outage.take_events() == []


def test_quick_reconnect_is_reported(outage: Outage) -> None:
    outage.lost(1010.0)
    outage.back(1010.0, 1010.2)
    outage.lost(1010.3)
    outage.back(1010.3, 1010.4)

    lost, back = outage.take_events()

    assert (lost.label, lost.at_seconds) == ("connection lost ×2", 10.0)
    assert (back.at_seconds, back.detail) == (10.4, "2 users: first after 0.10 s, median 0.15 s, last 0.20 s")


def test_every_wave_has_its_own_returns(outage: Outage) -> None:
    for lost_at, seconds in ((1010.0, 1.0), (1050.0, 7.0)):
        outage.lost(lost_at)
        outage.take_events()
        outage.back(lost_at, lost_at + seconds)
        (back,) = outage.take_events()
        assert back.detail == f"1 user: first after {seconds:.2f} s, median {seconds:.2f} s, last {seconds:.2f} s"


def test_unreconnected_users_leave_the_outage_open(outage: Outage) -> None:
    outage.lost(1010.0)
    outage.lost(1010.0)
    outage.back(1010.0, 1011.0)
    assert [event.kind for event in outage.take_events()] == [EventKind.CONNECTION_LOST]
    assert outage.take_events() == []


def test_users_on_many_threads_are_all_counted(outage: Outage) -> None:
    def come_and_go() -> None:
        for _ in range(500):
            outage.lost(1010.0)
            outage.back(1010.0, 1011.0)

    threads = [threading.Thread(target=come_and_go) for _ in range(4)]
    for thread in threads:
        thread.start()
    events = []
    while any(thread.is_alive() for thread in threads):
        events += outage.take_events()
    for thread in threads:
        thread.join()
    events += outage.take_events()

    lost = [int(event.label.partition("×")[2]) for event in events if event.kind is EventKind.CONNECTION_LOST]
    back = [int(event.detail.split()[0]) for event in events if event.kind is EventKind.CONNECTION_BACK]
    assert sum(lost) == sum(back) == 2_000
