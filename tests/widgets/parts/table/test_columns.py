"""Columns use the room that is there, and come back as the user left them."""

import json

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from widgets.parts.table.cell_delegates import SpacedCells
from widgets.parts.table.columns import column_title
from widgets.parts.table.view import TableView

LONG, LONGER = "order, service time of all clients", "order, as intended, of all clients and of their users, too"


@pytest.fixture
def view(qtbot: QtBot) -> TableView:
    view = TableView("Figures")
    qtbot.addWidget(view)
    view.setModel(a_model(view))
    view.fit_columns(["", "888 888", ""])
    view.resize(900, 200)
    with qtbot.waitExposed(view):
        view.show()
    return view


def a_model(view: TableView) -> QStandardItemModel:
    model = QStandardItemModel(0, 3, view)
    model.setHorizontalHeaderLabels(["Figure", "OPM", "Note"])
    for texts in (("short", "1", LONGER), (LONG, "186", "")):
        model.appendRow([QStandardItem(text) for text in texts])
    return model


def is_cut(view: TableView, column: int) -> bool:
    return view.columnWidth(column) < view.sizeHintForColumn(column)


def test_elided_column_takes_and_returns_free_width(view: TableView) -> None:
    assert not is_cut(view, 2)
    wide = view.columnWidth(2)
    view.resize(420, 200)
    assert view.columnWidth(2) < wide
    assert view.horizontalHeader().length() <= view.viewport().width() or is_cut(view, 2)
    view.resize(900, 200)
    assert view.columnWidth(2) == wide


def test_a_column_that_may_yield_is_narrowed_while_the_table_is_too_narrow(view: TableView) -> None:
    wide = view.columnWidth(0)
    view.columns.let_yield([(0, "mm")])
    view.resize(420, 200)
    assert is_cut(view, 0)
    assert view.horizontalHeader().length() <= view.viewport().width()
    view.resize(900, 200)
    assert view.columnWidth(0) == wide
    view.resize(100, 200)
    assert view.columnWidth(0) >= view.horizontalHeader().sectionSizeHint(0)


def test_a_column_that_may_leave_is_hidden_while_the_table_is_too_narrow(view: TableView) -> None:
    view.columns.let_leave([1, 2])
    own = json.loads(view.save_columns())["widths"]
    view.resize(own["Figure"] + own["Note"] + 20, 200)
    assert [view.isColumnHidden(column) for column in range(3)] == [False, True, False]
    assert json.loads(view.save_columns())["hidden"] == []
    view.resize(900, 200)
    assert not view.isColumnHidden(1)
    view.columns.choose(1, is_shown=True)
    view.resize(200, 200)
    assert [view.isColumnHidden(column) for column in range(3)] == [False, False, True]


def test_columns_yield_before_one_leaves_and_the_one_that_sorts_stays(view: TableView) -> None:
    view.columns.let_yield([(0, "mm"), (2, "")])
    view.columns.let_leave([1])
    view.resize(420, 200)
    assert not view.isColumnHidden(1)
    assert is_cut(view, 0)
    view.resize(150, 200)
    assert view.isColumnHidden(1)
    view.horizontalHeader().setSortIndicator(1, Qt.SortOrder.AscendingOrder)
    view.resize(151, 200)
    assert not view.isColumnHidden(1)


def test_a_column_that_has_left_can_be_hidden_for_good(view: TableView) -> None:
    view.columns.let_leave([1])
    view.resize(200, 200)
    view.columns.propose(1, is_shown=False)
    view.resize(900, 200)
    assert view.isColumnHidden(1)


def test_columns_yield_in_turn_and_a_stretched_last_one_has_what_remains(view: TableView) -> None:
    header = view.horizontalHeader()
    header.setStretchLastSection(True)
    view.columns.let_yield([(2, "0" * 10), (0, "mm"), (2, "")])
    view.resize(460, 200)
    wide = view.columnWidth(0)
    assert is_cut(view, 2)
    view.resize(240, 200)
    assert view.columnWidth(0) < wide
    assert header.length() == view.viewport().width()


def test_a_stretched_last_column_without_texts_is_narrowed_to_its_title(view: TableView) -> None:
    for row in range(view.model().rowCount()):
        view.model().setData(view.model().index(row, 2), "")
    view.horizontalHeader().setStretchLastSection(True)
    view.fit_columns(["", "888 888", "0" * 30])
    view.columns.let_yield([(0, "mm"), (2, "")])
    view.resize(300, 200)
    assert view.horizontalHeader().length() <= view.viewport().width()


def test_column_does_not_grow_beyond_its_content(view: TableView) -> None:
    view.resize(3_000, 200)
    assert view.horizontalHeader().length() < 1_500


def test_a_text_is_set_off_from_a_number_whichever_columns_between_are_hidden(view: TableView) -> None:
    model = QStandardItemModel(1, 3, view)
    model.setHorizontalHeaderLabels(["OPM", "Tags", "Note"])
    model.setHeaderData(0, Qt.Orientation.Horizontal, Qt.AlignmentFlag.AlignRight, Qt.ItemDataRole.TextAlignmentRole)
    view.setModel(model)
    view.fit_columns(["", "", ""])
    assert not view.spaced_header.is_after_number(2)
    view.columns.choose(1, is_shown=False)
    assert view.spaced_header.is_after_number(2)
    assert isinstance(view.itemDelegateForColumn(2), SpacedCells)


def test_column_widths_follow_new_rows(view: TableView) -> None:
    view.resize(3_000, 200)
    before = view.columnWidth(2)
    model = a_model(view)
    model.setItem(0, 2, QStandardItem(LONGER * 2))
    view.setModel(model)
    assert view.columnWidth(2) > before


def drag_edge(view: TableView, column: int, by: int) -> None:
    """Move the right edge of a column's title with the mouse."""
    header = view.horizontalHeader()
    edge = QPoint(header.sectionViewportPosition(column) + header.sectionSize(column) - 1, header.height() // 2)
    QTest.mousePress(header.viewport(), Qt.MouseButton.LeftButton, pos=edge)
    QTest.mouseMove(header.viewport(), edge + QPoint(by, 0))
    QTest.mouseRelease(header.viewport(), Qt.MouseButton.LeftButton, pos=edge + QPoint(by, 0))


def test_user_column_widths_are_kept(view: TableView) -> None:
    drag_edge(view, 2, -120)
    narrow = view.columnWidth(2)
    assert is_cut(view, 2)
    view.resize(1_500, 200)
    assert view.columnWidth(2) == narrow
    saved = view.save_columns()
    view.columns.fit(["", "", ""])
    assert view.restore_columns(saved)
    view.resize(1_400, 200)
    assert view.columnWidth(2) == narrow


def test_automatic_widths_are_not_saved(view: TableView) -> None:
    state = json.loads(view.save_columns())
    assert state["widths"]["Note"] < view.columnWidth(2)


def test_new_columns_keep_their_place_in_a_saved_layout(view: TableView) -> None:
    view.horizontalHeader().moveSection(2, 0)
    saved = json.loads(view.save_columns())
    del saved["widths"]["OPM"]
    saved["order"] = ["Note", "Figure", "gone"]
    assert view.restore_columns(json.dumps(saved).encode())
    header = view.horizontalHeader()
    assert [column_title(view, header.logicalIndex(place)) for place in range(3)] == ["Note", "Figure", "OPM"]


@pytest.mark.parametrize("saved", [b"[]", b"{}", b'{"order": ["other", "table"]}', b'{"order": ["OPM"], "widths": 3}'])
def test_foreign_state_is_ignored(view: TableView, saved: bytes) -> None:
    before = view.save_columns()
    assert not view.restore_columns(saved)
    assert json.loads(view.save_columns())["order"] == json.loads(before)["order"]
