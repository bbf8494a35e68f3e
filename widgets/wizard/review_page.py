"""Last page: the plan in sentences, what it can hurt, its name, note and tags, and ways to save it."""

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QPushButton, QWidget

from engine.draft.equivalent_command import command_line, needs_plan_file, plan_file_name
from engine.draft.plan_draft import FURTHER_LOADS, PlanDraft
from engine.draft.wording import plan_sentences, touched_sentences
from engine.errors import BadInput
from engine.faults.sentences import can_hurt, names_to_type
from engine.plan.parameters import COMMON
from engine.plan.plan import RunPlan
from engine.subject import Subject
from engine.workload.registry import find_workload
from widgets.parts.form.note import FormNote
from widgets.parts.form.parameter_form import ParameterForm
from widgets.parts.form.typed_names import TypedNames
from widgets.parts.icons import icon
from widgets.parts.look import Look
from widgets.wizard.machines_field import MachinesField
from widgets.wizard.page import WizardPage
from widgets.wizard.sentences import Sentences

_HOSTS = ("machines", "server_waits", "storage_probes")
_PROPOSED = "Proposed from the plan; follows it until you edit it."


def error_sentences(errors: Mapping[str, str]) -> list[str]:
    """The errors as sentences that stand alone: with the target or the fault that they are about."""
    words = {"targets": "Target", "faults": "Fault", FURTHER_LOADS: "Load"}
    sentences = []
    for path, sentence in errors.items():
        kind, *rest = path.split(".")
        number = int(rest[0]) + (2 if kind == FURTHER_LOADS else 1) if kind in words and rest else 0
        sentences.append(f"{words[kind]} {number}: {sentence}" if number else sentence)
    return sentences


class ReviewPage(WizardPage):
    """``copy_requested`` carries the command line; the answer to ``machines_requested`` is ``machines.offer``."""

    title = "Review"
    save_plan_requested = Signal(RunPlan)
    copy_requested = Signal(str)
    machines_requested = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, "What Start will do.", ("name", "note", "tags", "audit", *_HOSTS), parent)
        self.plan_sentences = Sentences(look, "The run", self)
        self.comparability = FormNote(look, self)
        self.touched = Sentences(look, "What it changes", self)
        self.names = TypedNames(look, self)
        self.audit = QCheckBox("", self)
        self.form = ParameterForm(look, self)
        self.name = _NameField(self)
        name = COMMON["name"]
        self.form.add(name.key, name.label, self.name, bound=False, mnemonic=name.mnemonic)
        self.form.add_parameter(COMMON["note"])
        self.form.rows["note"].set_help("")  # its name says it
        self.form.add_parameter(COMMON["tags"])
        self.machines = MachinesField(look, self)
        self.form.add_parameter(COMMON["machines"], self.machines)
        self.form.add_parameter(COMMON["server_waits"])
        self.form.add_parameter(COMMON["storage_probes"])
        self.command = QLineEdit(self)
        self.command.setReadOnly(True)
        self.form.add("command", "Command line", self.command, bound=False, mnemonic="l")
        self.save = QPushButton(icon("save", look), "Sa&ve as plan file…", self)
        self.copy = QPushButton(icon("copy", look), "&Copy command line", self)
        self.note = FormNote(look, self)
        self._lay_out()
        self.form.edited.connect(self._read)
        self.name.edited.connect(self._read_name)
        self.audit.clicked.connect(self._read_audit)
        self.save.clicked.connect(self._request_save)
        self.copy.clicked.connect(self._request_copy)

    def load(self, draft: PlanDraft) -> None:
        super().load(draft)
        note = find_workload(draft.workload).note
        self.comparability.show_plain(note)
        self.comparability.setVisible(bool(note))
        self.form.fill_typed(draft.typed)
        self.name.show_name(draft.typed["name"], draft.proposed_name())
        workloads = (draft.workload, *(load.workload for load in draft.further_loads))
        has_database = any(find_workload(each).subject is Subject.DATABASE for each in workloads)
        self.form.rows["server_waits"].set_visible(has_database)
        audited = draft.audited
        self.audit.setVisible(bool(audited))
        self.audit.setText(f"&After the run, check every {' and '.join(audited)} on the server (audit)")

    def show_errors(self, errors: Mapping[str, str]) -> None:
        self.form.show_errors(errors)
        self.name.show_name(self.draft.typed["name"], self.draft.proposed_name())
        self.form.rows["name"].set_help("" if self.draft.typed["name"] else _PROPOSED)
        self.audit.setChecked(self.draft.audits)
        for button in (self.save, self.copy):
            button.setEnabled(not errors)
        if errors:
            self.names.show_names(())
            self.plan_sentences.show_wrong(error_sentences(errors))
            self.touched.show_plain(["Nothing until this is fixed."])
            self.command.clear()
        else:
            self._show_plan(self.draft.plan())

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.machines_requested.emit()

    def first_control(self) -> QWidget:
        return self.form.rows["name"].field

    def focus_field(self, path: str) -> None:
        self.form.rows[path].field.setFocus()

    def _lay_out(self) -> None:
        self.body.setSpacing(self.fontMetrics().height() // 2)  # the buttons of a mixed run are seen in a small window
        self.body.addWidget(self.plan_sentences)
        self.body.addWidget(self.comparability)
        self.body.addWidget(self.touched)
        self.body.addWidget(self.names)
        self.body.addWidget(self.audit)
        self.body.addWidget(self.form)
        row = QHBoxLayout()
        row.addWidget(self.save)
        row.addWidget(self.copy)
        row.addStretch(1)
        self.body.addLayout(row)
        self.body.addStretch(1)

    def _show_plan(self, plan: RunPlan) -> None:
        self.plan_sentences.show_plain(plan_sentences(plan), self.draft.warnings())
        self.touched.show_plain(touched_sentences(plan))
        self.names.show_names(names_to_type(filter(can_hurt, plan.faults), plan.stores()))
        self.command.setText(command_line(plan))
        self.command.setCursorPosition(0)
        says = f"Save the plan as {plan_file_name(plan)} first: options alone can't express it."
        self.form.rows["command"].set_help(says if needs_plan_file(plan) else "")

    def _read(self) -> None:
        self.draft.typed |= self.form.typed()
        self.edited.emit()

    def _read_name(self, name: str) -> None:
        self.draft.typed["name"] = name
        self.edited.emit()

    def _read_audit(self) -> None:
        self.draft.audit = self.audit.isChecked()
        self.edited.emit()

    def _request_save(self) -> None:
        try:
            self.save_plan_requested.emit(self.draft.plan())
        except BadInput as error:
            self.form.rows["name"].show_error(str(error))

    def _request_copy(self) -> None:
        self.copy_requested.emit(self.command.text())


class _NameField(QLineEdit):
    """Shows the typed name, or else the proposed one; ``edited`` carries the typed one, empty for the proposal."""

    edited = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._proposed = ""
        self.textEdited.connect(self._on_edited)
        self.editingFinished.connect(self._on_finished)

    def show_name(self, typed: str, proposed: str) -> None:
        """An emptied field with the focus stays empty: the proposal is its placeholder then."""
        was_proposed, self._proposed = self._proposed, proposed
        self.setPlaceholderText(proposed)
        shows_proposal = not typed and (self.text() == was_proposed or not self.hasFocus())
        text = proposed if shows_proposal else typed
        if self.text() != text:
            self.setText(text)

    def _on_edited(self, text: str) -> None:
        self.edited.emit("" if text == self._proposed else text)

    def _on_finished(self) -> None:
        if not self.text():
            self.setText(self._proposed)
