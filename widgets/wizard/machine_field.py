"""The machine whose storage is driven: typed by its name, or chosen from those of the inventory."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtWidgets import QWidget

from engine.figure_text import capitalised
from widgets.parts.look import Look
from widgets.wizard.menu_line import MenuLine

_TIP = "Choose from the machines of the inventory (Down); they are entered in Menu, Machines…"
_HERE = "This machine"
_USUAL = "Machine of the inventory whose disk it is on, reached by SSH; empty: this one."


class MachineField(MenuLine):
    """A name; the button at its end lists the machines whose storage can be driven. ``help`` says why another one's
    can't be."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, "Choose a machine", _TIP, parent)
        self._machines: Mapping[str, str] = {}

    def offer(self, machines: Mapping[str, str]) -> None:
        """The machines of the inventory by their names, each with why its storage can't be driven; empty: it can be."""
        self._machines = machines

    @property
    def help(self) -> str:
        """What is to be known of the machine that is typed."""
        return capitalised(self._machines.get(self.text().strip(), "")) or _USUAL

    def fill_menu(self) -> None:
        """An entry for this machine, and one for each that fits."""
        self.menu.clear()
        self.menu.addAction(_HERE).triggered.connect(partial(self.put, ""))
        for name, refusal in self._machines.items():
            if not refusal:
                self.menu.addAction(name).triggered.connect(partial(self.put, name))
