"""Which button Enter presses in the wizard."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QPushButton, QWidget


class EnterKey(QObject):
    """In ``widget``, Enter clicks the button that has the focus; without one, ``pressed`` is emitted.

    The button that Enter stands for is shown as the default: the one with the focus, or else the one of ``way_on``. One
    with an icon is not, as its icon would be hardly seen; its focus is.
    """

    pressed = Signal()

    def __init__(self, widget: QWidget, way_on: Callable[[], QPushButton]) -> None:
        super().__init__(widget)
        self._widget, self._way_on = widget, way_on
        widget.installEventFilter(self)

    def show_default(self) -> None:
        focused = QApplication.focusWidget()
        is_button = isinstance(focused, QPushButton) and self._widget.isAncestorOf(focused)
        default = focused if is_button else self._way_on()
        for button in self._widget.findChildren(QPushButton):
            button.setDefault(button is default and button.icon().isNull())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Takes the key unless a child widget has."""
        is_press = event.type() == QEvent.Type.KeyPress
        if isinstance(event, QKeyEvent) and is_press and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            focused = QApplication.focusWidget()
            if isinstance(focused, QPushButton):
                focused.click()
            else:
                self.pressed.emit()
            return True
        return super().eventFilter(watched, event)
