"""A table that is typed in, by keys."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from widgets.parts.form.typed_table import TypedTable


@pytest.fixture
def table(qtbot: QtBot) -> TypedTable:
    table = TypedTable("Items", ("Item", "Count"), numbers=(1,))
    qtbot.addWidget(table)
    table.resize(400, 300)
    with qtbot.waitExposed(table):
        table.show()
    return table


def type_here(table: TypedTable, qtbot: QtBot, text: str) -> None:
    qtbot.keyClick(table, Qt.Key.Key_Return)
    editor = table.findChildren(QLineEdit)[-1]
    qtbot.keyClicks(editor, text)
    qtbot.keyClick(editor, Qt.Key.Key_Return)


def test_table_has_an_empty_row_for_input(table: TypedTable, qtbot: QtBot) -> None:
    assert (table.rowCount(), table.rows()) == (1, [])
    table.setCurrentCell(0, 0)
    with qtbot.waitSignal(table.edited):
        type_here(table, qtbot, " server ")
    assert table.rows() == [("server", "")]
    assert table.rowCount() == 2


def test_numbers_are_right_aligned(table: TypedTable) -> None:
    table.fill([("server", "2")])
    item = table.item(0, 1)
    assert item is not None
    assert item.textAlignment() & Qt.AlignmentFlag.AlignRight


def test_emptied_rows_are_removed(table: TypedTable, qtbot: QtBot) -> None:
    table.fill([("server", "2"), ("switch", "1"), ("disk", "6")])
    table.setCurrentCell(1, 0)
    for column in range(2):
        table.item(1, column).setSelected(True)  # type: ignore[union-attr]
    qtbot.keyClick(table, Qt.Key.Key_Delete)
    assert table.rows() == [("server", "2"), ("disk", "6")]
    table.setCurrentCell(0, 0)
    table.type_in(0, 0, "box")
    assert table.rows() == [("box", "2"), ("disk", "6")]
    assert table.rowCount() == 3


def test_loading_rows_emits_no_edit(table: TypedTable, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(table.edited):
        table.fill([("server", "2")])


def test_titles_stand_above_their_cells(table: TypedTable) -> None:
    sides = [Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight]
    for row in (table.horizontalHeaderItem, lambda column: table.item(0, column)):
        assert all(row(column).textAlignment() & side for column, side in enumerate(sides))
