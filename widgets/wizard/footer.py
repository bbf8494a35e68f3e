"""The buttons below the wizard's pages: plan files, undo and redo, back and next."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QWidget

from widgets.parts.icons import icon, tool_button
from widgets.parts.look import Look

UNDO_KEYS = (QKeySequence("Ctrl+Z"),)
REDO_KEYS = (QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y"))


@dataclass(frozen=True, kw_only=True)
class RecentPlan:
    """A plan file that was opened or saved before, and whether it still exists."""

    path: str
    exists: bool


class WizardFooter(QWidget):
    """``recent_requested``: the menu of recent plan files is about to open. ``recent_chosen`` carries the path of
    one."""

    recent_requested = Signal()
    recent_chosen = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.back = QPushButton("&Back", self)
        self.next = QPushButton("Ne&xt", self)
        self.start = QPushButton("&Start", self)
        self.open_plan = QPushButton(icon("open", look), "&Open plan file…", self)
        self.recent = QPushButton("&Recent", self)
        self.recent.setToolTip("Recent plan files")
        self.recent.setAccessibleName("Recent plan files")
        self.undo = tool_button("undo", f"Undo ({_text(UNDO_KEYS)})", look, self)
        self.redo = tool_button("redo", f"Redo ({_text(REDO_KEYS)})", look, self)
        self._menu = QMenu(self.recent)
        self._menu.setToolTipsVisible(True)
        self._menu.aboutToShow.connect(self.recent_requested)
        self._menu.triggered.connect(self._on_chosen)
        self.recent.setMenu(self._menu)
        self.show_recent(())
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for widget in (self.open_plan, self.recent, self.undo, self.redo):
            layout.addWidget(widget)
        layout.addStretch(1)
        for widget in (self.back, self.next, self.start):
            layout.addWidget(widget)

    def show_recent(self, plans: Sequence[RecentPlan]) -> None:
        """List these files, latest first; files that no longer exist are disabled."""
        self._menu.clear()
        for plan in plans:
            folder, _, name = plan.path.replace("\\", "/").rpartition("/")
            action = QAction(f"{name}  ({folder})".replace("&", "&&"), self._menu)
            action.setData(plan.path)
            action.setEnabled(plan.exists)
            action.setToolTip(plan.path if plan.exists else f"{plan.path} is not there any more.")
            self._menu.addAction(action)
        if not plans:
            self._menu.addAction("No plan file was opened or saved yet").setEnabled(False)

    def show_steps(self, *, can_undo: bool, can_redo: bool) -> None:
        self.undo.setEnabled(can_undo)
        self.redo.setEnabled(can_redo)

    def _on_chosen(self, action: QAction) -> None:
        self.recent_chosen.emit(action.data())


def _text(keys: Sequence[QKeySequence]) -> str:
    return keys[0].toString(QKeySequence.SequenceFormat.NativeText)
