"""Third page: the load, as one of the published ones or of one's own, and what it can reach; further loads."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from engine.draft.load_draft import LoadDraft
from engine.draft.plan_draft import FURTHER_LOADS, PlanDraft
from engine.draft.saved import own_preset, renamed, with_presets, with_saved, without
from engine.draft.wording import reach_sentence
from engine.errors import BadInput
from engine.figure_text import UNKNOWN, capitalised
from engine.parameters.parameter import Part
from engine.plan.load.checks import LOADS
from engine.plan.presets import Preset, load_keys, presets_of
from engine.plan.workloads import usable_workloads
from engine.target.target import Target
from engine.workload.registry import find_workload
from widgets.parts.form.fields import choice_field
from widgets.parts.form.note import FormNote
from widgets.parts.form.parameter_form import ParameterForm
from widgets.parts.look import Look
from widgets.parts.saved_menu import SavedMenu
from widgets.wizard.further_load_form import FurtherLoadForm, leave_out_pace, show_pace
from widgets.wizard.load_list import LoadList
from widgets.wizard.load_machines_field import LoadMachinesField
from widgets.wizard.page import WizardPage
from widgets.wizard.profile_chart import ProfileChart

_OWN = "own"
_LOAD_MACHINES = "load_machines"
_THINK_TIME = "think_time_ms"
_OF_PROFILE = (*LOADS, "arrivals")
_PRESETS_IN_SIGHT = 20


class LoadPage(WizardPage):
    """The presets fill the fields; a field that is changed afterwards makes the load one's own.

    ``presets_changed`` is emitted when the user's own presets did. The answer to ``machines_requested`` is
    ``offer_machines``. Of a mixed run one load is edited at a time: ``load_chosen`` says that it is another one,
    ``loads_changed`` that the draft has other loads. ``test_requested`` carries the number of a connection test, a
    store of a further load, and its workload.
    """

    title = "Load"
    presets_changed = Signal()
    machines_requested = Signal()
    load_chosen = Signal()
    loads_changed = Signal()
    test_requested = Signal(int, Target, str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, "", (), parent)
        self._look = look
        self._workload = ""
        self._current = 0
        self._errors: Mapping[str, str] = {}
        self._machines: Mapping[str, int] = {}
        self.loads = LoadList(look, self)
        self.preset = choice_field(self)
        self.preset.setMaxVisibleItems(_PRESETS_IN_SIGHT)
        self.saved = SavedMenu("preset", look, lists=False, parent=self)
        self.own_presets: list[Preset] = []
        self.comparability = FormNote(look, self)
        self.form = ParameterForm(look, self)
        holder = QWidget(self)
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.preset, 1)
        row.addWidget(self.saved)
        self.form.add("preset", "Preset", self.preset, holder=holder, bound=False, mnemonic="p")
        self._show_parameters(self.draft)
        self.reach = QLabel(self)
        self.reach.setWordWrap(True)
        self.profile = ProfileChart(look, self)
        self.further = FurtherLoadForm(look, self)
        self.body.setSpacing(self.fontMetrics().height() // 2)  # a mixed run's load is whole in 1440 x 900 pixels
        self._first = QWidget(self)
        first = QVBoxLayout(self._first)
        first.setContentsMargins(0, 0, 0, 0)
        first.setSpacing(self.body.spacing())
        first.addWidget(self.comparability)
        first.addWidget(self.form)
        first.addWidget(self.profile)
        first.addWidget(self.reach)
        self.body.addWidget(self.loads)
        self.body.addWidget(self._first)
        self.body.addWidget(self.further)
        self.body.addStretch(1)
        self.loads.chosen.connect(self._choose_load)
        self.loads.add_requested.connect(self._add_load)
        self.loads.remove_requested.connect(self._remove_load)
        self.further.workload_chosen.connect(self.loads_changed)
        self.further.edited.connect(self.edited)
        self.further.test.wanted.connect(self._test_further)
        self.further.test.asked.connect(self._request_test)
        self.form.edited.connect(self._read)
        self.preset.activated.connect(self._take_preset)
        self.saved.save_requested.connect(self._save)
        self.saved.rename_requested.connect(self._rename)
        self.saved.delete_requested.connect(self._delete)

    def load(self, draft: PlanDraft) -> None:
        super().load(draft)
        self._show_parameters(draft)
        self.form.fill_typed(draft.typed)
        self._show_preset()
        self._show_lead()
        self._show_reach()
        self._current = min(self._current, len(draft.further_loads))
        self._first.setVisible(not self._current)
        self.further.setVisible(bool(self._current))
        if self._current:
            self.further.load(draft.further_loads[self._current - 1], draft.workload)
        self._show_loads()

    def show_errors(self, errors: Mapping[str, str]) -> None:
        self._errors = errors
        self.form.show_errors(errors)
        prefix = f"{FURTHER_LOADS}.{self._current - 1}."
        own = {path.removeprefix(prefix): text for path, text in errors.items() if path.startswith(prefix)}
        self.further.show_errors(own)
        self._show_loads()
        self._show_pace()
        self._show_lead()
        self._show_profile()
        self._show_reach()

    def show_presets(self, own: Sequence[Preset]) -> None:
        """Offer the user's own presets after those that come with Spindle."""
        self.own_presets = list(own)
        self._offer_presets()
        self.further.show_presets(self.own_presets)

    def offer_machines(self, machines: Mapping[str, int]) -> None:
        """Offer these load machines, each with its processors, 0 where they are not known."""
        self._machines = machines
        field = self.form.rows[_LOAD_MACHINES].field
        assert isinstance(field, LoadMachinesField)
        field.offer(machines)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.machines_requested.emit()

    def _load_machines_field(self) -> QWidget:
        field = LoadMachinesField(self._look, self._clients, self)
        field.offer(self._machines)
        return field

    def _clients(self) -> int:
        """How many clients the plan has; 0 while that is not known."""
        try:
            return len(self.draft.plan_of("clients", "databases", FURTHER_LOADS).client_plans())
        except BadInput:
            return 0

    def _offer_presets(self) -> None:
        self.preset.clear()
        self.preset.addItem("Custom load", _OWN)
        shipped = [preset.name for preset in presets_of(self.draft.workload)]
        for preset in self._presets():
            if preset in self.own_presets and self.preset.itemData(self.preset.count() - 1) in shipped:
                self.preset.insertSeparator(self.preset.count())
            self.preset.addItem(preset.name, preset.name)
            self.preset.setItemData(self.preset.count() - 1, preset.describes, Qt.ItemDataRole.ToolTipRole)
        self.saved.show_names([preset.name for preset in self._own()], reserved=[_OWN, *shipped])
        self._show_preset()

    def first_control(self) -> QWidget:
        return self.further.workload if self._current else self.preset

    def focus_field(self, path: str) -> None:
        kind, *rest = path.split(".")
        if kind != FURTHER_LOADS:
            self._choose_load(0)
            self.form.rows[path].field.setFocus()
        elif rest:
            self._choose_load(int(rest[0]) + 1)
            self.further.rows[rest[1]].field.setFocus()
        else:
            self.loads.list.setFocus()

    def _show_loads(self) -> None:
        """Each load by its workload and users, with a warning beside those that can't be run."""
        drafts: tuple[PlanDraft | LoadDraft, ...] = (self.draft, *self.draft.further_loads)
        titles = [_title_of(each.workload, each.typed["threads"]) for each in drafts]
        places = [path.split(".") for path in self.own(self._errors)]
        wrong = {int(place[1]) + 1 if place[0] == FURTHER_LOADS else 0 for place in places if place != [FURTHER_LOADS]}
        self.loads.show_loads(titles, self._current, wrong, self._errors.get(FURTHER_LOADS, ""))

    def _choose_load(self, number: int) -> None:
        if number != self._current:
            self._current = number
            self.load_chosen.emit()

    def _add_load(self) -> None:
        """Add a load of a workload that the run does not have yet, if there is one for the same targets."""
        first = find_workload(self.draft.workload)
        used = {self.draft.workload, *(load.workload for load in self.draft.further_loads)}
        others = [each.id for each in usable_workloads() if each.subject is first.subject and each.id not in used]
        self.draft.further_loads.append(LoadDraft(others[0] if others else first.id))
        self._current = len(self.draft.further_loads)
        self.loads_changed.emit()

    def _test_further(self) -> None:
        """Test a store on each server of the further load that is shown."""
        try:
            load = self.draft.plan_of("databases", FURTHER_LOADS).loads[self._current]
        except BadInput:
            self.validation_requested.emit()
            return
        stores: dict[object, Target] = {}
        for store in load.stores():
            stores.setdefault((store.kind, store.hosts), store)
        self.further.test.ask(list(stores.values()))

    def _request_test(self, number: int, store: Target) -> None:
        self.test_requested.emit(number, store, self.draft.further_loads[self._current - 1].workload)

    def _remove_load(self) -> None:
        del self.draft.further_loads[self._current - 1]
        self._current -= 1
        self.loads_changed.emit()

    def _show_parameters(self, draft: PlanDraft) -> None:
        """The rows of the draft's workload, reached by Tab after the presets."""
        if draft.workload == self._workload:
            return
        self._workload = draft.workload
        workload = find_workload(draft.workload)
        self.comparability.show_plain(workload.note)
        self.comparability.setVisible(bool(workload.note))
        load = [each for each in draft.parameters.values() if each.part is Part.LOAD]
        load.sort(key=lambda each: each.key in _OF_PROFILE)  # above the chart of them
        self.form.show_parameters(load, fields={_LOAD_MACHINES: self._load_machines_field})
        self._paths = (*(each.key for each in load), FURTHER_LOADS)
        before: QWidget = self.saved
        for each in load:
            field = self.form.rows[each.key].field
            self.setTabOrder(before, field)
            before = field
        self._offer_presets()

    def _read(self) -> None:
        self.draft.typed |= self.form.typed()
        self._show_preset()
        self.edited.emit()

    def _presets(self) -> list[Preset]:
        """Those of the draft's workload, Spindle's first."""
        return [*presets_of(self.draft.workload), *self._own()]

    def _own(self) -> list[Preset]:
        return [each for each in self.own_presets if each.workload == self.draft.workload]

    def _take_preset(self) -> None:
        name = self.preset.currentData()
        preset = next((each for each in self._presets() if each.name == name), None)
        if preset is None:
            return
        self.draft.take(preset.values)
        self.form.fill_typed(self.draft.typed)
        self._show_preset()
        self.edited.emit()

    def _show_preset(self) -> None:
        """The preset whose values stand in the fields, however they came there."""
        shown = next((preset for preset in self._presets() if self.draft.has(preset.values)), None)
        self.preset.setCurrentIndex(self.preset.findData(shown.name if shown is not None else _OWN))
        says = f"{capitalised(shown.describes)}." if shown is not None else "None of the presets."
        self.form.rows["preset"].set_help(says)
        try:
            load = self.draft.values(load_keys(self.draft.workload))
        except BadInput:
            load = {}
        name = shown.name if shown in self.own_presets else f"{load['threads']} users" if load else ""
        self.saved.show_saveable(name, is_saveable=bool(load))

    def _save(self, name: str) -> None:
        workload = self.draft.workload
        own = own_preset(name, self.draft.values(load_keys(workload)), workload)
        self._change(with_saved(self._own(), own))

    def _rename(self, name: str, new_name: str) -> None:
        self._change(renamed(self._own(), name, new_name))

    def _delete(self, name: str) -> None:
        self._change(without(self._own(), name))

    def _change(self, own: Sequence[Preset]) -> None:
        self.show_presets(with_presets(self.own_presets, self.draft.workload, own))
        self.presets_changed.emit()

    def _show_pace(self) -> None:
        """What the think time is for; a workload may have times of its own in its place."""
        workload = find_workload(self.draft.workload)
        try:
            is_used = workload.uses_think_time(self.draft.values(workload.keys))
        except BadInput:
            is_used = True
        show_pace(self.form, workload, self._errors)
        row = self.form.rows[_THINK_TIME]
        row.field.setEnabled(is_used)
        if is_used:
            row.set_help(f"Mean pause of a user after each {workload.wording.unit}.")
        elif workload.due_rate is not None:
            leave_out_pace(self.form, workload)
        else:
            row.set_help("Not used: keying and think times are as specified.")

    def _show_lead(self) -> None:
        """How users behave; with a load that can't be run as in the closed loop, which needs nothing else."""
        workload = find_workload(self.draft.workload)
        wording = workload.wording
        try:
            is_open_loop = self.draft.is_open_loop()
        except BadInput:
            is_open_loop = False
        self.lead.setText(wording.open_loop if is_open_loop and workload.due_rate is None else wording.users)

    def _show_profile(self) -> None:
        """Draw the stages; with a load that is the same throughout, or can't be run, there is nothing to draw."""
        try:
            profile = self.draft.profile()
        except BadInput:
            profile = None
        self.form.rows["minutes"].field.setEnabled(profile is None)
        self.profile.show_profile(profile)

    def _show_reach(self) -> None:
        opens = "Connections of this load" if self.draft.further_loads else "Connections"
        try:
            self.reach.setText(reach_sentence(self.draft.plan().loads[0], opens))
        except BadInput:
            workload = find_workload(self.draft.workload)
            text = f"{opens}: {UNKNOWN} · highest {workload.headline.label} by think time: {UNKNOWN}"
            self.reach.setText(UNKNOWN if workload.user is None else text)


def _title_of(workload_id: str, threads: str) -> str:
    """A load in the list: ``Storage, 4 threads per client``."""
    workload = find_workload(workload_id)
    return f"{workload.title}, {threads} {workload.wording.who[1]} per client"
