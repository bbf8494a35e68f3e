"""Which load machines drive how many clients: typed, or placed evenly or by processors on machines that are ticked."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from PySide6.QtWidgets import QWidget

from engine.figure_text import counted
from engine.parameters.typed_text import read_list
from engine.plan.load_machines import LoadMachine, LoadMachines
from engine.plan.placement import placed_by_processors, placed_evenly
from widgets.parts.look import Look
from widgets.wizard.menu_line import MenuLine

_TIP = "Choose load machines and place the clients on them (Down)"
_NOTHING = "No machine is a load machine; give one that role in Menu, Machines…"
_TYPE = LoadMachines()


class LoadMachinesField(MenuLine):
    """``load1=4, load2=4``; the button at its end lists the machines of that role, and places the clients on those that
    are ticked.

    ``clients`` returns how many clients the plan has, 0 while that is not known.
    """

    def __init__(self, look: Look, clients: Callable[[], int], parent: QWidget | None = None) -> None:
        super().__init__(look, "Choose load machines", _TIP, parent)
        self._clients = clients
        self._processors: dict[str, int] = {}

    def offer(self, machines: Mapping[str, int]) -> None:
        """Offer these machines, each with its processors, 0 where they are not known: the machine is not started."""
        self._processors = dict(machines)

    def fill_menu(self) -> None:
        """Check boxes for the machines, ticked as the text names them, and the ways of placing clients on these."""
        self.menu.clear()
        chosen = self._chosen()
        for name, processors in self._processors.items():
            text = f"{name}: {counted(processors, 'processor') if processors else 'not started'}"
            self.add_check_box(text, partial(self._on_toggled, name), is_checked=name in chosen)
        if not self._processors:
            self.menu.addAction(_NOTHING).setEnabled(False)
            return
        self.menu.addSeparator()
        evenly = self.menu.addAction("Place all clients &evenly")
        evenly.triggered.connect(self._place_evenly)
        by_processors = self.menu.addAction("Place all clients by &processors")
        by_processors.triggered.connect(self._place_by_processors)
        nothing = self.menu.addAction("Place &none: all are driven from here")
        nothing.triggered.connect(lambda: self._show(()))
        evenly.setEnabled(self._clients() > 0)
        by_processors.setEnabled(self._clients() > 0 and all(self._processors[name] for name in self._ticked()))

    def _chosen(self) -> list[str]:
        """The names in the text, however much of it is typed."""
        return [each.partition("=")[0].strip() for each in read_list(self.text())]

    def _ticked(self) -> list[str]:
        """The offered machines that the text names, or all of them if it names none."""
        chosen = self._chosen()
        return [name for name in self._processors if name in chosen] or list(self._processors)

    def _on_toggled(self, name: str, is_chosen: bool) -> None:
        names = [each for each in self._chosen() if each in self._processors and each != name]
        self._show(_evenly([*names, name] if is_chosen else names, self._clients()))

    def _place_evenly(self) -> None:
        self._show(_evenly(self._ticked(), self._clients()))

    def _place_by_processors(self) -> None:
        self._show(placed_by_processors({name: self._processors[name] for name in self._ticked()}, self._clients()))

    def _show(self, machines: Iterable[LoadMachine]) -> None:
        self.put(_TYPE.write(machines))


def _evenly(names: Sequence[str], clients: int) -> tuple[LoadMachine, ...]:
    """At least one client on each, so that a machine stays ticked; the plan says when there are not so many."""
    return placed_evenly(names, max(clients, len(names)))
