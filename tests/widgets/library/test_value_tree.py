"""Plain values as a tree."""

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from widgets.library.value_tree import ValueTree

VALUES = {
    "servers": [{"product": "PostgreSQL", "version": "18.6", "settings": {"fsync": True, "work_mem": None}}],
    "think_time_ms": 20.0,
    "tags": ["a", "b"],
    "note": "",
}


@pytest.fixture
def tree(qtbot: QtBot) -> ValueTree:
    tree = ValueTree("Environment")
    qtbot.addWidget(tree)
    tree.show_values(VALUES)
    tree.show()
    return tree


def lines(tree: ValueTree, parent: QModelIndex | None = None, depth: int = 0) -> list[tuple[int, str, str]]:
    model, above = tree.model(), QModelIndex() if parent is None else parent
    found = []
    for row in range(model.rowCount(above)):
        name = model.index(row, 0, above)
        found.append((depth, name.data(), name.siblingAtColumn(1).data()))
        found += lines(tree, name, depth + 1)
    return found


def test_nested_values_are_branches(tree: ValueTree) -> None:
    assert lines(tree) == [
        (0, "servers", "1"),
        (1, "1", "PostgreSQL 18.6"),
        (2, "product", "PostgreSQL"),
        (2, "version", "18.6"),
        (2, "settings", ""),
        (3, "fsync", "yes"),
        (3, "work mem", "–"),
        (0, "think time, ms", "20"),
        (0, "tags", "a, b"),
        (0, "note", "–"),
    ]


def test_new_values_replace_the_tree(tree: ValueTree) -> None:
    tree.show_values({"minutes": 30})
    assert lines(tree) == [(0, "minutes", "30")]


def test_selected_lines_are_copied_with_tabs(tree: ValueTree, qtbot: QtBot) -> None:
    tree.selectAll()
    qtbot.keyClick(tree, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text().split("\n")
    assert copied[:3] == ["servers\t1", "  1\tPostgreSQL 18.6", "    product\tPostgreSQL"]
    assert len(copied) == 10
