"""A stored run's plan: as sentences, as the equivalent command line, and value by value."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from engine.draft.equivalent_command import command_line
from engine.draft.wording import plan_sentences, titled_values
from engine.plan.plan import RunPlan
from widgets.library.value_tree import ValueTree


class PlanTab(QWidget):
    """Shows a plan; the command line can be copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sentences = QLabel(self)
        self.sentences.setWordWrap(True)
        self.sentences.setTextFormat(Qt.TextFormat.PlainText)
        self.sentences.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.command = QLineEdit(self)
        self.command.setReadOnly(True)
        self.copy_button = QPushButton("Copy command line", self)
        self.copy_button.clicked.connect(self._on_copy)
        self.values = ValueTree("Plan", self)
        label = QLabel("&Command line", self)
        label.setBuddy(self.command)
        row = QHBoxLayout()
        row.addWidget(label)
        row.addWidget(self.command, 1)
        row.addWidget(self.copy_button)
        layout = QVBoxLayout(self)
        layout.addWidget(self.sentences)
        layout.addLayout(row)
        layout.addWidget(self.values, 1)

    def show_plan(self, plan: RunPlan) -> None:
        self.sentences.setText(" ".join(plan_sentences(plan)))
        self.command.setText(command_line(plan))
        self.command.setCursorPosition(0)
        self.values.show_values(titled_values(plan))

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.command.text())
