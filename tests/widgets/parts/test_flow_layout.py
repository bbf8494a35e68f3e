"""A row of buttons that goes on in the next row."""

from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from widgets.parts.flow_layout import BalancedFlowLayout, FlowLayout


def a_row(qtbot: QtBot, count: int = 6) -> tuple[QWidget, FlowLayout, list[QPushButton]]:
    widget = QWidget()
    qtbot.addWidget(widget)
    layout = FlowLayout(widget)
    buttons = [QPushButton(f"Button {number}") for number in range(count)]
    for button in buttons:
        layout.addWidget(button)
    return widget, layout, buttons


def test_items_that_fit_are_in_one_row(qtbot: QtBot) -> None:
    widget, layout, buttons = a_row(qtbot)
    width = sum(button.sizeHint().width() + layout.spacing() for button in buttons)
    widget.resize(width, 100)
    widget.show()
    assert {button.y() for button in buttons} == {0}
    assert [button.x() for button in buttons] == sorted(button.x() for button in buttons)
    assert layout.heightForWidth(width) == buttons[0].sizeHint().height()


def test_items_wrap_and_are_not_cut(qtbot: QtBot) -> None:
    widget, layout, buttons = a_row(qtbot)
    width = 3 * buttons[0].sizeHint().width()
    widget.resize(width, 300)
    widget.show()
    assert len({button.y() for button in buttons}) == 3
    assert all(button.geometry().right() < width for button in buttons)
    assert layout.heightForWidth(width) == buttons[-1].geometry().bottom() + 1


def test_hidden_widgets_take_no_space(qtbot: QtBot) -> None:
    widget, layout, buttons = a_row(qtbot, 2)
    widget.show()
    one = layout.heightForWidth(1)
    buttons[1].hide()
    assert one > layout.heightForWidth(1) == buttons[0].sizeHint().height()


def test_widget_can_be_removed(qtbot: QtBot) -> None:
    _, layout, buttons = a_row(qtbot, 2)
    layout.removeWidget(buttons[0])
    assert layout.count() == 1
    assert layout.itemAt(0) is not None
    assert layout.itemAt(1) is None
    assert layout.takeAt(5) is None


def test_balanced_row_shrinks_spacing_before_wrapping(qtbot: QtBot) -> None:
    widget, layout, buttons = a_balanced_row(qtbot)
    wide = sum(button.sizeHint().width() for button in buttons)
    widget.resize(wide + 5 * 4, 100)
    widget.show()
    assert {button.y() for button in buttons} == {0}
    assert buttons[-1].geometry().right() < widget.width()
    widget.resize(wide + 5 * 20, 100)
    assert buttons[1].x() - buttons[0].geometry().right() - 1 == layout.spacing()


def test_a_balanced_row_breaks_evenly(qtbot: QtBot) -> None:
    widget, layout, buttons = a_balanced_row(qtbot)
    width = sum(button.sizeHint().width() for button in buttons)
    widget.resize(width, 100)
    widget.show()
    assert [buttons[number].y() > 0 for number in range(6)] == [False] * 3 + [True] * 3
    assert layout.heightForWidth(width) == buttons[-1].geometry().bottom() + 1


def test_balanced_row_without_widgets_takes_no_space(qtbot: QtBot) -> None:
    _, layout, buttons = a_balanced_row(qtbot)
    for button in buttons:
        button.hide()
    assert layout.heightForWidth(500) == 0


def a_balanced_row(qtbot: QtBot) -> tuple[QWidget, BalancedFlowLayout, list[QPushButton]]:
    widget = QWidget()
    qtbot.addWidget(widget)
    layout = BalancedFlowLayout(4, widget)
    layout.setSpacing(18)
    buttons = [QPushButton(f"Button {number}") for number in range(6)]
    for button in buttons:
        layout.addWidget(button)
    return widget, layout, buttons
