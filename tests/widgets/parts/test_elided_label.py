from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QFont, QHelpEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from widgets.parts.elided_label import ElidedLabel

LONG = (
    "Closed-loop users, 200 ms think time: service times show a stall once per user, as intended every delayed order."
)


def a_label(qtbot: QtBot, width: int) -> ElidedLabel:
    label = ElidedLabel(LONG)
    qtbot.addWidget(label)
    label.resize(width, label.sizeHint().height())
    label.show()
    return label


def tool_tip_of(label: ElidedLabel) -> str:
    middle = label.rect().center()
    QApplication.sendEvent(label, QHelpEvent(QEvent.Type.ToolTip, middle, label.mapToGlobal(QPoint(middle))))
    return QToolTip.text()


def test_long_text_is_elided_with_a_tool_tip(qtbot: QtBot) -> None:
    label = a_label(qtbot, 200)
    assert label.shown_text.endswith("…")
    assert LONG.startswith(label.shown_text[:-1])
    assert label.fontMetrics().horizontalAdvance(label.shown_text) <= 200
    assert tool_tip_of(label) == f"<span>{LONG}</span>"
    assert label.text() == LONG


def test_fitting_text_is_painted_like_a_qlabel(qtbot: QtBot) -> None:
    label = a_label(qtbot, 1200)
    tool_tip_of(label)
    assert (label.shown_text, label.toolTip()) == (LONG, "")
    picture = label.grab().toImage()
    label.setText("")
    assert label.grab().toImage() != picture


def test_elided_label_does_not_widen_the_window(qtbot: QtBot) -> None:
    around = QWidget()
    qtbot.addWidget(around)
    QHBoxLayout(around).addWidget(ElidedLabel(LONG))
    assert around.minimumSizeHint().width() < 100


def test_shorter_text_is_shown_if_the_long_one_does_not_fit(qtbot: QtBot) -> None:
    label = a_label(qtbot, 300)
    label.set_texts(LONG, "Closed-loop users.")
    assert (label.shown_text, tool_tip_of(label)) == ("Closed-loop users.", f"<span>{LONG}</span>")
    label.resize(1200, label.height())
    assert label.shown_text == LONG


def test_shorter_text_is_shown_where_a_fraction_of_a_pixel_is_missing(qtbot: QtBot) -> None:
    label = a_label(qtbot, 300)
    font = QFont(label.font())
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)  # as on a screen with two pixels for one
    font.setPointSizeF(10.3)
    label.setFont(font)
    for length in range(20, 60):
        label.set_texts(LONG[:length].strip(), "Closed")
        for width in range(label.fontMetrics().horizontalAdvance(label.text()) - 2, label.sizeHint().width() + 3):
            label.resize(width, label.height())
            assert label.shown_text in (label.text(), "Closed")
