"""A line of text that can be typed, or put together in a menu with check boxes."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from widgets.parts.icons import icon
from widgets.parts.look import Look
from widgets.parts.multi_select_menu import MultiSelectMenu


class MenuLine(QLineEdit):
    """The button at its end, called ``name``, and Down open ``menu``, which ``fill_menu`` fills each time."""

    def __init__(self, look: Look, name: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.menu = MultiSelectMenu(self)
        self.choose = self.addAction(icon("down", look), QLineEdit.ActionPosition.TrailingPosition)
        self.choose.setText(name)
        self.choose.setToolTip(tip)
        self.choose.triggered.connect(self.open_menu)

    def fill_menu(self) -> None:
        """Fill the menu by what can be chosen now."""
        raise NotImplementedError

    def open_menu(self) -> None:
        """Open the menu under the field."""
        self.fill_menu()
        self.menu.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Down opens the menu."""
        if event.key() == Qt.Key.Key_Down:
            self.open_menu()
        else:
            super().keyPressEvent(event)

    def add_check_box(self, text: str, toggled: Callable[[bool], None], *, is_checked: bool) -> None:
        """Add a check box to the menu."""
        action = self.menu.addAction(text)
        action.setCheckable(True)
        action.setChecked(is_checked)
        action.toggled.connect(toggled)

    def put(self, text: str) -> None:
        """Replace the text, as if it was typed."""
        self.setText(text)
        self.textEdited.emit(text)
