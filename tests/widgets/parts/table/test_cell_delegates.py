from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication, QStyledItemDelegate, QStyleOptionHeader, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from widgets.parts.table.cell_delegates import SwatchDelegate
from widgets.parts.table.view import TableView


def a_table(qtbot: QtBot) -> TableView:
    table = TableView("Runs")
    qtbot.addWidget(table)
    model = QStandardItemModel(1, 4, table)
    for column in range(4):
        model.setItem(0, column, QStandardItem(f"cell {column}"))
    model.setHorizontalHeaderLabels([f"title {column}" for column in range(4)])
    model.setHeaderData(1, Qt.Orientation.Horizontal, Qt.AlignmentFlag.AlignRight, Qt.ItemDataRole.TextAlignmentRole)
    table.setModel(model)
    table.fit_columns([""] * 4)
    return table


def drawn(table: TableView, column: int) -> str:
    index = table.model().index(0, column)
    delegate = table.itemDelegateForIndex(index)
    assert isinstance(delegate, QStyledItemDelegate)
    option = QStyleOptionViewItem()
    delegate.initStyleOption(option, index)
    return option.text


def test_text_is_indented_beside_a_number(qtbot: QtBot) -> None:
    table = a_table(qtbot)
    assert [drawn(table, column) for column in range(4)] == ["cell 0", "cell 1", "\u2002cell 2", "cell 3"]


def test_text_that_comes_to_be_elsewhere_is_not_indented(qtbot: QtBot) -> None:
    table = a_table(qtbot)
    table.horizontalHeader().moveSection(2, 0)
    assert drawn(table, 2) == "cell 2"


def test_column_keeps_a_delegate_of_its_own(qtbot: QtBot) -> None:
    table = a_table(qtbot)
    own = SwatchDelegate(table)
    table.setItemDelegateForColumn(2, own)
    table.fit_columns([""] * 4)
    assert table.itemDelegateForColumn(2) is own


def test_padding_is_not_copied(qtbot: QtBot) -> None:
    table = a_table(qtbot)
    table.selectRow(0)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text().splitlines()[1] == "cell 0\tcell 1\tcell 2\tcell 3"


def title(table: TableView, column: int) -> str:
    option = QStyleOptionHeader()
    table.horizontalHeader().initStyleOptionForIndex(option, column)
    return option.text


def test_title_is_indented_after_a_moved_number_column(qtbot: QtBot) -> None:
    table = a_table(qtbot)
    assert [title(table, column) for column in range(4)] == ["title 0", "title 1", "\u2002title 2", "title 3"]
    table.horizontalHeader().moveSection(1, 2)
    assert [title(table, column) for column in range(4)] == ["title 0", "title 1", "title 2", "\u2002title 3"]


def test_colour_swatch_is_not_tinted_in_a_selected_row(qtbot: QtBot) -> None:
    table = TableView("Clients")
    qtbot.addWidget(table)
    model = QStandardItemModel(1, 1, table)
    table.setModel(model)
    table.setItemDelegateForColumn(0, SwatchDelegate(table))
    hue = QColor("#d55e00")
    model.setData(model.index(0, 0), hue, Qt.ItemDataRole.DecorationRole)
    table.show()
    pictures = []
    for is_selected in (False, True):
        table.selectRow(0) if is_selected else table.clearSelection()
        cell = table.viewport().grab(table.visualRect(model.index(0, 0))).toImage()
        pictures.append(sum(cell.pixelColor(x, cell.height() // 2) == hue for x in range(cell.width())))
    assert pictures[0] > 5
    assert pictures[1] == pictures[0] - 2  # those of the frame
