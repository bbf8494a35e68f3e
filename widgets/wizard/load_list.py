"""The loads of a run, to choose the one that is edited below, with buttons that add and remove one.

Called by the load page, which handles the requests; as long as there is one load, only the button that adds is shown.
"""

from collections.abc import Collection, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from widgets.parts.form.note import FormNote
from widgets.parts.icons import icon
from widgets.parts.look import Look
from widgets.wizard.numbered_list import NumberedList

_MOST_ROWS = 4
_ALONE = "Another workload at the same time, under the same clock: a mixed run."
_SEVERAL = "All loads run at the same time, under one clock. The chosen one is edited below."


class LoadList(QWidget):
    """``chosen`` carries the index of the load to edit, 0 for the first."""

    chosen = Signal(int)
    add_requested = Signal()
    remove_requested = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = NumberedList(look, "Loads", self)
        self.add = QPushButton(icon("add", look), "Add load", self)
        self.remove = QPushButton(icon("remove", look), "Remove load", self)
        self.note = FormNote(look, self)
        buttons = QHBoxLayout()
        buttons.addWidget(self.add)
        buttons.addWidget(self.remove)
        buttons.addWidget(self.note, 1, Qt.AlignmentFlag.AlignVCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.list)
        layout.addLayout(buttons)
        self.list.chosen.connect(self.chosen)
        self.add.clicked.connect(self.add_requested)
        self.remove.clicked.connect(self.remove_requested)

    def show_loads(self, titles: Sequence[str], current: int, wrong: Collection[int], error: str = "") -> None:
        """Show these loads, one of them being edited; invalid ones get a warning. ``error`` is about all of them."""
        self.list.show_rows(titles, current, wrong)
        is_mixed = len(titles) > 1
        row = max(self.list.sizeHintForRow(0), self.fontMetrics().height())
        self.list.setFixedHeight(row * min(len(titles), _MOST_ROWS) + 2 * self.list.frameWidth() + 2)
        self.list.setVisible(is_mixed)
        self.remove.setVisible(is_mixed)
        self.remove.setEnabled(current > 0)
        self.remove.setToolTip("" if current else "The first load is the plan's own; remove one of the others.")
        if error:
            self.note.show_wrong(error)
        else:
            self.note.show_help(_SEVERAL if is_mixed else _ALONE)
