"""The event log's model: times on the measuring clock, and news without a reset."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtGui import QIcon
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from engine.analysis.run_data import RunData
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventKind, RunEvent
from tests.doubles.live_runs import MEASURING_FROM, a_live_run, a_mark, a_plan
from widgets.live.event_model import TEXT_COLUMN, TIME_COLUMN, EventModel
from widgets.parts.look import Look


def a_model(run: RunData) -> EventModel:
    model = EventModel(Look())
    model.show_run(run)
    return model


def texts(model: EventModel) -> list[str]:
    return [model.index(row, TEXT_COLUMN).data() for row in range(model.rowCount())]


def times(model: EventModel) -> list[str]:
    return [model.index(row, TIME_COLUMN).data() for row in range(model.rowCount())]


def with_marks(*seconds: float) -> RunData:
    run = RunData(a_plan())
    for number, at_seconds in enumerate(seconds, start=1):
        run.put_event(a_mark(number, at_seconds, f"mark {number}"))
    return run


def test_model_passes_the_qt_model_tester(qtmodeltester: ModelTester) -> None:
    run = a_live_run(4, 450)
    model = a_model(run)
    qtmodeltester.check(model)
    run.put_event(a_mark(90, 100.0, "early"))
    model.refresh()
    run.remove_event(90)
    run.remove_event(1)
    model.refresh()
    run.put_event(a_mark(91, 449.0, "late"))
    model.refresh()
    assert texts(model)[-1] == "late"


def test_times_count_from_the_beginning_of_measuring(qtbot: QtBot) -> None:
    model = a_model(a_live_run(4, 450))
    assert times(model)[:4] == ["−0:30.0", "−0:20.0", "0:00.0", "2:49.4"]


def test_times_are_updated_when_measuring_begins(qtbot: QtBot) -> None:
    run = with_marks(5.0)
    model = a_model(run)
    assert times(model) == ["0:05.0"]
    run.set_state(RunState.WARMING_UP, Phases(warming_up_from=10, measuring_from=MEASURING_FROM))
    with qtbot.waitSignal(model.dataChanged):
        model.refresh()
    assert times(model) == ["−0:25.0"]


def test_no_change_emits_nothing(qtbot: QtBot) -> None:
    model = a_model(a_live_run(4, 450))
    with qtbot.assertNotEmitted(model.dataChanged), qtbot.assertNotEmitted(model.rowsInserted):
        model.refresh()


def test_late_event_is_inserted_in_order(qtbot: QtBot) -> None:
    run = with_marks(1.0, 9.0)
    model = a_model(run)
    run.put_event(a_mark(3, 5.0, "between"))
    model.refresh()
    assert texts(model) == ["mark 1", "between", "mark 2"]


def test_a_line_stays_the_same_when_an_earlier_one_changes_while_another_is_added(qtbot: QtBot) -> None:
    run = with_marks(1.0, 9.0)
    model = a_model(run)
    line = QPersistentModelIndex(model.index(1, TEXT_COLUMN))
    run.put_event(a_mark(1, 1.0, "renamed"))
    run.put_event(a_mark(3, 12.0, "newest"))
    model.refresh()
    assert line.data() == "mark 2"
    run.remove_event(1)
    run.put_event(a_mark(3, 12.0, "renamed, too"))
    model.refresh()
    assert line.data() == "mark 2"


def test_a_renamed_and_moved_mark_changes_its_line(qtbot: QtBot) -> None:
    run = with_marks(1.0, 9.0)
    model = a_model(run)
    run.put_event(a_mark(1, 12.0, "shelf pulled"))
    model.refresh()
    assert texts(model) == ["mark 2", "shelf pulled"]
    assert model.row_of(1) == 1
    assert model.row_of(7) is None


def test_only_mark_text_is_editable_and_rename_is_emitted(qtbot: QtBot) -> None:
    run = with_marks(1.0)
    run.put_event(RunEvent(number=2, at_seconds=2, kind=EventKind.PHASE, label="measuring"))
    model = a_model(run)
    editable = [
        bool(model.flags(model.index(row, column)) & Qt.ItemFlag.ItemIsEditable)
        for row in (0, 1)
        for column in (TIME_COLUMN, TEXT_COLUMN)
    ]
    assert editable == [False, True, False, False]
    with qtbot.waitSignal(model.rename_requested) as requested:
        assert model.setData(model.index(0, TEXT_COLUMN), " shelf pulled ")
    assert requested.args == [1, "shelf pulled"]
    assert texts(model) == ["mark 1", "measuring"]


@pytest.mark.parametrize("label", ["", "  ", "mark 1"])
def test_empty_or_unchanged_name_is_not_emitted(qtbot: QtBot, label: str) -> None:
    model = a_model(with_marks(1.0))
    with qtbot.assertNotEmitted(model.rename_requested):
        assert not model.setData(model.index(0, TEXT_COLUMN), label)


def test_lines_have_a_sign_and_accessible_kind(qtbot: QtBot) -> None:
    model = a_model(a_live_run(4, 450))
    index = model.index(3, TEXT_COLUMN)
    assert isinstance(index.data(Qt.ItemDataRole.DecorationRole), QIcon)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "mark: Enclosure pulled"
    assert "set by hand" in index.data(Qt.ItemDataRole.ToolTipRole)


@given(st.lists(st.lists(st.floats(0, 50), max_size=8), min_size=2, max_size=4))
def test_lines_equal_the_events_of_the_run(steps: list[list[float]]) -> None:
    run = RunData(a_plan())
    model = a_model(run)
    for step in steps:
        for number in list(run.events):
            run.remove_event(number)
        for number, at_seconds in enumerate(step, start=1):
            run.put_event(a_mark(number, at_seconds, f"mark {number}"))
        model.refresh()
        assert texts(model) == [event.label for event in run.sorted_events()]
