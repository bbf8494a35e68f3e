"""The table that every screen shows: sorting, columns and copying by keyboard."""

import pytest
from PySide6.QtCore import QEvent, QSortFilterProxyModel, Qt
from PySide6.QtGui import QFont, QGuiApplication, QHelpEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QToolTip, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from widgets.parts.fonts import text_width
from widgets.parts.table.view import TableView

ROWS = (("ds2_2", 20), ("ds2_1", 100), ("ds2_3", 3))


@pytest.fixture
def view(qtbot: QtBot) -> TableView:
    view = TableView("Clients")
    qtbot.addWidget(view)
    model = QStandardItemModel(0, 2, view)
    model.setHorizontalHeaderLabels(["Client", "Orders"])
    for name, orders in ROWS:
        item = QStandardItem()
        item.setData(orders, Qt.ItemDataRole.DisplayRole)
        model.appendRow([QStandardItem(name), item])
    proxy = QSortFilterProxyModel(view)
    proxy.setSourceModel(model)
    view.setModel(proxy)
    view.make_sortable(0)
    view.resize(400, 300)
    view.show()
    return view


def shown(view: TableView, column: int = 0) -> list[object]:
    model = view.model()
    return [model.index(row, column).data() for row in range(model.rowCount())]


def test_view_is_sorted_and_has_a_name_initially(view: TableView) -> None:
    assert shown(view) == ["ds2_1", "ds2_2", "ds2_3"]
    assert view.accessibleName() == "Clients"


def test_header_click_sorts(qtbot: QtBot, view: TableView) -> None:
    header = view.horizontalHeader()
    place = header.rect().center()
    place.setX(header.sectionViewportPosition(1) + 10)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert shown(view, 1) in ([3, 20, 100], [100, 20, 3])


def test_ctrl_and_an_arrow_sort_by_the_current_column(qtbot: QtBot, view: TableView) -> None:
    view.setCurrentIndex(view.model().index(0, 1))
    qtbot.keyClick(view, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    assert shown(view, 1) == [3, 20, 100]
    qtbot.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)
    assert shown(view, 1) == [100, 20, 3]


def test_selected_rows_are_copied_with_their_header(qtbot: QtBot, view: TableView) -> None:
    view.selectRow(0)
    qtbot.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert view.selected_rows() == [0, 1]
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "Client\tOrders\nds2_1\t100\nds2_2\t20"


def test_copy_omits_hidden_columns_and_keeps_visual_order(qtbot: QtBot, view: TableView) -> None:
    view.selectRow(0)
    view.horizontalHeader().moveSection(1, 0)
    view.copy_rows()
    assert QGuiApplication.clipboard().text() == "Orders\tClient\n100\tds2_1"
    view.setColumnHidden(0, True)
    view.copy_rows()
    assert QGuiApplication.clipboard().text() == "Orders\n100"


def test_copy_without_selection_keeps_the_clipboard(qtbot: QtBot, view: TableView) -> None:
    QGuiApplication.clipboard().setText("before")
    view.clearSelection()
    view.copy_rows()
    assert QGuiApplication.clipboard().text() == "before"


def test_column_layout_is_restored(qtbot: QtBot, view: TableView) -> None:
    view.setColumnWidth(0, 222)
    view.setColumnHidden(1, True)
    saved = view.save_columns()
    view.setColumnWidth(0, 40)
    view.setColumnHidden(1, False)
    assert view.restore_columns(saved)
    assert view.columnWidth(0) == 222
    assert view.isColumnHidden(1)


@pytest.mark.parametrize("saved", [b"", b"not a state of columns"])
def test_unreadable_state_is_ignored(view: TableView, saved: bytes) -> None:
    view.setColumnWidth(0, 123)
    assert not view.restore_columns(saved)
    assert view.columnWidth(0) == 123


def test_columns_fit_the_widest_number(view: TableView) -> None:
    view.fit_columns(["", "888 888 888"])
    assert view.columnWidth(1) > text_width(view.font(), "888 888 888")
    assert view.columnWidth(0) >= view.horizontalHeader().sectionSizeHint(0)
    assert view.columnWidth(0) >= view.sizeHintForColumn(0)


def test_rows_grow_with_the_font(view: TableView) -> None:
    before = view.rowHeight(0)
    font = QFont(view.font())
    font.setPointSizeF(2 * font.pointSizeF())
    view.setFont(font)
    assert view.rowHeight(0) > before
    assert view.rowHeight(0) > view.fontMetrics().height()


def test_tab_leaves_the_table(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    layout = QVBoxLayout(window)
    view, button = TableView("Clients"), QPushButton("Next")
    view.setModel(QStandardItemModel(3, 3, view))
    layout.addWidget(view)
    layout.addWidget(button)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is button


def test_header_menu_shows_and_hides_columns(qtbot: QtBot, view: TableView) -> None:
    header = view.horizontalHeader()
    header.customContextMenuRequested.emit(header.rect().center())
    menu = view.findChild(QMenu)
    assert menu is not None
    orders = menu.actions()[0]
    assert (orders.text(), orders.isChecked()) == ("Orders", True)
    orders.trigger()
    assert view.isColumnHidden(1)
    menu.close()


def test_an_elided_text_is_told_in_a_tool_tip(view: TableView) -> None:
    def tool_tip() -> str:
        QToolTip.hideText()
        at = view.visualRect(view.model().index(0, 0)).center()
        QApplication.sendEvent(view.viewport(), QHelpEvent(QEvent.Type.ToolTip, at, view.mapToGlobal(at)))
        return QToolTip.text()

    view.setColumnWidth(0, 200)
    assert tool_tip() == ""
    view.setColumnWidth(0, 20)
    assert tool_tip() == "<span>ds2_1</span>"
