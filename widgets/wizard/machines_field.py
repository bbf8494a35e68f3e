"""The machines to read during a run: typed by their names, or chosen from those of the inventory."""

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtWidgets import QWidget

from engine.parameters.typed_text import read_list, write_list
from widgets.parts.look import Look
from widgets.wizard.menu_line import MenuLine

_TIP = "Choose from the machines of the inventory (Down); they are entered in Menu, Machines…"
_NOTHING = "The inventory has no machine; add some in Menu, Machines…"


class MachinesField(MenuLine):
    """Names with commas between them; the button at its end lists the inventory, each machine with how it is read, and
    the configurations that consist of machines."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, "Choose machines", _TIP, parent)
        self.menu.setToolTipsVisible(True)
        self._machines: dict[str, str] = {}
        self._configurations: dict[str, Sequence[str]] = {}

    def offer(self, machines: Mapping[str, str], configurations: Mapping[str, Sequence[str]]) -> None:
        """Offer these machines, each name with how the machine is read, and those of each of ``configurations``."""
        self._machines, self._configurations = dict(machines), dict(configurations)

    def fill_menu(self) -> None:
        """Check boxes for the machines, ticked as the text names them, and an entry for each configuration."""
        self.menu.clear()
        chosen = read_list(self.text())
        for name, ways in self._machines.items():
            self.add_check_box(f"{name}: {ways}", partial(self._on_toggled, name), is_checked=name in chosen)
        if not self._machines:
            self.menu.addAction(_NOTHING).setEnabled(False)
        if self._configurations:
            self.menu.addSeparator()
        for name, machines in self._configurations.items():
            text = write_list(machines)
            self.menu.addAction(f"Those of {name}: {text}").triggered.connect(partial(self.put, text))

    def _on_toggled(self, name: str, is_chosen: bool) -> None:
        names = [each for each in read_list(self.text()) if each != name]
        self.put(write_list([*names, name] if is_chosen else names))
