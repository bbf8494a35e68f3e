"""The form of a further load of a mixed run: its workload, its targets, and the parameters that each load has."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from engine.draft import LoadDraft, load_parameters
from engine.plan.databases import usual_database
from engine.plan.workloads import usable_workloads
from engine.workload.registry import find_workload
from widgets.parts.form.fields import choice_field
from widgets.parts.form.parameter_form import ParameterForm
from widgets.parts.look import Look

_FIRST_LOADS = "URLs with semicolons between them. Empty: the servers of the first load, each in database {database}."
_OWN = "URLs such as {form}, with semicolons between them."


class FurtherLoadForm(ParameterForm):
    """It edits a ``LoadDraft`` in place; ``workload_chosen``: it has another workload, and other rows."""

    workload_chosen = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._load: LoadDraft | None = None
        self._shown = ""
        self.workload = choice_field(self)
        for each in usable_workloads():
            self.workload.addItem(each.title, each.id)
        self.add("workload", "Workload", self.workload, beside=True, bound=False)
        self.targets = QLineEdit(self)
        self.add("targets", "Targets", self.targets, bound=False)
        self.workload.activated.connect(self._choose_workload)
        self.targets.textEdited.connect(self._read)
        self.edited.connect(self._read_parameters)

    def load(self, load: LoadDraft, first_workload: str) -> None:
        """Show this load and edit it; that of the first load decides whether it can drive the servers of that one."""
        self._load = load
        workload = find_workload(load.workload)
        if self._shown != load.workload:
            self.show_parameters(load_parameters(load.workload).values())
            self._shown = load.workload
            before: QWidget = self.targets
            for key in load.typed:  # new fields would be reached by Tab after all others of the window
                self.setTabOrder(before, self.rows[key].field)
                before = self.rows[key].field
        self.workload.setCurrentIndex(self.workload.findData(load.workload))
        self.rows["workload"].set_help(workload.note)
        self.targets.setText(load.targets)
        says = _FIRST_LOADS if workload.subject is find_workload(first_workload).subject else _OWN
        database, form = usual_database(load.workload), workload.subject.target_form
        self.rows["targets"].set_help(says.format(database=database, form=form))
        self.fill_typed(load.typed)

    def _read(self, text: str) -> None:
        if self._load is not None:
            self._load.targets = text
            self.edited.emit()

    def _read_parameters(self) -> None:
        if self._load is not None:
            self._load.typed |= self.typed()

    def _choose_workload(self) -> None:
        if self._load is not None:
            self._load.choose_workload(self.workload.currentData())
            self.workload_chosen.emit()
