"""The list of targets with its buttons: add, duplicate, remove, up, down.

Called by the targets page, which handles the requests; the list itself only displays.
"""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QGridLayout, QListView, QWidget

from engine.draft.lab_choices import LAB_CHOICES
from engine.draft.target_draft import TargetDraft, kind_of
from engine.target.target import STORAGE
from widgets.parts.fonts import text_width
from widgets.parts.icons import tool_button
from widgets.parts.look import Look
from widgets.wizard.numbered_list import NumberedList

_SHOWN_ROWS = 4
_WIDEST = "00  Embedded server, wholesale"
_NARROWEST = "00  PostgreSQL"
_SHAPE_TITLES = {each.name: "Embedded pair" if each.nodes == 2 else f"Embedded {each.nodes}" for each in LAB_CHOICES}


class TargetList(QWidget):
    """``chosen`` carries the index of the target to edit; ``moved`` by how many places to move it."""

    chosen = Signal(int)
    add_requested = Signal()
    duplicate_requested = Signal()
    remove_requested = Signal()
    moved = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = _Rows(look, "Targets", self)
        self.list.chosen.connect(self.chosen)
        self.list.move_requested.connect(self.moved)
        self.add = tool_button("add", "Add a target", look, self)
        self.duplicate = tool_button("duplicate", "Duplicate this target", look, self)
        self.remove = tool_button("remove", "Remove this target", look, self)
        self.up = tool_button("up", "Move this target up (Alt+Up)", look, self)
        self.down = tool_button("down", "Move this target down (Alt+Down)", look, self)
        self.add.clicked.connect(self.add_requested)
        self.duplicate.clicked.connect(self.duplicate_requested)
        self.remove.clicked.connect(self.remove_requested)
        self.up.clicked.connect(self._emit_up)
        self.down.clicked.connect(self._emit_down)
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        buttons = (self.add, self.duplicate, self.remove, self.up, self.down)
        layout.addWidget(self.list, 0, 0, 1, len(buttons) + 1)
        for column, button in enumerate(buttons):
            layout.addWidget(button, 1, column)
        layout.setColumnStretch(len(buttons), 1)
        layout.setRowStretch(0, 1)

    def show_targets(self, targets: Sequence[TargetDraft], current: int, wrong: set[int]) -> None:
        """Show these targets, one of them being edited; invalid ones get a warning."""
        self.list.show_rows([title_of(target) for target in targets], current, wrong)
        self.remove.setEnabled(len(targets) > 1)
        self.up.setEnabled(current > 0)
        self.down.setEnabled(current < len(targets) - 1)

    def _emit_up(self) -> None:
        self.moved.emit(-1)

    def _emit_down(self) -> None:
        self.moved.emit(1)


class _Rows(NumberedList):
    """The rows themselves; Alt with an arrow key requests to move the current one."""

    move_requested = Signal(int)

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(look, name, parent)
        self.setWordWrap(True)  # a mail server's address and domain take two lines
        self.setResizeMode(QListView.ResizeMode.Adjust)

    def sizeHint(self) -> QSize:  # noqa: N802
        height = self.fontMetrics().height()
        return QSize(text_width(self.font(), _WIDEST) + height, round(height * 1.5) * _SHOWN_ROWS)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(text_width(self.font(), _NARROWEST), self.sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        steps = {Qt.Key.Key_Up.value: -1, Qt.Key.Key_Down.value: 1}
        if event.modifiers() & Qt.KeyboardModifier.AltModifier and event.key() in steps:
            self.move_requested.emit(steps[event.key()])
        else:
            super().keyPressEvent(event)


def title_of(target: TargetDraft) -> str:
    """The title of a target in the list: its label, or else its address."""
    kind = kind_of(target.kind)
    where = f", {target.hosts}" if kind.has_server and target.hosts else ""
    if target.kind == STORAGE:
        return target.label or f"{target.file}{f' on {target.machine}' if target.machine else ''}"
    title = _SHAPE_TITLES[target.shape] if target.nodes > 1 else kind.title
    return target.label or f"{title}{where}, {target.database}"
