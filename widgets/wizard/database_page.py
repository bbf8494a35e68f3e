"""Second page: the workload, the size of its stores, rows and bytes, and building, verifying and resetting them."""

from collections.abc import Mapping
from contextlib import suppress

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QRadioButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from engine.draft.plan_draft import FURTHER_LOADS, PlanDraft
from engine.errors import BadInput
from engine.figure_text import byte_size
from engine.parameters.parameter import Part
from engine.plan.plan import RunPlan
from engine.plan.workloads import usable_workloads
from engine.subject import Subject
from engine.workload.registry import DVD_STORE, find_workload
from engine.workload.rows.estimate import StoreEstimate
from engine.workload.workload import Workload
from widgets.parts.form.fields import NumberField, choice_field
from widgets.parts.form.note import FormNote
from widgets.parts.form.parameter_form import ParameterForm
from widgets.parts.form.row import with_mnemonic
from widgets.parts.look import Look
from widgets.parts.table.view import TableView
from widgets.wizard.estimate_model import INDEXES, EstimateModel
from widgets.wizard.layout_form import LayoutForm
from widgets.wizard.page import WizardPage
from widgets.wizard.store_work import StoreWork

_SIZE = find_workload(DVD_STORE).scale.parameters[0]
_UNITS = _SIZE.type.units
_PATHS = ("workload", "size_unit", "reset", "layout")
_WORKED_ON = ("targets", "databases", "seed", FURTHER_LOADS)


class DatabasePage(WizardPage):
    """Requests carry what the work needs of the plan: targets, databases, size, seed.

    ``workload_chosen``: the draft has another workload, which every page has to show.
    ``field_requested`` carries the name of a field on another page that prevents the work. ``build_requested`` also
    carries whether to replace existing stores, and the ``StoreLayout`` of SQL Server's stores or ``None``.
    """

    title = "Database"
    workload_chosen = Signal()
    build_requested = Signal(RunPlan, bool, object)
    verify_requested = Signal(RunPlan)
    reset_requested = Signal(RunPlan)
    field_requested = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, "", _PATHS, parent)
        self._elsewhere = ""
        self.form = ParameterForm(look, self)
        self.workload = choice_field(self)
        for each in usable_workloads():
            self.workload.addItem(each.title, each.id)
        self.form.add("workload", "Workload", self.workload, beside=True, bound=False, mnemonic="k")
        self.size_field = NumberField(step=10, parent=self)
        self.size_field.setPlaceholderText("as built")
        self.unit = QComboBox(self)
        self.unit.setAccessibleName("Unit of the size")
        for unit in _UNITS:
            self.unit.addItem(unit, unit)
        holder = QWidget(self)
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.size_field)
        row.addWidget(self.unit)
        self.form.add_parameter(_SIZE, self.size_field, holder=holder)
        self.form.bind("size_unit", self.unit)
        self.reset_first = QRadioButton(self)
        self.as_it_is = QRadioButton(self)
        self.model = EstimateModel(_tables_of(find_workload(self.draft.workload)), self)
        self.table = TableView("Rows and bytes of a store", self)
        self.table.setModel(self.model)
        self.sum_note = FormNote(look, self)
        self.layout_form = LayoutForm(look, self)
        self.work = StoreWork(look, self)
        self._lay_out()
        self.form.edited.connect(self._read)
        self.workload.activated.connect(self._choose_workload)
        self.size_field.textEdited.connect(self._follow_unit)
        for choice in (self.as_it_is, self.reset_first):
            choice.clicked.connect(self._read)
        self.layout_form.edited.connect(self.edited)
        self.work.build_requested.connect(self._request_build)
        self.work.verify_requested.connect(self._request_verify)
        self.work.reset_requested.connect(self._request_reset)

    def load(self, draft: PlanDraft) -> None:
        super().load(draft)
        self._show_workload()
        self.form.fill(draft)
        self.layout_form.load(draft.layout)
        (self.reset_first if draft.reset else self.as_it_is).setChecked(True)
        self._show_estimate()

    def show_errors(self, errors: Mapping[str, str]) -> None:
        self.form.show_errors(errors)
        prefix = "layout."
        own = {path.removeprefix(prefix): text for path, text in errors.items() if path.startswith(prefix)}
        self.layout_form.show_errors(own)
        scale = find_workload(self.draft.workload).scale
        no_size = "" if self.draft.typed[scale.keys[0]].strip() else f"Give the {scale.label.lower()} to build."
        wrong = next((errors[key] for key in scale.keys if key in errors), "")
        self.work.show_obstacles(wrong, next(iter(self.own(errors).values()), no_size))
        self._elsewhere = next((path for path in errors if path.split(".")[0] in _WORKED_ON), "")
        with suppress(BadInput):
            self.work.follow_stores(self.draft.store_plan().stores())
        self._show_estimate()

    def focus_field(self, path: str) -> None:
        if path.startswith("layout."):
            self.layout_form.focus_row(path.removeprefix("layout."))
        else:
            super().focus_field(path)

    def first_control(self) -> QWidget:
        return self.form.rows[find_workload(self.draft.workload).scale.keys[0]].field

    def _show_workload(self) -> None:
        """The workload's words, tables and parameters; the DVD Store's size has fields of its own."""
        workload = find_workload(self.draft.workload)
        self.workload.setCurrentIndex(self.workload.findData(workload.id))
        self.form.rows["workload"].set_help(workload.note)
        self.heading.setText(workload.wording.page)
        self.lead.setText(workload.wording.store or f"Each store is a {workload.title} database.")
        self.reset_first.setText(with_mnemonic(workload.wording.reset_first, "e"))
        self.as_it_is.setText(f"&Use the {workload.wording.stores[1]} as they are")
        self.work.show_wording(workload.wording)
        self.model.show_tables(_tables_of(workload), workload.wording)
        self.table.setAccessibleName(f"{workload.wording.entries} and bytes of a {workload.wording.stores[0]}")
        own = [each for each in workload.parameters if each.part is Part.DATABASE]
        self.form.rows[_SIZE.key].set_visible(_SIZE in own)
        others = [each for each in own if each is not _SIZE]
        self.form.show_parameters(others)
        before: QWidget = self.unit
        for each in others:
            field = self.form.rows[each.key].field
            self.setTabOrder(before, field)
            before = field
        self.form.fill_typed(self.draft.typed)
        self._paths = (*_PATHS, *(each.key for each in own))

    def _choose_workload(self) -> None:
        self.draft.choose_workload(self.workload.currentData())
        self.workload_chosen.emit()

    def _lay_out(self) -> None:
        self.body.addWidget(self.form)
        choices = QVBoxLayout()
        choices.setSpacing(self.fontMetrics().height() // 3)
        choices.addWidget(self.reset_first)
        choices.addWidget(self.as_it_is)
        self.body.addLayout(choices)
        self.table.setSizeAdjustPolicy(QAbstractItemView.SizeAdjustPolicy.AdjustToContents)  # all rows are visible
        self.table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows_and_bytes = QVBoxLayout()
        rows_and_bytes.setSpacing(self.fontMetrics().height() // 3)
        rows_and_bytes.addWidget(self.table)
        rows_and_bytes.addWidget(self.sum_note)
        self.body.addLayout(rows_and_bytes)
        self.body.addWidget(self.layout_form)
        self.body.addWidget(self.work)
        self.body.addStretch(1)

    def _read(self) -> None:
        self.form.read_into(self.draft)
        self.draft.typed |= {key: text for key, text in self.form.typed().items() if key in self.draft.typed}
        self.draft.reset = self.reset_first.isChecked()
        self.edited.emit()

    def _follow_unit(self, typed: str) -> None:
        """A unit that is typed with the number becomes the chosen one."""
        for unit in _UNITS:
            if typed.upper().strip().endswith(unit):
                self.unit.setCurrentText(unit)
                self.draft.size_unit = unit

    def _show_estimate(self) -> None:
        try:
            scale = self.draft.scale()
        except BadInput:
            scale = None
        self._show_layout()
        workload = find_workload(self.draft.workload)
        found = workload.estimate(scale) if scale is not None else None
        self.model.show_estimate(found)
        self.table.columns.propose(INDEXES, is_shown=workload.subject is not Subject.STORAGE)
        if found is None:
            entries = workload.wording.entries.lower()
            self.sum_note.show_help(f"Enter the {workload.scale.label.lower()} to see {entries} and bytes.")
            return
        stores = self._stores()
        each = byte_size(found.total_bytes)
        store, many = workload.wording.stores
        total = f"; {stores} {many} need {byte_size(stores * found.total_bytes)}" if stores > 1 else ""
        words = workload.scale.in_words(scale)
        others = len(self.draft.further_loads)
        also = f" The stores of {'the other load' if others == 1 else f'{others} more loads'} are not in this table."
        logs = "logs and " if workload.subject is Subject.DATABASE else ""
        self.sum_note.show_help(
            f"A {store} of {words} needs about {each} on disk, plus {logs}free space{total}.{also if others else ''}"
        )

    def _show_layout(self) -> None:
        self.layout_form.setVisible(self.draft.has_layout)
        if not self.draft.has_layout:
            return
        suggested = layout = None
        with suppress(BadInput):
            suggested = self.draft.suggested_layout()
            layout = self.draft.store_layout()
        self.layout_form.show_suggested(suggested)
        if layout is not None:
            self.layout_form.show_total(layout)

    def _stores(self) -> int:
        try:
            return len(self.draft.store_plan().loads[0].stores())
        except BadInput:
            return 1

    def _request_build(self, replaces: bool) -> None:
        if self._is_possible():
            self.build_requested.emit(self.draft.store_plan(), replaces, self.draft.store_layout())

    def _request_verify(self) -> None:
        if self._is_possible():
            self.verify_requested.emit(self.draft.store_plan())

    def _request_reset(self) -> None:
        if self._is_possible():
            self.reset_requested.emit(self.draft.store_plan())

    def _is_possible(self) -> bool:
        """Whether the stores are known; otherwise the field that prevents it is requested."""
        if self._elsewhere:
            self.field_requested.emit(self._elsewhere)
        return not self._elsewhere


def _tables_of(workload: Workload) -> StoreEstimate:
    """The tables of a workload's stores; the numbers are those of the smallest."""
    return workload.estimate(workload.small_scale)
