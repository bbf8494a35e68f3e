"""Events of many threads: each numbered once, told on one thread, in an order that every sink agrees on."""

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.driver.event_book import EventBook, RunIsOver
from engine.errors import BadInput, UserError
from engine.faults.marks import new_mark
from engine.telemetry.event import EventKind, RunEvent
from tests.engine.driver.runs import Gathering

PHASE = RunEvent(at_seconds=0.0, kind=EventKind.PHASE, label="ramping")


@pytest.fixture
def sink() -> Gathering:
    return Gathering()


@pytest.fixture
def woken() -> list[str]:
    return []


@pytest.fixture
def book(sink: Gathering, woken: list[str]) -> EventBook:
    return EventBook(sink, lambda: woken.append("woken"))


def test_what_is_told_and_what_is_added_share_one_count(book: EventBook, sink: Gathering, woken: list[str]) -> None:
    book.tell(PHASE)
    number = book.add(new_mark("Failover", 3.5))
    book.tell(PHASE)

    assert (number, len(woken)) == (2, 1)
    assert [event.number for event in sink.events] == [1, 3]
    book.hand_on()
    assert [event.number for event in sink.events] == [1, 3, 2]


def test_a_mark_is_renamed_moved_and_taken_back_under_its_number(book: EventBook, sink: Gathering) -> None:
    first, second = book.add(new_mark("Failover", 3.5)), book.add(new_mark("Restored", 9.0))
    book.change_mark(first, label="Failed over", at_seconds=None)
    book.change_mark(first, label=None, at_seconds=4.25)
    book.remove_mark(second)
    book.hand_on()

    (mark,) = sink.events
    assert (mark.number, mark.label, mark.at_seconds) == (first, "Failed over", 4.25)


def test_a_mark_that_was_taken_back_can_be_put_back_and_changed_again(book: EventBook, sink: Gathering) -> None:
    number = book.add(new_mark("Failover", 3.5))
    book.hand_on()
    (mark,) = sink.events
    book.remove_mark(number)
    book.hand_on()
    assert sink.events == []

    book.put_back(mark)
    book.change_mark(number, label=None, at_seconds=4.0)
    book.hand_on()

    assert sink.events == [replace(mark, at_seconds=4.0)]


def test_a_mark_that_the_plan_set_can_be_changed_too(book: EventBook, sink: Gathering) -> None:
    book.tell(new_mark("planned", 3.0, by_hand=False))
    book.change_mark(1, label="moved", at_seconds=None)
    book.hand_on()

    (mark,) = sink.events
    assert (mark.label, mark.by_hand) == ("moved", False)


def test_an_injection_is_told_again_under_its_number_when_more_is_known(book: EventBook, sink: Gathering) -> None:
    began = RunEvent(at_seconds=4.5, kind=EventKind.INJECTION, label="kill primary", is_fault=True)
    number = book.add(began)
    book.change_injection(number, label=None, detail="asked at 4.5 s, done at 4.6 s")
    book.hand_on()
    assert sink.events == [replace(began, number=number, detail="asked at 4.5 s, done at 4.6 s")]

    book.change_injection(number, label="kill primary: failed", detail=None, is_fault=False)
    book.hand_on()

    (event,) = sink.events
    assert (event.label, event.is_fault) == ("kill primary: failed", False)
    assert event.detail == "asked at 4.5 s, done at 4.6 s"


def test_only_injections_are_told_again_as_such(book: EventBook) -> None:
    number = book.add(new_mark("Failover", 3.5))
    with pytest.raises(UserError, match=f"event {number} is not an injection of this run"):
        book.change_injection(number, label="x", detail=None)


@pytest.mark.parametrize("number", [0, 1, 3, 99])
def test_only_marks_that_are_there_can_be_changed(book: EventBook, sink: Gathering, number: int) -> None:
    book.tell(PHASE)
    kept, gone = book.add(new_mark("kept", 1.0)), book.add(new_mark("gone", 1.0))
    book.remove_mark(gone)
    assert (kept, gone) == (2, 3)

    with pytest.raises(UserError, match=f"event {number} is not a mark of this run"):
        book.change_mark(number, label="x", at_seconds=None)
    with pytest.raises(UserError, match=f"event {number} is not a mark of this run"):
        book.remove_mark(number)

    book.hand_on()
    assert [(event.number, event.label) for event in sink.events] == [(1, "ramping"), (2, "kept")]


def test_a_change_that_can_not_be_changes_nothing(book: EventBook, sink: Gathering) -> None:
    number = book.add(new_mark("Failover", 3.5))
    for change in ({"label": " ", "at_seconds": 9.0}, {"label": "x", "at_seconds": -1.0}):
        with pytest.raises(BadInput):
            book.change_mark(number, **change)  # type: ignore[arg-type]
    book.hand_on()

    assert [(event.label, event.at_seconds) for event in sink.events] == [("Failover", 3.5)]


def test_what_comes_after_the_end_is_refused_and_what_came_before_is_kept(book: EventBook, sink: Gathering) -> None:
    number = book.add(new_mark("last", 3.5))
    book.close()

    assert [event.label for event in sink.events] == ["last"]
    late: list[Callable[[], object]] = [
        lambda: book.add(new_mark("late", 4.0)),
        lambda: book.change_mark(number, label="late", at_seconds=None),
        lambda: book.do_in_turn(book.hand_on),
        lambda: book.remove_mark(number),
        lambda: book.put_back(sink.events[0]),
    ]
    for action in late:
        with pytest.raises(RunIsOver, match="open it in the library"):
            action()
    book.hand_on()
    assert [event.label for event in sink.events] == ["last"]


def test_threads_at_once_lose_nothing_and_share_no_number(book: EventBook, sink: Gathering) -> None:
    def add_some() -> None:
        for _ in range(200):
            number = book.add(new_mark("mark", 1.0))
            book.change_mark(number, label=f"mark {number}", at_seconds=None)

    threads = [threading.Thread(target=add_some) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        book.hand_on()
    for thread in threads:
        thread.join()
    book.close()

    assert sorted(event.number for event in sink.events) == list(range(1, 801))
    assert all(event.label == f"mark {event.number}" for event in sink.events)


def test_things_to_do_have_their_turn_between_the_events(book: EventBook, sink: Gathering) -> None:
    seen: list[int] = []
    book.add(new_mark("before", 1.0))
    book.do_in_turn(lambda: seen.append(len(sink.events)))
    book.add(new_mark("after", 2.0))
    book.hand_on()

    assert seen == [1]
    assert len(sink.events) == 2
