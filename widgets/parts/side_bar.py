"""The bar at the left that leads to the window's places, and holds the menu of what belongs to the whole window."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QButtonGroup, QFrame, QMenu, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from widgets.parts.icons import icon
from widgets.parts.look import Look

_ICON_LINES = 1.6


class SideBar(QFrame):
    """One button a place, exactly one of them on; ``chosen`` tells the number of the place that is wished."""

    chosen = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._group.idClicked.connect(self.chosen)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(3, 8, 3, 8)
        self._layout.addStretch(1)
        self._menu_button = self._button("menu", "Menu", "Menu: theme, marks and keys, help, quit")
        self._menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._layout.addWidget(self._menu_button)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAutoFillBackground(True)
        look.changed.connect(self.update)

    def add_place(self, name: str, icon_name: str, shortcut: QKeySequence) -> int:
        """Add the button of a place, and return its number, from 0."""
        number = len(self._group.buttons())
        keys = shortcut.toString(QKeySequence.SequenceFormat.NativeText)
        button = self._button(icon_name, name, f"{name} ({keys})")
        button.setCheckable(True)
        self._group.addButton(button, number)
        self._layout.insertWidget(number, button)
        return number

    def set_place(self, number: int) -> None:
        """Show which place is shown."""
        self._group.button(number).setChecked(True)

    def button(self, number: int) -> QToolButton:
        button = self._group.button(number)
        assert isinstance(button, QToolButton)
        return button

    def set_menu(self, menu: QMenu) -> None:
        """The menu of the whole window."""
        self._menu_button.setMenu(menu)

    def _button(self, icon_name: str, text: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setIcon(icon(icon_name, self._look))
        side = round(_ICON_LINES * self.fontMetrics().height())
        button.setIconSize(QSize(side, side))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.setToolTip(tip)
        button.setAccessibleName(text)
        return button
