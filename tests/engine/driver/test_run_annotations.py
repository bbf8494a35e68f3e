"""Marks, injections and notes added to a run: each has its moment, its number and its kind."""

import time

import pytest

from engine.driver.event_log import EventLog
from engine.driver.run_annotations import RunAnnotations
from engine.driver.timebase import Timebase
from engine.errors import BadInput, UserError
from engine.telemetry.event import EventKind, RunEvent
from tests.engine.driver.runs import Gathering


class Notebook:
    """Notes with the sink that they go to."""

    def __init__(self) -> None:
        self.sink = Gathering()
        self.book = EventLog(self.sink, lambda: None)
        self.notes = RunAnnotations(self.book)

    def events(self) -> list[RunEvent]:
        self.book.emit_pending()
        return self.sink.events


@pytest.fixture
def notebook() -> Notebook:
    notebook = Notebook()
    notebook.notes.timebase = Timebase(time.monotonic() - 100)
    return notebook


def test_a_mark_of_a_fault_is_one(notebook: Notebook) -> None:
    moment = notebook.notes.timebase.moment
    first = notebook.notes.add_mark("Enclosure pulled", at_monotonic=moment(40.25), is_fault=True)
    second = notebook.notes.add_mark("Coffee")
    assert [(event.number, event.kind, event.is_fault, event.by_hand) for event in notebook.events()] == [
        (first, EventKind.MARK, True, True),
        (second, EventKind.MARK, False, True),
    ]
    assert notebook.events()[0].at_seconds == 40.25


def test_injection_is_reported_at_begin_and_end(notebook: Notebook) -> None:
    at = notebook.notes.timebase.moment(60)
    number = notebook.notes.add_injection("kill  primary", "asked by ann", at_monotonic=at)
    notebook.notes.change_injection(number, detail="asked by ann, done in 0.1 s")
    notebook.notes.end_fault("Restored: kill primary", "rejoined", at_monotonic=at + 5)

    assert [
        (event.kind, event.at_seconds, event.label, event.detail, event.is_fault, event.by_hand)
        for event in sorted(notebook.events(), key=lambda event: event.number)
    ] == [
        (EventKind.INJECTION, 60.0, "kill primary", "asked by ann, done in 0.1 s", True, False),
        (EventKind.FAULT_END, 65.0, "Restored: kill primary", "rejoined", False, False),
    ]


def test_manual_end_of_a_fault_can_be_removed(notebook: Notebook) -> None:
    number = notebook.notes.end_fault("Restored", at_monotonic=notebook.notes.timebase.moment(70), by_hand=True)
    notebook.notes.change_mark(number, label="Cable plugged in")
    assert [(event.kind, event.label, event.by_hand) for event in notebook.events()][-1] == (
        EventKind.FAULT_END,
        "Cable plugged in",
        True,
    )
    other = notebook.notes.end_fault("Restored: kill primary")
    with pytest.raises(UserError, match="is not a mark"):
        notebook.notes.remove_mark(other)


def test_an_injection_need_be_no_fault(notebook: Notebook) -> None:
    number = notebook.notes.add_injection("rejoin node 1", is_fault=False)
    failed = notebook.notes.add_injection("kill primary")
    notebook.notes.change_injection(failed, is_fault=False)
    assert {event.number: event.is_fault for event in notebook.events()} == {number: False, failed: False}


def test_mark_without_a_label_is_refused(notebook: Notebook) -> None:
    for add in (notebook.notes.add_injection, notebook.notes.end_fault, notebook.notes.add_mark):
        with pytest.raises(BadInput):
            add(" ")
    assert notebook.events() == []


def test_finished_run_refuses_annotations(notebook: Notebook) -> None:
    number = notebook.notes.add_injection("kill primary")
    notebook.book.close()
    with pytest.raises(UserError, match="the run is over"):
        notebook.notes.add_injection("again")
    with pytest.raises(UserError, match="the run is over"):
        notebook.notes.change_injection(number, detail="late")
    with pytest.raises(UserError, match="the run is over"):
        notebook.notes.end_fault("late")
    notebook.notes.add_event(EventKind.LIBRARY, "too late to be stored")
    assert [event.label for event in notebook.events()] == ["kill primary"]


def test_before_the_epoch_everything_is_at_its_beginning() -> None:
    notebook = Notebook()
    notebook.notes.add_mark("early", at_monotonic=time.monotonic())
    assert [event.at_seconds for event in notebook.events()] == [0.0]
