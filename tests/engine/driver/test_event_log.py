"""Events of many threads: each is numbered once and emitted on one thread, in the same order for every sink."""

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.driver.event_log import EventLog, RunIsOver
from engine.errors import BadInput, UserError
from engine.faults.marks import new_mark
from engine.telemetry.event import EventKind, RunEvent
from tests.engine.driver.runs import Gathering

PHASE = RunEvent(at_seconds=0.0, kind=EventKind.PHASE, label="ramping")


@pytest.fixture
def woken() -> list[str]:
    return []


@pytest.fixture
def log(sink: Gathering, woken: list[str]) -> EventLog:
    return EventLog(sink, lambda: woken.append("woken"))


def test_events_and_additions_share_one_numbering(log: EventLog, sink: Gathering, woken: list[str]) -> None:
    log.emit(PHASE)
    number = log.add(new_mark("Failover", 3.5))
    log.emit(PHASE)

    assert (number, len(woken)) == (2, 1)
    assert [event.number for event in sink.events] == [1, 3]
    log.emit_pending()
    assert [event.number for event in sink.events] == [1, 3, 2]


def test_a_mark_is_renamed_moved_and_taken_back_under_its_number(log: EventLog, sink: Gathering) -> None:
    first, second = log.add(new_mark("Failover", 3.5)), log.add(new_mark("Restored", 9.0))
    log.change_mark(first, label="Failed over", at_seconds=None)
    log.change_mark(first, label=None, at_seconds=4.25)
    log.remove_mark(second)
    log.emit_pending()

    (mark,) = sink.events
    assert (mark.number, mark.label, mark.at_seconds) == (first, "Failed over", 4.25)


def test_removed_mark_can_be_restored_and_changed(log: EventLog, sink: Gathering) -> None:
    number = log.add(new_mark("Failover", 3.5))
    log.emit_pending()
    (mark,) = sink.events
    log.remove_mark(number)
    log.emit_pending()
    assert sink.events == []

    log.restore(mark)
    log.change_mark(number, label=None, at_seconds=4.0)
    log.emit_pending()

    assert sink.events == [replace(mark, at_seconds=4.0)]


def test_a_mark_that_the_plan_set_can_be_changed_too(log: EventLog, sink: Gathering) -> None:
    log.emit(new_mark("planned", 3.0, by_hand=False))
    log.change_mark(1, label="moved", at_seconds=None)
    log.emit_pending()

    (mark,) = sink.events
    assert (mark.label, mark.by_hand) == ("moved", False)


def test_injection_event_is_updated_under_its_number(log: EventLog, sink: Gathering) -> None:
    began = RunEvent(at_seconds=4.5, kind=EventKind.INJECTION, label="kill primary", is_fault=True)
    number = log.add(began)
    log.change_injection(number, label=None, detail="asked at 4.5 s, done at 4.6 s")
    log.emit_pending()
    assert sink.events == [replace(began, number=number, detail="asked at 4.5 s, done at 4.6 s")]

    log.change_injection(number, label="kill primary: failed", detail=None, is_fault=False)
    log.emit_pending()

    (event,) = sink.events
    assert (event.label, event.is_fault) == ("kill primary: failed", False)
    assert event.detail == "asked at 4.5 s, done at 4.6 s"


def test_only_injections_can_be_updated(log: EventLog) -> None:
    number = log.add(new_mark("Failover", 3.5))
    with pytest.raises(UserError, match=f"event {number} is not an injection of this run"):
        log.change_injection(number, label="x", detail=None)


@pytest.mark.parametrize("number", [0, 1, 3, 99])
def test_only_marks_that_are_there_can_be_changed(log: EventLog, sink: Gathering, number: int) -> None:
    log.emit(PHASE)
    kept, gone = log.add(new_mark("kept", 1.0)), log.add(new_mark("gone", 1.0))
    log.remove_mark(gone)
    assert (kept, gone) == (2, 3)

    with pytest.raises(UserError, match=f"event {number} is not a mark of this run"):
        log.change_mark(number, label="x", at_seconds=None)
    with pytest.raises(UserError, match=f"event {number} is not a mark of this run"):
        log.remove_mark(number)

    log.emit_pending()
    assert [(event.number, event.label) for event in sink.events] == [(1, "ramping"), (2, "kept")]


def test_invalid_change_changes_nothing(log: EventLog, sink: Gathering) -> None:
    number = log.add(new_mark("Failover", 3.5))
    for change in ({"label": " ", "at_seconds": 9.0}, {"label": "x", "at_seconds": -1.0}):
        with pytest.raises(BadInput):
            log.change_mark(number, **change)  # type: ignore[arg-type]
    log.emit_pending()

    assert [(event.label, event.at_seconds) for event in sink.events] == [("Failover", 3.5)]


def test_events_after_the_end_are_refused(log: EventLog, sink: Gathering) -> None:
    number = log.add(new_mark("last", 3.5))
    log.close()

    assert [event.label for event in sink.events] == ["last"]
    late: list[Callable[[], object]] = [
        lambda: log.add(new_mark("late", 4.0)),
        lambda: log.change_mark(number, label="late", at_seconds=None),
        lambda: log.run_in_collector(log.emit_pending),
        lambda: log.remove_mark(number),
        lambda: log.restore(sink.events[0]),
    ]
    for action in late:
        with pytest.raises(RunIsOver, match="open it in the library"):
            action()
    log.emit_pending()
    assert [event.label for event in sink.events] == ["last"]


def test_concurrent_events_have_unique_numbers(log: EventLog, sink: Gathering) -> None:
    def add_some() -> None:
        for _ in range(200):
            number = log.add(new_mark("mark", 1.0))
            log.change_mark(number, label=f"mark {number}", at_seconds=None)

    threads = [threading.Thread(target=add_some) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        log.emit_pending()
    for thread in threads:
        thread.join()
    log.close()

    assert sorted(event.number for event in sink.events) == list(range(1, 801))
    assert all(event.label == f"mark {event.number}" for event in sink.events)


def test_things_to_do_have_their_turn_between_the_events(log: EventLog, sink: Gathering) -> None:
    seen: list[int] = []
    log.add(new_mark("before", 1.0))
    log.run_in_collector(lambda: seen.append(len(sink.events)))
    log.add(new_mark("after", 2.0))
    log.emit_pending()

    assert seen == [1]
    assert len(sink.events) == 2
