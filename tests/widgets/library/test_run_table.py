"""The table of runs: keys, selection that stays, editing in place, remembered columns."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QHeaderView, QLineEdit
from pytestqt.qtbot import QtBot

from engine.report.run_filter import RunFilter
from tests.widgets.library.runs import a_listing, listings
from widgets.library.run_columns import NAMES
from widgets.library.run_table import RunTable
from widgets.parts.look import Look

Key = Qt.Key


@pytest.fixture
def table(look: Look, qtbot: QtBot) -> RunTable:
    table = RunTable(look)
    qtbot.addWidget(table)
    table.resize(900, 300)
    table.show()
    return table


def test_newest_run_is_first(table: RunTable) -> None:
    table.show_runs(listings(3))
    assert [table.model().index(row, NAMES.index("name")).data() for row in range(3)] == ["run 3", "run 2", "run 1"]


def test_enter_and_double_click_open_a_run(table: RunTable, qtbot: QtBot) -> None:
    runs = listings(3)
    table.show_runs(runs)
    table.select_runs([runs[1].run_id])
    with qtbot.waitSignal(table.open_requested) as signal:
        qtbot.keyClick(table, Key.Key_Return)
    assert signal.args == [runs[1].run_id]
    place = table.visualRect(table.model().index(0, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    with qtbot.waitSignal(table.open_requested) as signal:
        qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert signal.args == [runs[2].run_id]


def test_name_is_edited_in_its_cell(table: RunTable, qtbot: QtBot) -> None:
    runs = listings(2)
    table.show_runs(runs)
    table.select_runs([runs[0].run_id])
    table.edit_name()
    editor = table.viewport().findChild(QLineEdit)
    assert editor.text() == "run 1"
    editor.selectAll()
    qtbot.keyClicks(editor, "raid 10")
    with qtbot.waitSignal(table.rename_requested) as signal:
        qtbot.keyClick(editor, Key.Key_Return)
    assert signal.args == [runs[0].run_id, "raid 10"]


def test_editing_a_hidden_note_shows_its_column(table: RunTable, qtbot: QtBot) -> None:
    runs = listings(1)
    table.show_runs(runs)
    table.select_runs([runs[0].run_id])
    table.setColumnHidden(NAMES.index("note"), True)
    table.edit_note()
    editor = table.viewport().findChild(QLineEdit)
    qtbot.keyClicks(editor, "new disks")
    with qtbot.waitSignal(table.note_requested) as signal:
        qtbot.keyClick(editor, Key.Key_Return)
    assert signal.args == [runs[0].run_id, "new disks"]
    assert not table.isColumnHidden(NAMES.index("note"))


def test_selection_and_scroll_position_are_kept_when_runs_change(table: RunTable, qtbot: QtBot) -> None:
    runs = listings(60)
    table.show_runs(runs)
    table.select_runs([runs[20].run_id, runs[22].run_id])
    table.verticalScrollBar().setValue(25)
    top = table.indexAt(table.viewport().rect().topLeft()).siblingAtColumn(NAMES.index("name")).data()
    with qtbot.assertNotEmitted(table.current_changed):
        table.show_runs([*runs[1:], a_listing(61), a_listing(62)])
    assert set(table.selected_ids()) == {runs[20].run_id, runs[22].run_id}
    assert table.indexAt(table.viewport().rect().topLeft()).siblingAtColumn(NAMES.index("name")).data() == top
    assert table.previewed_id() == runs[20].run_id


def test_new_run_is_visible_when_scrolled_to_the_top(table: RunTable) -> None:
    table.show_runs(listings(60))
    table.show_runs([*listings(60), a_listing(61)])
    assert table.verticalScrollBar().value() == 0


def test_set_column_is_shown_if_needed_or_requested(table: RunTable, qtbot: QtBot) -> None:
    column, runs = NAMES.index("set"), listings(2)
    table.show_runs(runs)
    assert table.isColumnHidden(column)
    table.show_runs([replace(runs[0], run_set="SSD"), runs[1]])
    assert not table.isColumnHidden(column)
    table.show_runs(runs)
    assert table.isColumnHidden(column)
    table.columns.choose(column, is_shown=True)
    table.show_runs(runs)
    assert not table.isColumnHidden(column)


def test_audits_have_a_column_once_there_is_one(table: RunTable) -> None:
    table.show_runs([replace(a_listing(1), audit=None)])
    assert table.isColumnHidden(NAMES.index("audit"))
    table.show_runs([replace(a_listing(1), audit="clean")])
    assert not table.isColumnHidden(NAMES.index("audit"))


def test_outdated_layout_is_ignored(table: RunTable) -> None:
    before = table.save_columns()
    older = QHeaderView(Qt.Orientation.Horizontal)
    older.setModel(QStandardItemModel(1, 16, older))
    older.moveSection(3, 0)
    assert not table.restore_columns(bytes(older.saveState().data()))
    assert table.save_columns() == before


def test_removed_run_is_deselected(table: RunTable, qtbot: QtBot) -> None:
    runs = listings(3)
    table.show_runs(runs)
    table.select_runs([runs[1].run_id])
    with qtbot.waitSignal(table.current_changed) as signal:
        table.show_runs([runs[0], runs[2]])
    assert signal.args == [""]
    assert table.selected_ids() == []


def test_arrow_keys_change_the_current_run(table: RunTable, qtbot: QtBot) -> None:
    runs = listings(3)
    table.show_runs(runs)
    table.select_runs([runs[2].run_id])
    with qtbot.waitSignal(table.current_changed) as signal:
        qtbot.keyClick(table, Key.Key_Down)
    assert signal.args == [runs[1].run_id]


def test_filtered_runs_are_deselected(table: RunTable, qtbot: QtBot) -> None:
    runs = listings(3)
    table.show_runs(runs)
    table.select_runs([runs[0].run_id])
    with qtbot.waitSignal(table.selection_changed):
        table.set_run_filter(RunFilter(text="run 2"))
    assert table.shown == 1
    assert table.selected_ids() == []


def test_columns_are_remembered(table: RunTable, look: Look, qtbot: QtBot) -> None:
    header = table.horizontalHeader()
    header.moveSection(NAMES.index("headline"), 1)
    table.setColumnHidden(NAMES.index("size"), True)
    table.sortByColumn(NAMES.index("headline"), Qt.SortOrder.AscendingOrder)
    other = RunTable(look)
    qtbot.addWidget(other)
    assert other.restore_columns(table.save_columns())
    assert other.horizontalHeader().visualIndex(NAMES.index("headline")) == 1
    assert other.isColumnHidden(NAMES.index("size"))
    assert other.horizontalHeader().sortIndicatorSection() == NAMES.index("headline")


def test_a_narrow_table_has_no_more_room_for_names_than_the_longest_of_all_runs_needs(table: RunTable) -> None:
    name = NAMES.index("name")
    reserved = table.columnWidth(name)
    runs = [replace(a_listing(1), name="R630 SSD, kill primary"), a_listing(2)]
    table.show_runs(runs)
    narrow = table.columnWidth(name)
    assert table.sizeHintForColumn(name) <= narrow < reserved
    table.set_run_filter(RunFilter(text="run 2"))
    table.show_runs(list(reversed(runs)))
    assert table.columnWidth(name) == narrow
    table.show_runs([*runs, replace(a_listing(3), name="m" * 40)])
    assert narrow < table.columnWidth(name) < reserved


def test_notes_and_targets_are_elided_where_the_window_of_a_small_screen_is_too_narrow_for_all(table: RunTable) -> None:
    run = replace(a_listing(1), name="R630 NVMe, kill primary", note="Enclosure 2, write cache off", audit="clean")
    table.show_runs([run])
    table.resize(1_252, 300)
    assert table.horizontalScrollBar().maximum() == 0
    table.resize(2_400, 300)
    assert table.columnWidth(NAMES.index("note")) >= table.sizeHintForColumn(NAMES.index("note"))


def test_names_are_whole_where_sets_audits_tags_and_notes_are_in_use_and_lesser_columns_leave(table: RunTable) -> None:
    run = replace(a_listing(1), name="R630 NVMe, kill primary", note="Enclosure 2, write cache off", audit="clean")
    table.show_runs([replace(run, run_set="R630 SSD 20 ms", is_median=True, tags=("baseline", "nightly"))])
    table.resize(1_252, 300)
    assert table.horizontalScrollBar().maximum() == 0
    assert table.columnWidth(NAMES.index("name")) >= table.sizeHintForColumn(NAMES.index("name"))
    assert table.isColumnHidden(NAMES.index("variability"))
    table.resize(2_400, 300)
    assert not table.isColumnHidden(NAMES.index("variability"))


def test_state_column_stays_visible_when_selecting_before_layout(look: Look, qtbot: QtBot) -> None:
    table = RunTable(look)
    qtbot.addWidget(table)
    table.resize(100, 100)
    table.show()
    runs = listings(3)
    table.show_runs(runs)
    table.select_runs([runs[1].run_id])
    table.show_runs([*runs, a_listing(4)])
    table.resize(900, 300)
    assert table.columnViewportPosition(NAMES.index("state")) == 0
