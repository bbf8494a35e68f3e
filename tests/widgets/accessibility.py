"""Finds controls without an accessible name; shared by the tests of every page."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QScrollBar,
    QTextEdit,
    QWidget,
)

_CONTROLS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QTextEdit,
)
_PARTS = (QHeaderView, QScrollBar)


def nameless_controls(widget: QWidget) -> list[str]:
    """The controls in the widget that tell a screen reader no name, each with its class and where it stands.

    A control is what can be operated: by its kind, or because the keyboard can reach it. Parts that Qt makes of
    other controls (a spin box's line, a combo box's list, headers, scroll bars) are not counted.
    """
    return [
        _place(each, widget)
        for each in (widget, *widget.findChildren(QWidget))
        if _is_control(each) and not name_of(each)
    ]


def _is_control(widget: QWidget) -> bool:
    if isinstance(widget, _PARTS) or widget.objectName().startswith("qt_") or _belongs_to_control(widget):
        return False
    return isinstance(widget, _CONTROLS) or bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


def _belongs_to_control(widget: QWidget) -> bool:
    """A part of a control, or of the list that a combo box shows."""
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, _CONTROLS):
            return True
        above = above.parentWidget()
    return False


def name_of(widget: QWidget) -> str:
    """The name that a screen reader gets: the accessible name, the text, or the label of the control."""
    if isinstance(widget, QComboBox):  # Qt reports its value as the name if there is none, and on some systems always
        labels = widget.window().findChildren(QLabel)
        return widget.accessibleName() or next((label.text() for label in labels if label.buddy() is widget), "")
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name).strip()


def _place(widget: QWidget, within: QWidget) -> str:
    names = [type(widget).__name__]
    above = widget.parentWidget()
    while above is not None and above is not within:
        names.append(type(above).__name__)
        above = above.parentWidget()
    return " in ".join(names)
