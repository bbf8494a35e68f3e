"""The list of targets with its buttons: add, duplicate, remove, up, down.

Called by the targets page, which handles the requests; the list itself only displays.
"""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import QGridLayout, QListWidget, QListWidgetItem, QToolButton, QWidget

from engine.draft import LAB_CHOICES, TargetDraft, kind_of
from engine.target.target import STORAGE
from widgets.parts.fonts import text_width
from widgets.parts.icons import icon
from widgets.parts.look import Look

_SHOWN_ROWS = 4
_WIDEST = "00  PostgreSQL, r630-a, ds2"
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
        self._warning = icon("warning", look)
        self._look = look
        self.list = _Rows(self)
        self.list.setAccessibleName("Targets")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        height = self.fontMetrics().height()
        self.list.setIconSize(QSize(height, height))
        self.list.currentRowChanged.connect(self._emit_chosen)
        self.list.move_requested.connect(self.moved)
        self.add = self._button("add", "Add a target")
        self.duplicate = self._button("duplicate", "Duplicate this target")
        self.remove = self._button("remove", "Remove this target")
        self.up = self._button("up", "Move this target up (Alt+Up)")
        self.down = self._button("down", "Move this target down (Alt+Down)")
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
        look.changed.connect(self.list.viewport().update)

    def show_targets(self, targets: Sequence[TargetDraft], current: int, wrong: set[int]) -> None:
        """Show these targets, one of them being edited; invalid ones get a warning."""
        self.list.blockSignals(True)
        while self.list.count() > len(targets):
            self.list.takeItem(self.list.count() - 1)
        while self.list.count() < len(targets):
            self.list.addItem(QListWidgetItem())
        for number, target in enumerate(targets):
            item = self.list.item(number)
            text = f"{number + 1}  {title_of(target)}"
            item.setText(text)
            item.setToolTip(text)
            item.setIcon(self._warning if number in wrong else QIcon())
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{text}, has errors" if number in wrong else text)
        self.list.setCurrentRow(current)
        self.list.blockSignals(False)
        self.remove.setEnabled(len(targets) > 1)
        self.up.setEnabled(current > 0)
        self.down.setEnabled(current < len(targets) - 1)

    def _button(self, name: str, says: str) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(icon(name, self._look))
        button.setAccessibleName(says)
        button.setToolTip(says)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    def _emit_chosen(self, row: int) -> None:
        if row >= 0:
            self.chosen.emit(row)

    def _emit_up(self) -> None:
        self.moved.emit(-1)

    def _emit_down(self) -> None:
        self.moved.emit(1)


class _Rows(QListWidget):
    """The rows themselves; Alt with an arrow key requests to move the current one."""

    move_requested = Signal(int)

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
