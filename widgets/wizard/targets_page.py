"""First page: the databases to drive, and the number of stores and clients of each."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from engine.draft.plan_draft import PlanDraft
from engine.draft.saved import SavedTarget, renamed, with_saved, without
from engine.draft.target_draft import TargetDraft
from engine.errors import BadInput
from engine.plan.parameters import COMMON, of_stores
from engine.plan.plan import RunPlan
from engine.secrets import Secret
from engine.subject import Subject
from engine.target.connection_result import ConnectionResult
from engine.target.installed_drivers import InstalledDrivers
from engine.target.target import EMBEDDED, Target
from engine.workload.registry import find_workload
from widgets.parts.form.note import FormNote
from widgets.parts.form.parameter_form import ParameterForm
from widgets.parts.icons import icon
from widgets.parts.look import Look
from widgets.parts.saved_menu import SavedMenu
from widgets.wizard.connection_test import test_numbers
from widgets.wizard.page import WizardPage
from widgets.wizard.target_form import TargetForm
from widgets.wizard.target_list import TargetList, title_of

_LEADS = {
    Subject.DATABASE: "The servers under test. The embedded database server comes with Spindle and needs no setup.",
    Subject.MAIL: "The mail servers under test, each with the domain of its mailboxes.",
    Subject.STORAGE: "The storage under test: files, each on this machine or on another that is reached by SSH.",
}
_Password = tuple[Secret, bool]


class TargetsPage(WizardPage):
    """``test_requested`` carries the test's number, the first store and its workload; ``password_entered`` a secret's
    name, the secret, and whether to store it. ``drivers_requested`` asks for the installed ODBC drivers,
    ``machines_requested`` for the machines of the inventory, ``servers_requested`` for the practice servers.
    ``saved_changed``: the saved targets have changed.

    Typed passwords are kept here by secret name for the life of the window.
    """

    title = "Targets"
    test_requested = Signal(int, Target, str)
    password_entered = Signal(str, Secret, bool)
    drivers_requested = Signal()
    machines_requested = Signal()
    saved_changed = Signal()
    servers_requested = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, _LEADS[Subject.DATABASE], ("targets", "clients", "databases"), parent)
        self._current = 0
        self._passwords: list[_Password | None] = [None]
        self._results: list[ConnectionResult | None] = [None]
        self._asked: dict[int, TargetDraft] = {}
        self._errors: Mapping[str, str] = {}
        self.targets = TargetList(look, self)
        self.saved = SavedMenu("target", look, lists=True, parent=self)
        self.saved_targets: list[SavedTarget] = []
        self.editor = TargetForm(look, self)
        self.test = QPushButton(icon("test", look), "Test co&nnection", self)
        self.servers = QPushButton("Pract&ice servers…", self)
        self.servers.setToolTip("The embedded server: its state, start and stop, actions and logs.")
        self.test_note = FormNote(look, self)
        self.same_note = FormNote(look, self)
        self.same_note.hide()
        self.counts = ParameterForm(look, self)
        self.databases = self.counts.add_parameter(COMMON["databases"])
        self.clients = self.counts.add_parameter(COMMON["clients"])
        self._lay_out()
        self._connect()

    def load(self, draft: PlanDraft) -> None:
        """Show this draft; typed passwords stay with the servers and users that they are for."""
        typed = self._typed_passwords()
        super().load(draft)
        self._current = min(self._current, len(draft.targets) - 1)
        self._passwords = [typed.get(_secret_name(target)) for target in draft.targets]
        self._results = [None] * len(draft.targets)
        self._asked.clear()
        self.counts.fill_typed(draft.typed)
        self._show_current()

    def show_errors(self, errors: Mapping[str, str]) -> None:
        self._errors = errors
        workload = find_workload(self.draft.workload)
        self.lead.setText(_LEADS[workload.subject])
        for parameter in of_stores(workload).values():
            row = self.counts.rows[parameter.key]
            row.set_label(parameter.label, parameter.mnemonic)
            row.set_help(parameter.help)
        self.counts.show_errors(errors)
        prefix = f"targets.{self._current}."
        own = {path.removeprefix(prefix): text for path, text in errors.items() if path.startswith(prefix)}
        self.editor.show_errors(own)
        warnings = self.draft.warnings()
        self.same_note.show_warning(" ".join(warnings))
        self.same_note.setVisible(bool(warnings))
        self._show_list()

    def first_control(self) -> QWidget:
        return self.editor.kind

    def focus_field(self, path: str) -> None:
        kind, *rest = path.split(".")
        if not rest:
            (self.counts.rows[kind].field if kind in self.counts.rows else self.targets.list).setFocus()
            return
        self._choose(int(rest[0]))
        self.editor.form.rows[rest[1]].field.setFocus()

    def secrets(self) -> dict[str, Secret]:
        """The passwords typed for targets of the draft, by ``Target.secret_name``."""
        return {name: password[0] for name, password in self._typed_passwords().items()}

    def _typed_passwords(self) -> dict[str, _Password]:
        """The passwords, with whether to store them, by ``Target.secret_name``."""
        pairs = zip(self.draft.targets, self._passwords, strict=True)
        typed = {_secret_name(target): password for target, password in pairs if password and password[0].reveal()}
        return {name: password for name, password in typed.items() if name}

    def show_test(self, question: int, result: ConnectionResult) -> None:
        """Show the result of the test with that number until the target is changed.

        The target may have moved meanwhile; the result for one that was changed or removed is dropped.
        """
        asked = self._asked.pop(question, None)
        for place, target in enumerate(self.draft.targets):
            if target is asked:
                self._results[place] = result
        self._show_result()

    def show_drivers(self, found: Mapping[str, InstalledDrivers]) -> None:
        """The installed ODBC drivers, by the kinds of targets."""
        self.editor.show_drivers(found)
        self.show_errors(self._errors)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        left = QVBoxLayout()
        left.addWidget(self.targets, 1)
        left.addWidget(self.saved, alignment=Qt.AlignmentFlag.AlignLeft)
        row.addLayout(left)
        right = QVBoxLayout()
        right.addWidget(self.editor)
        testing = QHBoxLayout()
        testing.addWidget(self.test)
        testing.addWidget(self.servers)
        testing.addWidget(self.test_note, 1)
        right.addLayout(testing)
        right.addWidget(self.same_note)
        right.addStretch(1)
        row.addLayout(right, 1)
        self.body.addLayout(row, 1)
        self.body.addWidget(self.counts)

    def _connect(self) -> None:
        self.targets.chosen.connect(self._choose)
        self.targets.add_requested.connect(self._add)
        self.targets.duplicate_requested.connect(self._duplicate)
        self.targets.remove_requested.connect(self._remove)
        self.targets.moved.connect(self._move)
        self.saved.chosen.connect(self._add_saved)
        self.saved.save_requested.connect(self._save)
        self.saved.rename_requested.connect(self._rename_saved)
        self.saved.delete_requested.connect(self._delete_saved)
        self.editor.edited.connect(self._on_edited)
        self.editor.drivers_requested.connect(self.drivers_requested)
        self.editor.machines_requested.connect(self.machines_requested)
        self.editor.password_typed.connect(self._on_password)
        self.editor.password.editingFinished.connect(self._emit_password)
        self.editor.keep.clicked.connect(self._emit_password)
        self.counts.edited.connect(self._read_counts)
        self.test.clicked.connect(self._test)
        self.servers.clicked.connect(self.servers_requested)

    def _choose(self, number: int) -> None:
        self._current = number
        self._show_current()
        self.show_errors(self._errors)

    def show_saved(self, targets: Sequence[SavedTarget]) -> None:
        """Offer the user's saved targets."""
        self.saved_targets = list(targets)
        self.saved.show_names([each.name for each in targets])

    def _add(self) -> None:
        self._insert(TargetDraft(), None)

    def _add_saved(self, name: str) -> None:
        """Insert a saved target in place of the current one if that is unchanged, else after it."""
        saved = next(each.target for each in self.saved_targets if each.name == name)
        if self.draft.targets == [TargetDraft()]:
            self.draft.targets[0] = saved.copy()
            self._on_list_changed()
        else:
            self._insert(saved.copy(), None)

    def _save(self, name: str) -> None:
        current = TargetDraft.from_dict(self.draft.targets[self._current].to_dict())  # without a possible password
        self._change_saved(with_saved(self.saved_targets, SavedTarget(name, current)))

    def _rename_saved(self, name: str, new_name: str) -> None:
        self._change_saved(renamed(self.saved_targets, name, new_name))

    def _delete_saved(self, name: str) -> None:
        self._change_saved(without(self.saved_targets, name))

    def _change_saved(self, targets: Sequence[SavedTarget]) -> None:
        self.show_saved(targets)
        self.saved_changed.emit()

    def _duplicate(self) -> None:
        self._insert(self.draft.targets[self._current].copy(), self._passwords[self._current])

    def _insert(self, target: TargetDraft, password: _Password | None) -> None:
        self._current = min(self._current + 1, len(self.draft.targets))
        self.draft.targets.insert(self._current, target)
        self._passwords.insert(self._current, password)
        self._results.insert(self._current, None)
        self._on_list_changed()

    def _remove(self) -> None:
        for entries in self._by_target():
            del entries[self._current]
        self._current = min(self._current, len(self.draft.targets) - 1)
        self._on_list_changed()

    def _move(self, step: int) -> None:
        place = self._current + step
        if not 0 <= place < len(self.draft.targets):
            return
        for entries in self._by_target():
            entries.insert(place, entries.pop(self._current))
        self._current = place
        self._on_list_changed()

    def _by_target(self) -> tuple[list[Any], ...]:
        """The lists with an entry for each target, in the same order."""
        return self.draft.targets, self._passwords, self._results

    def _on_list_changed(self) -> None:
        self._show_current()
        self.edited.emit()

    def _on_edited(self) -> None:
        self._forget_result()
        self.edited.emit()

    def _on_password(self, secret: Secret, keep: bool) -> None:
        self._passwords[self._current] = (secret, keep)
        self._forget_result()

    def _forget_result(self) -> None:
        current = self.draft.targets[self._current]
        self._asked = {question: target for question, target in self._asked.items() if target is not current}
        self._results[self._current] = None
        self._show_result()

    def _emit_password(self) -> None:
        """Not at each key: the keyring would store every prefix."""
        password, target = self._passwords[self._current], self.draft.targets[self._current]
        if password is not None and password[0].reveal() and target.takes_password and not target.validate():
            self.password_entered.emit(target.target().secret_name, *password)

    def _read_counts(self) -> None:
        self.draft.typed |= self.counts.typed()
        self.edited.emit()

    def _test(self) -> None:
        try:
            target = self.draft.targets[self._current].target()
        except BadInput:
            self.validation_requested.emit()
            self.focus_field(next(path for path in self._errors if path.startswith(f"targets.{self._current}.")))
            return
        if (wrong := f"targets.{self._current}.kind") in self._errors:  # it says which workload is to be chosen
            self.focus_field(wrong)
            return
        self._forget_result()
        question = next(test_numbers)
        self._asked[question] = self.draft.targets[self._current]
        self._show_result()
        self.test_requested.emit(question, self._first_store(target), self.draft.workload)

    def _first_store(self, target: Target) -> Target:
        """The first store of a target: ``ds2_1`` when there are several."""
        try:
            return RunPlan(
                targets=(target,), databases=int(self.draft.typed["databases"]), workload=self.draft.workload
            ).stores()[0]
        except (BadInput, ValueError):
            return target

    def _show_current(self) -> None:
        password = self._passwords[self._current]
        secret, keep = password if password is not None else (None, False)
        self.editor.load(self.draft.targets[self._current], secret, keep)
        self._show_list()
        self._show_result()

    def _show_list(self) -> None:
        wrong = {int(path.split(".")[1]) for path in self._errors if path.startswith("targets.")}
        self.targets.show_targets(self.draft.targets, self._current, wrong)
        current = self.draft.targets[self._current]
        self.saved.show_saveable(title_of(current), is_saveable=not current.validate())
        self.servers.setVisible(current.kind == EMBEDDED)

    def _show_result(self) -> None:
        result = self._results[self._current]
        current = self.draft.targets[self._current]
        if any(target is current for target in self._asked.values()):
            self.test_note.show_busy("Testing …")
        elif result is None:
            self.test_note.clear()
        elif result.ok:
            self.test_note.show_good(result.sentence)
        else:
            self.test_note.show_wrong(result.sentence)


def _secret_name(target: TargetDraft) -> str:
    """The name under which the target's password is looked up; empty when it needs none or is not valid yet."""
    return target.target().secret_name if target.takes_password and not target.validate() else ""
