"""Edits the tags of runs: a check box for each existing tag, and a field for a new one."""

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from engine.report.run_listing import RunListing

_LONGEST_TAG = 64
_Check = Qt.CheckState


class TagDialog(QDialog):
    """Emits ``tags_requested`` with the runs' ids, the tags to add and the tags to remove, if there are any.

    A tag that only some of the runs have is partially checked, and is not changed unless it is clicked.
    """

    tags_requested = Signal(list, list, list)

    def __init__(self, runs: Sequence[RunListing], all_tags: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run_ids = [run.run_id for run in runs]
        had = Counter(tag for run in runs for tag in run.tags)
        self._before = {tag: _state(had[tag], len(runs)) for tag in all_tags}
        self.boxes = QListWidget(self)
        self.new_tags = QLineEdit(self)
        self.setWindowTitle("Tags")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._build(runs)

    def accept(self) -> None:
        """Emit the changes, and close."""
        after = {item.text(): item.checkState() for item in map(self.boxes.item, range(self.boxes.count()))}
        changed = {tag: state for tag, state in after.items() if state != self._before[tag]}
        typed = [tag for tag in map(str.strip, self.new_tags.text().split(",")) if tag]
        added = [tag for tag, state in changed.items() if state == _Check.Checked]
        added += [tag for tag in dict.fromkeys(typed) if tag not in added and self._before.get(tag) != _Check.Checked]
        removed = [tag for tag, state in changed.items() if state == _Check.Unchecked and tag not in added]
        if added or removed:
            self.tags_requested.emit(self._run_ids, added, removed)
        super().accept()

    def _build(self, runs: Sequence[RunListing]) -> None:
        whose = f"“{runs[0].name or runs[0].run_id}”" if len(runs) == 1 else f"{len(runs)} runs"
        head = QLabel(f"Tags of {whose}", self)
        head.setWordWrap(True)
        self.boxes.setAccessibleName("Tags in use")
        for tag, state in self._before.items():
            item = QListWidgetItem(tag, self.boxes)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(state)
        self.boxes.setVisible(bool(self._before))
        label = QLabel("&New tags, with commas between them", self)
        label.setBuddy(self.new_tags)
        self.new_tags.setMaxLength(4 * _LONGEST_TAG)
        self.new_tags.setFocus()
        answers = QDialogButtonBox(parent=self)
        answers.addButton("Set tags", QDialogButtonBox.ButtonRole.AcceptRole)
        answers.addButton(QDialogButtonBox.StandardButton.Cancel)
        answers.accepted.connect(self.accept)
        answers.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for widget in (head, self.boxes, label, self.new_tags, answers):
            layout.addWidget(widget)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 50)


def _state(having: int, runs: int) -> Qt.CheckState:
    if having == runs:
        return _Check.Checked
    return _Check.PartiallyChecked if having else _Check.Unchecked
