"""The form of a further load of a mixed run: its workload, its targets, and the parameters that each load has."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from engine.draft.load_draft import LoadDraft, load_parameters
from engine.figure_text import capitalised
from engine.plan.databases import usual_database
from engine.plan.presets import Preset, presets_of
from engine.plan.workloads import usable_workloads
from engine.secrets import Secret
from engine.target.target import EMBEDDED, Target
from engine.workload.registry import find_workload
from engine.workload.workload import Workload
from widgets.parts.form.fields import choice_field
from widgets.parts.form.parameter_form import ParameterForm
from widgets.parts.look import Look
from widgets.wizard.connection_test import ConnectionTest

_FIRST_LOADS = "URLs with semicolons between them. Empty: the servers of the first load, each in database {database}."
_OWN = "URLs such as {form}, with semicolons between them."
_ASKED = "Of these targets' users, kept while the window is open. Empty: that of the keyring, or of the first page."
_CUSTOM = "Custom load"
_OF_PACE = ("think_time_ms", "rate", "arrivals")
_OF_USERS = ("ramp_rate", "stages", "staircase")


def leave_out_pace(form: ParameterForm, workload: Workload) -> None:
    """Disable what paces users, of a workload whose users have a rate of their own due."""
    for key in _OF_PACE:
        form.rows[key].field.setEnabled(False)
        form.rows[key].set_help(f"Not used: each user has {workload.wording.unit}s due at a rate of its own.")


def show_pace(form: ParameterForm, workload: Workload, errors: Mapping[str, str]) -> None:
    """Hide what paces users, of a workload that runs a program in their place; what is wrong stays in sight."""
    for key in (*_OF_PACE, *_OF_USERS):
        if key in form.rows:
            form.rows[key].set_visible(workload.user is not None or key in errors)


class FurtherLoadForm(ParameterForm):
    """It edits a ``LoadDraft`` in place; ``workload_chosen``: it has another workload, and other rows.

    Passwords that are typed here are part of no draft: they are kept by the names under which they are looked up.
    """

    workload_chosen = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._load: LoadDraft | None = None
        self._shown = ""
        self._passwords: dict[str, Secret] = {}
        self._own_presets: Sequence[Preset] = ()
        self.workload = choice_field(self)
        for each in usable_workloads():
            self.workload.addItem(each.title, each.id)
        self.add("workload", "Workload", self.workload, beside=True, bound=False)
        holder = QWidget(self)
        self.targets = QLineEdit(holder)
        self.test = ConnectionTest(look, holder)
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.targets)
        column.addWidget(self.test)
        self.add("targets", "Targets", self.targets, holder=holder, bound=False)
        self.password = QLineEdit(self)
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.add("password", "Password", self.password, help_text=_ASKED, bound=False)
        self.preset = choice_field(self)
        self.add("preset", "Preset", self.preset, bound=False)
        self.workload.activated.connect(self._choose_workload)
        self.targets.textEdited.connect(self._read)
        self.password.textEdited.connect(self._keep_password)
        self.preset.activated.connect(self._take_preset)
        self.edited.connect(self._read_parameters)

    def load(self, load: LoadDraft, first_workload: str) -> None:
        """Show this load and edit it; that of the first load decides whether it can drive the servers of that one."""
        if self._load is not load:
            self.test.forget()
        self._load = load
        workload = find_workload(load.workload)
        if self._shown != load.workload:
            self.show_parameters(load_parameters(load.workload).values())
            self._shown = load.workload
            before: QWidget = self.preset
            for key in load.typed:  # new fields would be reached by Tab after all others of the window
                self.setTabOrder(before, self.rows[key].field)
                before = self.rows[key].field
            self._offer_presets()
        self.workload.setCurrentIndex(self.workload.findData(load.workload))
        self.rows["workload"].set_help(workload.note)
        self.targets.setText(load.targets)
        says = _FIRST_LOADS if workload.subject is find_workload(first_workload).subject else _OWN
        database, form = usual_database(load.workload), workload.subject.target_form
        self.rows["targets"].set_help(says.format(database=database, form=form))
        self._show_password()
        self.fill_typed(load.typed)
        if workload.due_rate is not None:
            leave_out_pace(self, workload)
        show_pace(self, workload, {})
        self._show_preset()

    def show_presets(self, own: Sequence[Preset]) -> None:
        """Offer the user's own presets after those that come with Spindle."""
        self._own_presets = own
        self._offer_presets()

    def secrets(self) -> dict[str, Secret]:
        """The passwords typed here, by ``Target.secret_name``."""
        return {name: secret for name, secret in self._passwords.items() if secret.reveal()}

    def _read(self, text: str) -> None:
        if self._load is not None:
            self._load.targets = text
            self.test.forget()
            self._show_password()
            self.edited.emit()

    def _read_parameters(self) -> None:
        if self._load is not None:
            self._load.typed |= self.typed()
            self._show_preset()

    def _choose_workload(self) -> None:
        if self._load is not None:
            self._load.choose_workload(self.workload.currentData())
            self.test.forget()
            self.workload_chosen.emit()

    def _with_password(self) -> list[Target]:
        """The targets of the load that are logged in to with a password of their own."""
        own = () if self._load is None else self._load.own_targets()
        return [each for each in own if each.takes_password and each.kind != EMBEDDED]

    def _show_password(self) -> None:
        targets = self._with_password()
        self.rows["password"].set_visible(bool(targets))
        typed = [self._passwords[each.secret_name] for each in targets if each.secret_name in self._passwords]
        text = typed[0].reveal() if typed else ""
        if targets and self.password.text() != text:
            self.password.setText(text)

    def _keep_password(self, text: str) -> None:
        self.test.forget()
        for target in self._with_password():
            self._passwords[target.secret_name] = Secret(text)

    def _presets(self) -> list[Preset]:
        own = [each for each in self._own_presets if each.workload == self._shown]
        return [*presets_of(self._shown), *own] if self._shown else []

    def _offer_presets(self) -> None:
        self.preset.clear()
        self.preset.addItem(_CUSTOM)
        for each in self._presets():
            self.preset.addItem(each.name, each.name)
            self.preset.setItemData(self.preset.count() - 1, each.describes, Qt.ItemDataRole.ToolTipRole)
        self._show_preset()

    def _take_preset(self) -> None:
        preset = next((each for each in self._presets() if each.name == self.preset.currentData()), None)
        if preset is not None and self._load is not None:
            self._load.take(preset.values)
            self.fill_typed(self._load.typed)
            self.edited.emit()

    def _show_preset(self) -> None:
        """The preset whose values stand in the fields; of several that differ in the times alone, the chosen one."""
        load = self._load
        shown = [each for each in self._presets() if load is not None and load.has(each.values)]
        chosen = next((each for each in shown if each.name == self.preset.currentData()), None)
        preset = chosen or next(iter(shown), None)
        self.preset.setCurrentIndex(0 if preset is None else self.preset.findData(preset.name))
        says = "None of the presets." if preset is None else f"{capitalised(preset.describes)}."
        self.rows["preset"].set_help(f"{says} The times are those of the run, which stand at the first load.")
