"""The machines to read during a run: typed by their names, or chosen from those of the inventory."""

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from engine.typed_text import read_list, write_list
from widgets.parts.icons import icon
from widgets.parts.look import Look
from widgets.parts.multi_select_menu import MultiSelectMenu

_NOTHING = "The inventory has no machine; add some in Menu, Machines…"


class MachinesField(QLineEdit):
    """Names with commas between them; the button at its end lists the inventory, each machine with how it is read, and
    the configurations that consist of machines."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._machines: dict[str, str] = {}
        self._configurations: dict[str, Sequence[str]] = {}
        self.menu = MultiSelectMenu(self)
        self.menu.setToolTipsVisible(True)
        self.choose = self.addAction(icon("down", look), QLineEdit.ActionPosition.TrailingPosition)
        self.choose.setText("Choose machines")
        self.choose.setToolTip("Choose from the machines of the inventory (Down); they are entered in Menu, Machines…")
        self.choose.triggered.connect(self.open_menu)

    def offer(self, machines: Mapping[str, str], configurations: Mapping[str, Sequence[str]]) -> None:
        """Offer these machines, each name with how the machine is read, and those of each of ``configurations``."""
        self._machines, self._configurations = dict(machines), dict(configurations)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Down opens the list."""
        if event.key() == Qt.Key.Key_Down:
            self.open_menu()
        else:
            super().keyPressEvent(event)

    def open_menu(self) -> None:
        """Open the list under the field."""
        self.fill_menu()
        self.menu.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def fill_menu(self) -> None:
        """Check boxes for the machines, ticked as the text names them, and an entry for each configuration."""
        self.menu.clear()
        chosen = read_list(self.text())
        for name, ways in self._machines.items():
            action = self.menu.addAction(f"{name}: {ways}")
            action.setCheckable(True)
            action.setChecked(name in chosen)
            action.toggled.connect(partial(self._on_toggled, name))
        if not self._machines:
            self.menu.addAction(_NOTHING).setEnabled(False)
        if self._configurations:
            self.menu.addSeparator()
        for name, machines in self._configurations.items():
            text = write_list(machines)
            self.menu.addAction(f"Those of {name}: {text}").triggered.connect(partial(self._set, text))

    def _set(self, text: str) -> None:
        self.setText(text)
        self.textEdited.emit(text)

    def _on_toggled(self, name: str, is_chosen: bool) -> None:
        names = [each for each in read_list(self.text()) if each != name]
        self._set(write_list([*names, name] if is_chosen else names))
