"""Chooses an action of the embedded server, with its node and amount, and describes it in a sentence."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGroupBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from engine.draft.injection_choices import ActionChoice, action_choices
from engine.figure_text import capitalised
from widgets.parts.form.fields import NumberField, choice_field
from widgets.parts.form.row import Form
from widgets.parts.look import Look


class ActionPanel(QGroupBox):
    """``action_requested`` carries the action's name, the node's number or ``None``, and the amount or ``None``."""

    action_requested = Signal(str, object, object)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__("Actions", parent)
        self._choices: dict[str, ActionChoice] = {}
        self._nodes = 0
        self.action, self.node = choice_field(self), choice_field(self)
        self.value = NumberField(step=10, parent=self)
        self.form = Form(look, self)
        self.form.add("action", "Action", self.action, bound=False, mnemonic="a")
        self.form.add("node", "Server", self.node, bound=False, mnemonic="r")
        self.form.add("value", "Amount", self.value, beside=True, bound=False, mnemonic="m")
        self.button = QPushButton("&Do it…", self)
        row = QHBoxLayout()
        row.addWidget(self.button)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.addWidget(self.form)
        layout.addLayout(row)
        self.action.currentIndexChanged.connect(self._show_action)
        self.value.textChanged.connect(self._show_action)
        self.button.clicked.connect(self._on_clicked)
        self.offer(1)

    @property
    def choice(self) -> ActionChoice | None:
        return self._choices.get(self.action.currentData() or "")

    def offer(self, nodes: int) -> None:
        """Offer the actions for this many nodes; the present choice is kept if possible."""
        if nodes == self._nodes:
            return
        self._nodes = nodes
        groups = action_choices(nodes)
        self._choices = {choice.name: choice for choices in groups.values() for choice in choices}
        chosen, node = self.action.currentData(), self.node.currentData()
        self.action.clear()
        for choices in groups.values():
            if self.action.count():
                self.action.insertSeparator(self.action.count())
            for choice in choices:
                self.action.addItem(choice.title, choice.name)
        self.node.clear()
        self.node.addItem("As the action says", None)
        for number in range(1, nodes + 1):
            self.node.addItem(f"node{number}", number)
        _choose(self.action, chosen)
        _choose(self.node, node)
        self.form.rows["node"].set_visible(nodes > 1)
        self._show_action()

    def _show_action(self) -> None:
        choice = self.choice
        takes_value = choice is not None and bool(choice.value)
        self.form.rows["action"].set_help(choice.sentence if choice is not None else "")
        self.form.rows["value"].set_help(f"{capitalised(choice.value)}." if choice is not None and takes_value else "")
        self.form.rows["value"].set_visible(takes_value)
        self.button.setEnabled(choice is not None and (not takes_value or self._amount() is not None))

    def _amount(self) -> float | None:
        try:
            return float(self.value.text())
        except ValueError:
            return None

    def _on_clicked(self) -> None:
        choice = self.choice
        if choice is not None:
            self.action_requested.emit(choice.name, self.node.currentData(), self._amount() if choice.value else None)


def _choose(box: QComboBox, data: object) -> None:
    box.setCurrentIndex(max(box.findData(data), 0) if data is not None else 0)
