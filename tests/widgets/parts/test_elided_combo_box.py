from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from widgets.parts.elided_combo_box import ElidedComboBox

LONG = "R630 SSD 20 ms think time 40GB stores, 24 clients of 128 users each, run 12"


def a_box(qtbot: QtBot, width: int) -> ElidedComboBox:
    box = ElidedComboBox()
    qtbot.addWidget(box)
    box.addItem(LONG)
    box.resize(width, box.sizeHint().height())
    box.show()
    return box


def tool_tip_of(box: ElidedComboBox) -> str:
    middle = box.rect().center()
    QApplication.sendEvent(box, QHelpEvent(QEvent.Type.ToolTip, middle, box.mapToGlobal(QPoint(middle))))
    return QToolTip.text()


def test_long_name_is_elided_in_the_box(qtbot: QtBot) -> None:
    box = a_box(qtbot, 200)
    begin, end = box.shown_text.split("…")
    assert LONG.startswith(begin)
    assert LONG.endswith(end)
    assert "run 12" in end
    assert box.fontMetrics().horizontalAdvance(box.shown_text) < 200
    assert box.currentText() == LONG


def test_only_elided_text_has_a_tool_tip(qtbot: QtBot) -> None:
    box = a_box(qtbot, 200)
    assert tool_tip_of(box) == LONG
    box.resize(box.sizeHint().width(), box.height())
    assert box.shown_text == LONG
    QToolTip.hideText()
    tool_tip_of(box)
    assert box.toolTip() == ""
