from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QSpinBox, QTableWidget, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls


def _with(qtbot: QtBot, *controls: QWidget) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    layout = QVBoxLayout(widget)
    for control in controls:
        layout.addWidget(control)
    return widget


def test_controls_without_a_name_are_found(qtbot: QtBot) -> None:
    box = QComboBox()
    box.addItem("a value is no name")
    widget = _with(qtbot, QLineEdit(), box, QPushButton(), QSpinBox(), QTableWidget(2, 2), QLabel("label"))
    assert nameless_controls(widget) == ["QLineEdit", "QComboBox", "QPushButton", "QSpinBox", "QTableWidget"]


def test_text_label_and_accessible_name_are_names(qtbot: QtBot) -> None:
    line, box, table, label, other = QLineEdit(), QComboBox(), QTableWidget(2, 2), QLabel("Threads"), QLabel("Unit")
    label.setBuddy(line)
    other.setBuddy(box)
    table.setAccessibleName("Targets")
    assert nameless_controls(_with(qtbot, label, line, other, box, table, QPushButton("Start"))) == []


def test_focusable_controls_need_a_name(qtbot: QtBot) -> None:
    painted, outer = QWidget(), QWidget()
    painted.setFocusPolicy(painted.focusPolicy().StrongFocus)
    outer_layout = QVBoxLayout(outer)
    outer_layout.addWidget(painted)
    assert nameless_controls(_with(qtbot, outer)) == ["QWidget in QWidget"]
