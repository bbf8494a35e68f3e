"""The machines of the home: a list, and the fields of the one that is chosen."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from engine.draft.machine_draft import InventoryDraft, MachineDraft
from engine.errors import BadInput
from engine.figure_text import capitalised
from engine.machines.inventory import Inventory
from engine.machines.machine import Role
from widgets.machines.machine_editor import MachineEditor
from widgets.parts.dialog_size import resize_to_text
from widgets.parts.form.note import FormNote
from widgets.parts.icons import icon
from widgets.parts.look import Look

_CHARACTERS, _LINES, _LIST_CHARACTERS = 150, 52, 24
_WHAT = "Machines that runs are measured on and with. Plans, faults and campaigns choose from them."


class MachinesDialog(QDialog):
    """``test_requested`` carries a ``Machine`` and the passwords typed for it, ``save_requested`` the ``Inventory`` and
    all typed passwords, both by their secret names. ``test_left`` says that the result is not wanted any more."""

    test_requested = Signal(object, object)
    test_left = Signal()
    save_requested = Signal(object, object)

    def __init__(self, look: Look, inventory: Inventory, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._draft = InventoryDraft.of(inventory)
        self._is_saving = False
        self.setWindowTitle("Machines")
        self.machines = QListWidget(self)
        self.add_button, self.remove_button = QPushButton("&Add", self), QPushButton("Remo&ve", self)
        self.editor = MachineEditor(look, self)
        self.note = FormNote(look, self)
        self._answers = QDialogButtonBox(parent=self)
        self.save_button = self._answers.addButton("&Save", QDialogButtonBox.ButtonRole.AcceptRole)
        self._answers.addButton(QDialogButtonBox.StandardButton.Cancel)
        self._lay_out()
        self._connect()
        self._list_machines(0)

    def add_finding(self, sentence: str, *, ok: bool) -> None:
        """Show what came of one way of reaching the machine that is tested."""
        self.editor.findings.add(sentence, ok=ok)

    def end_test(self) -> None:
        """The test is over."""
        self.editor.show_busy(False)

    def show_failure(self, sentence: str) -> None:
        """Show why the machines were not saved."""
        self._is_saving = False
        self.note.show_wrong(sentence)
        self._judge()

    def accept(self) -> None:
        """Ask for what is typed to be saved; whoever saves it closes the dialog by ``done``."""
        if not self.save_button.isEnabled():
            return
        self._is_saving = True
        self.note.show_busy("Saving …")
        self.save_button.setEnabled(False)
        self.save_requested.emit(self._draft.inventory(), self._draft.secrets())

    def _lay_out(self) -> None:
        self.machines.setAccessibleName("Machines")
        self.machines.setFixedWidth(_LIST_CHARACTERS * self.fontMetrics().averageCharWidth())
        buttons = QHBoxLayout()
        buttons.addWidget(self.add_button)
        buttons.addWidget(self.remove_button)
        left = QVBoxLayout()
        left.addWidget(self.machines, 1)
        left.addLayout(buttons)
        both = QHBoxLayout()
        both.addLayout(left)
        both.addWidget(self.editor, 1)
        below = QHBoxLayout()
        below.addWidget(self.note, 1)
        below.addWidget(self._answers)
        layout = QVBoxLayout(self)
        layout.addWidget(QLabel(_WHAT, self))
        layout.addLayout(both, 1)
        layout.addLayout(below)
        resize_to_text(self, _CHARACTERS, _LINES)
        for button in (self.add_button, self.remove_button):
            button.setAutoDefault(False)

    def _connect(self) -> None:
        self.machines.currentRowChanged.connect(self._show_machine)
        self.add_button.clicked.connect(self._on_add)
        self.remove_button.clicked.connect(self._on_remove)
        self.editor.edited.connect(self._judge)
        self.editor.test_requested.connect(self._on_test)
        self._answers.accepted.connect(self.accept)
        self._answers.rejected.connect(self.reject)
        self.finished.connect(self.test_left)

    @property
    def _shown(self) -> MachineDraft:
        return self._draft.machines[self.machines.currentRow()]

    def _list_machines(self, current: int) -> None:
        self.machines.blockSignals(True)
        self.machines.clear()
        self.machines.addItems([""] * len(self._draft.machines))
        self.machines.setCurrentRow(current)
        self.machines.blockSignals(False)
        self._show_machine(current)

    def _show_machine(self, _row: int) -> None:
        self.test_left.emit()
        self.editor.show_machine(self._shown)
        self.end_test()
        self._judge()

    def _judge(self) -> None:
        """Name the machines in the list, mark what is wrong, and allow what can be done."""
        for row, each in enumerate(self._draft.machines):
            item = self.machines.item(row)
            item.setText(each.name.strip() or "(no name)")
            problem = self._draft.name_problem(each) or each.problem()
            item.setIcon(icon("warning", self._look) if problem else QIcon())
            item.setToolTip(problem or ", ".join(role.label for role in Role if role in each.roles))
        self.editor.show_name_problem(self._draft.name_problem(self._shown))
        self.remove_button.setEnabled(not self._shown.is_workstation)
        problem = self._problem()
        if not self._is_saving:
            self.save_button.setEnabled(not problem)
        if problem or not self.note.is_wrong:
            self.note.show_help(problem)

    def _problem(self) -> str:
        for each in self._draft.machines:
            if problem := self._draft.name_problem(each) or each.problem():
                return (
                    problem if each is self._shown else f"{each.name.strip() or 'A machine without a name'}: {problem}"
                )
        try:
            self._draft.inventory()
        except BadInput as error:
            return capitalised(str(error))
        return ""

    def _on_add(self) -> None:
        self._draft.machines.append(MachineDraft())
        self._list_machines(len(self._draft.machines) - 1)
        self.editor.name.setFocus()

    def _on_remove(self) -> None:
        row = self.machines.currentRow()
        del self._draft.machines[row]
        self._list_machines(min(row, len(self._draft.machines) - 1))

    def _on_test(self) -> None:
        self.editor.findings.clear()
        self.editor.show_busy(True)
        self.test_requested.emit(self._shown.machine(), self._shown.secrets())
