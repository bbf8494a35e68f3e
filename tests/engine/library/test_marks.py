import pytest

from engine.errors import BadInput, UserError
from engine.faults.marks import new_mark
from engine.telemetry.event import EventKind, RunEvent
from tests.engine.library.examples import a_finished_record, a_record, some_events

PHASE, MARK, LOST = 1, 2, 3  # the numbers of some_events()


@pytest.fixture
def run_id(library):
    record = a_finished_record()
    library.add_imported(record, [], some_events())
    return record.run_id


def test_a_mark_that_is_added_gets_the_next_number_and_its_place_in_time(library, run_id):
    mark = library.marks.put(run_id, new_mark(" Enclosure\npulled ", 3.25))
    assert mark == RunEvent(at_seconds=3.25, kind=EventKind.MARK, label="Enclosure pulled", by_hand=True, number=4)
    phase, *others = some_events()
    assert library.events(run_id) == [phase, mark, *others]


def test_a_mark_is_added_to_a_run_without_events(library):
    record = a_finished_record()
    library.add_imported(record, [], [])
    assert library.marks.put(record.run_id, new_mark("first", 0)).number == 1


def test_a_mark_is_renamed_and_moved(library, run_id):
    renamed = library.marks.change(run_id, MARK, label="fail-over")
    moved = library.marks.change(run_id, MARK, at_seconds=9.5)
    assert (renamed.label, renamed.at_seconds, renamed.detail) == ("fail-over", 7.25, "node 2")
    assert (moved.label, moved.at_seconds) == ("fail-over", 9.5)
    phase, _, lost = some_events()
    assert library.events(run_id) == [phase, lost, moved]


def test_a_removed_mark_is_put_back_as_it_was(library, run_id):
    removed = library.marks.remove(run_id, MARK)
    assert [event.number for event in library.events(run_id)] == [PHASE, LOST]
    assert library.marks.put(run_id, removed) == removed
    assert library.events(run_id) == some_events()


def test_restored_mark_gets_a_new_number_if_its_own_is_used(library, run_id):
    removed = library.marks.remove(run_id, library.marks.put(run_id, new_mark("first", 1.0)).number)
    other = library.marks.put(run_id, new_mark("second", 2.0))
    back = library.marks.put(run_id, removed)
    assert (removed.number, other.number, back.number) == (4, 4, 5)
    assert [event.label for event in library.events(run_id)][1:3] == ["first", "second"]


@pytest.mark.parametrize("number", [0, PHASE, LOST, 99])
def test_only_marks_can_be_changed(library, run_id, number):
    with pytest.raises(UserError, match=f"event {number} is not a mark of this run"):
        library.marks.change(run_id, number, label="mine")
    with pytest.raises(UserError, match=f"event {number} is not a mark of this run"):
        library.marks.remove(run_id, number)
    assert library.events(run_id) == some_events()


def test_invalid_mark_is_rejected(library, run_id):
    with pytest.raises(BadInput, match="a mark's label"):
        library.marks.put(run_id, new_mark("", 1.0))
    with pytest.raises(BadInput, match="a mark's time is -1"):
        library.marks.change(run_id, MARK, at_seconds=-1)
    assert library.events(run_id) == some_events()


def test_marks_of_a_running_run_can_not_be_changed_here(library, told):
    running = a_record()
    mark = some_events()[1]
    writer = library.start_run(running, notify=told.append)
    writer.write_event(mark)
    assert writer.flush(60)
    for refused in (
        lambda: library.marks.put(running.run_id, new_mark("mine", 1.0)),
        lambda: library.marks.change(running.run_id, mark.number, label="mine"),
        lambda: library.marks.remove(running.run_id, mark.number),
        lambda: library.marks.put(running.run_id, mark),
    ):
        with pytest.raises(UserError, match="is still preparing; change its marks on the Live page"):
            refused()
    assert library.events(running.run_id) == [mark]
    assert writer.close(60)


def test_mark_of_a_missing_run_is_an_error(library):
    with pytest.raises(UserError, match="'nowhere' is not in the library"):
        library.marks.put("nowhere", new_mark("mine", 1.0))
