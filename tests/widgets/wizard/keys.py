"""Keys as a user presses them: sent to whatever has the keyboard."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

_MOST_TABS = 200


def focused() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None, "nothing has the keyboard"
    return widget


def press(key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(focused(), key, modifier)


def tab_to(widget: QWidget) -> None:
    """Press Tab until the widget has the keyboard."""
    for _ in range(_MOST_TABS):
        if focused() is widget:
            return
        press(Qt.Key.Key_Tab)
    raise AssertionError(f"Tab never reaches {widget.accessibleName() or widget}")


def type_over(field: QWidget, text: str) -> None:
    """Tab to a field and type other text in the place of what is there."""
    tab_to(field)
    assert isinstance(field, QLineEdit)
    press(Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    press(Qt.Key.Key_Delete)
    QTest.keyClicks(field, text)


def reached_by_tab(first: QWidget) -> list[QWidget]:
    """Every widget that Tab reaches, beginning with one that has the keyboard."""
    first.setFocus()
    reached = [focused()]
    for _ in range(_MOST_TABS):
        press(Qt.Key.Key_Tab)
        if focused() in reached:
            return reached
        reached.append(focused())
    raise AssertionError("Tab goes round without an end")
