"""Nested plain values as a tree: a run's environment, or its plan."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QTreeView, QWidget

from engine.figure_text import UNKNOWN
from engine.plain_table import plain_text
from widgets.parts.fonts import text_width

_KEY_WIDTH = "maintenance work memory 000"
_ALL_ROWS = -1
_UNITS = {"mb": "MB", "ms": "ms", "pct": "%"}
_SUMMARY = ("product", "version", "label", "url", "name")


class ValueTree(QTreeView):
    """Two columns, name and value; Ctrl+C copies the selected lines."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = QStandardItemModel(self)
        self.setModel(self._model)
        self.setAccessibleName(name)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setAlternatingRowColors(True)
        self.setUniformRowHeights(True)
        self.header().setResizeContentsPrecision(_ALL_ROWS)

    def show_values(self, values: Mapping[str, Any]) -> None:
        """Show these values, all expanded."""
        self._model.clear()
        self._model.setHorizontalHeaderLabels(["Name", "Value"])
        _fill(self._model.invisibleRootItem(), values.items())
        self.expandAll()
        self.setColumnWidth(0, max(text_width(self.font(), _KEY_WIDTH), self.sizeHintForColumn(0)))

    def copy_rows(self) -> None:
        """Copy the selected lines, name and value separated by a tab."""
        lines = []
        index = self._model.index(0, 0)
        while index.isValid():
            if self.selectionModel().isSelected(index):
                value = plain_text(str(index.siblingAtColumn(1).data() or ""))
                lines.append(f"{'  ' * _depth(index)}{index.data()}\t{value}")
            index = self.indexBelow(index)
        if lines:
            QGuiApplication.clipboard().setText("\n".join(lines))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_rows()
        else:
            super().keyPressEvent(event)


def _fill(parent: QStandardItem, entries: Any) -> None:
    for key, value in entries:
        name, shown = QStandardItem(_spoken(str(key))), QStandardItem(_text(value))
        shown.setToolTip(shown.text() if len(shown.text()) > len(_KEY_WIDTH) else "")
        parent.appendRow([name, shown])
        if isinstance(value, Mapping):
            _fill(name, value.items())
        elif _is_list_of_mappings(value):
            _fill(name, [(str(number), each) for number, each in enumerate(value, start=1)])


def _text(value: Any) -> str:
    """A value in one line; for nested values, what identifies them."""
    if value is None or value == "":
        return UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        return " ".join(str(value[key]) for key in _SUMMARY if value.get(key))
    if _is_list_of_mappings(value):
        return str(len(value))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(str, value)) or UNKNOWN
    return str(value)


def _is_list_of_mappings(value: Any) -> bool:
    return isinstance(value, Sequence) and any(isinstance(each, Mapping) for each in value)


def _spoken(key: str) -> str:
    """The name of a value, with its unit after a comma."""
    name, _, last = key.rpartition("_")
    return f"{name}, {_UNITS[last]}".replace("_", " ") if name and last in _UNITS else key.replace("_", " ")


def _depth(index: QModelIndex) -> int:
    depth = 0
    while index.parent().isValid():
        index, depth = index.parent(), depth + 1
    return depth
