"""The button with the menu of injections into the running run. Called by the marker bar."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QHideEvent
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from engine.draft.injection_choices import action_choices, lab_nodes, offered_kinds
from engine.draft.injection_draft import InjectionDraft
from engine.target.target import Target
from widgets.live.mark_kinds import MarkKind
from widgets.parts.icons import icon
from widgets.parts.look import Look

_FORMS = ("sql", "run", "shell", "ssh", "redfish")
COUNTDOWN_SECONDS = 10


@dataclass(frozen=True, kw_only=True)
class PendingInjection:
    """A round of a fault that has not happened yet: its number in the run, its label, and when it will happen."""

    number: int
    label: str
    when: str


class InjectButton(QPushButton):
    """``chosen`` carries an ``InjectionDraft`` to check and arm; the menu itself injects nothing.

    ``countdown_chosen`` carries the ``MarkKind`` to count down to, ``abort_requested`` the number of a
    ``PendingInjection``.
    """

    chosen = Signal(object)
    countdown_chosen = Signal(object)
    abort_requested = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(icon("inject", look), "Inject", parent)
        self._stores: tuple[Target, ...] = ()
        self._countdown_kinds: tuple[MarkKind, ...] = ()
        self._pending: tuple[PendingInjection, ...] = ()
        self.setAccessibleDescription("Injects a fault into a target of the run, once it is armed.")
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(self.fill_menu)
        menu.triggered.connect(self._on_triggered)
        self.setMenu(menu)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """The menu closes too: nothing is injected into a run that ended while it was open."""
        super().hideEvent(event)
        self.menu().close()

    def offer(self, stores: Sequence[Target]) -> None:
        """Offer what can act on the stores of the run."""
        self._stores = tuple(stores)

    def offer_countdowns(self, kinds: Sequence[MarkKind]) -> None:
        """Offer countdowns to these kinds of marks, except those that end a fault or ask for a text."""
        self._countdown_kinds = tuple(kind for kind in kinds if not (kind.asks_text or kind.ends_fault))

    def show_pending(self, pending: Sequence[PendingInjection]) -> None:
        """Show what is still to happen, each with a way to abort it."""
        self._pending = tuple(pending)

    def fill_menu(self) -> None:
        """Rebuild the menu for the present state."""
        menu = self.menu()
        menu.clear()
        if nodes := lab_nodes(self._stores):
            for group, choices in action_choices(nodes).items():
                actions = self._sub_menu(group)
                for choice in choices:
                    _add(actions, choice.title, InjectionDraft(action=choice.name), choice.sentence)
            menu.addSeparator()
        for each in offered_kinds(self._stores):
            if each.name in _FORMS:
                _add(menu, f"{each.title}…", InjectionDraft(kind=each.name), each.says)
        menu.addSeparator()
        if self._countdown_kinds:
            pulls = self._sub_menu(f"Count down {COUNTDOWN_SECONDS} s to")
            for kind in self._countdown_kinds:
                _add(pulls, kind.label, kind, "Beeps each second; the mark is set at zero.")
        if self._pending:
            aborts = self._sub_menu("Abort")
            for pending in self._pending:
                _add(aborts, f"{pending.label}, {pending.when}", pending.number, "It will be skipped.")

    def _sub_menu(self, title: str) -> QMenu:
        sub_menu = self.menu().addMenu(title)
        sub_menu.setToolTipsVisible(True)
        return sub_menu

    def _on_triggered(self, action: QAction) -> None:
        match action.data():
            case InjectionDraft() as draft:
                self.chosen.emit(draft)
            case MarkKind() as kind:
                self.countdown_chosen.emit(kind)
            case int(number):
                self.abort_requested.emit(number)


def _add(menu: QMenu, title: str, data: InjectionDraft | MarkKind | int, says: str) -> None:
    action = menu.addAction(title.replace("&", "&&"))
    action.setToolTip(says)
    action.setData(data)
