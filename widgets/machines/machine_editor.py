"""One machine of the dialog: its name, its roles, the ways in which it is reached, and the test of these."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenu,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from engine.draft.machine_draft import AccessDraft, MachineDraft
from engine.machines.access import ACCESS_TYPES, AccessKind
from engine.machines.machine import Role
from widgets.machines.access_form import AccessForm
from widgets.machines.findings import Findings
from widgets.parts.form.row import Form
from widgets.parts.icons import icon
from widgets.parts.look import Look

_ACCESS_LINES, _FINDING_LINES = 3, 6
_NAME = "name"
_UNTRIED = "The test reaches it in each of these ways: what works, what would be read, what is missing."


class MachineEditor(QWidget):
    """Edits a ``MachineDraft`` in place; ``edited`` is emitted for edits of the user, not by ``show_machine``."""

    edited = Signal()
    test_requested = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._draft = MachineDraft()
        self._is_busy = False
        self.form = Form(look, self)
        self.name = QLineEdit(self)
        self.roles = {role: QCheckBox(role.label.capitalize(), self) for role in Role}
        self.accesses = QListWidget(self)
        self.add_button, self.remove_button = QPushButton("Add", self), QPushButton("Remove", self)
        self.access_form = AccessForm(look, self)
        self.test_button = QPushButton("&Test", self)
        self.findings = Findings(look, self)
        self._lay_out()
        self._connect()

    def show_machine(self, draft: MachineDraft) -> None:
        """Show a machine, and edit it from now on."""
        self._draft = draft
        self.name.setText(draft.name)
        self.name.setReadOnly(draft.is_workstation)
        for role, box in self.roles.items():
            box.setChecked(role in draft.roles)
        self._list_accesses(0)
        self.findings.show_help(_UNTRIED)

    def show_name_problem(self, sentence: str) -> None:
        """Show what is wrong with the name; empty when nothing is."""
        self.form.show_errors({_NAME: sentence} if sentence else {})

    def show_busy(self, is_busy: bool) -> None:
        """A test is in progress, or is over."""
        self._is_busy = is_busy
        self._allow()

    def add_access(self, kind: AccessKind) -> None:
        """Add an access of a kind, and show its fields."""
        self._draft.accesses.append(AccessDraft(kind))
        self._list_accesses(len(self._draft.accesses) - 1)
        next(iter(self.access_form.rows.values())).field.setFocus()
        self._on_edited()

    def _lay_out(self) -> None:
        self.form.add(_NAME, "&Name", self.name, help_text="As plans and faults name it, such as db1.", bound=False)
        metrics = self.fontMetrics()
        roles = QHBoxLayout()
        roles.setSpacing(metrics.height())
        for box in self.roles.values():
            roles.addWidget(box)
        roles.addStretch(1)
        reached = QLabel("&Reached by", self)
        reached.setBuddy(self.accesses)
        self.accesses.setAccessibleName("Ways of reaching it")
        self.accesses.setFixedHeight(round(_ACCESS_LINES * 2 * metrics.height()))
        menu = QMenu(self.add_button)
        for kind, access in ACCESS_TYPES.items():
            if kind is not AccessKind.LOCAL:
                menu.addAction(access.title).triggered.connect(partial(self._on_add, kind))
        self.add_button.setMenu(menu)
        self.add_button.setAccessibleName("Add a way of reaching it")
        self.remove_button.setAccessibleName("Remove this way of reaching it")
        buttons = QVBoxLayout()
        buttons.addWidget(self.add_button)
        buttons.addWidget(self.remove_button)
        buttons.addStretch(1)
        ways = QHBoxLayout()
        ways.addWidget(self.accesses, 1)
        ways.addLayout(buttons)
        fields = QScrollArea(self)
        fields.setFrameShape(QFrame.Shape.NoFrame)
        fields.setWidgetResizable(True)
        fields.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        fields.setWidget(self.access_form)
        fields.setAccessibleName("Fields of this way of reaching it")
        self.findings.setFixedHeight(_FINDING_LINES * metrics.lineSpacing())
        test = QHBoxLayout()
        test.addWidget(self.test_button, alignment=Qt.AlignmentFlag.AlignTop)
        found = QVBoxLayout()
        found.addSpacing((self.test_button.sizeHint().height() - metrics.height()) // 2)  # level with the button's text
        found.addWidget(self.findings)
        test.addLayout(found, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.form)
        layout.addLayout(roles)
        layout.addWidget(reached)
        layout.addLayout(ways)
        layout.addWidget(fields, 1)
        layout.addLayout(test)

    def _connect(self) -> None:
        self.name.textEdited.connect(self._on_name)
        for box in self.roles.values():
            box.clicked.connect(self._on_roles)
        self.accesses.currentRowChanged.connect(self._show_access)
        self.access_form.edited.connect(self._on_edited)
        self.remove_button.clicked.connect(self._on_remove)
        self.test_button.clicked.connect(self.test_requested)
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(False)

    def _list_accesses(self, current: int) -> None:
        self.accesses.blockSignals(True)
        self.accesses.clear()
        self.accesses.addItems([""] * len(self._draft.accesses))
        self.accesses.setCurrentRow(current if self._draft.accesses else -1)
        self.accesses.blockSignals(False)
        self._name_accesses()
        self._show_access(self.accesses.currentRow())

    def _name_accesses(self) -> None:
        for row, access in enumerate(self._draft.accesses):
            item = self.accesses.item(row)
            item.setText(access.title)
            item.setIcon(icon("warning", self._look) if access.validate() else QIcon())
        self._allow()

    def _show_access(self, row: int) -> None:
        self.access_form.show_access(self._draft.accesses[row] if 0 <= row < len(self._draft.accesses) else None)
        self._allow()

    def _allow(self) -> None:
        row = self.accesses.currentRow()
        is_local = row >= 0 and self._draft.is_workstation and self._draft.accesses[row].kind is AccessKind.LOCAL
        self.remove_button.setEnabled(row >= 0 and not is_local)
        self.test_button.setEnabled(bool(self._draft.accesses) and not self._draft.problem() and not self._is_busy)

    def _on_edited(self) -> None:
        self._name_accesses()
        self.edited.emit()

    def _on_name(self, text: str) -> None:
        self._draft.name = text
        self._on_edited()

    def _on_roles(self) -> None:
        self._draft.roles = {role for role, box in self.roles.items() if box.isChecked()}
        self._on_edited()

    def _on_add(self, kind: AccessKind, _checked: bool = False) -> None:
        self.add_access(kind)

    def _on_remove(self) -> None:
        del self._draft.accesses[self.accesses.currentRow()]
        self._list_accesses(min(self.accesses.currentRow(), len(self._draft.accesses) - 1))
        self._on_edited()
