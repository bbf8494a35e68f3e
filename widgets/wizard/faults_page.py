"""Fourth page: the planned faults, on a timeline, in a table and in a form."""

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from engine.draft.fault_draft import FaultDraft
from engine.draft.injection_choices import MARK, offered_kinds
from engine.draft.injection_draft import InjectionDraft
from engine.draft.plan_draft import PlanDraft
from engine.errors import BadInput
from engine.parameters.typed_text import time_text
from engine.plan.plan import RunPlan
from engine.secrets import Secret
from engine.target.target import Target
from engine.workload.registry import find_workload
from widgets.parts.form.note import FormNote
from widgets.parts.icons import icon
from widgets.parts.look import Look
from widgets.wizard.fault_editor import FaultEditor
from widgets.wizard.fault_model import LABEL_COLUMN, TIME_COLUMN, WHAT_COLUMN, FaultModel
from widgets.wizard.fault_strip import FaultStrip, StripMark, StripPhases
from widgets.wizard.fault_table import USUAL_LABELS, FaultTable
from widgets.wizard.page import WizardPage
from widgets.wizard.typed_fault import TypedFault

_OPEN_GAP_SECONDS = 60.0
_HELP = "F2 edits a cell, Delete removes a fault; the time line moves it."
_COLUMNS = {"at": TIME_COLUMN, "done": WHAT_COLUMN, "label": LABEL_COLUMN}
_RESTORED = USUAL_LABELS[-1]
_TABLE_AND_EDITOR = (5, 6)


class FaultsPage(WizardPage):
    """Faults are added, edited and removed in the table; the form beside it shows what the chosen one does."""

    title = "Faults"

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        lead = (
            "Planned events, timed from the start of measuring: marks for what you do at the rack, and injections that"
            " Spindle does. Optional."
        )
        super().__init__(look, lead, ("faults",), parent)
        self.strip = FaultStrip(look, self)
        self.typed = TypedFault(look, self)
        self.model = FaultModel(look, self)
        self.table = FaultTable(self)
        self.table.show_model(self.model)
        self.add = QPushButton(icon("add", look), "Add &mark", self)
        self.inject = QPushButton(icon("add", look), "Add &injection", self)
        self.remove = QPushButton(icon("remove", look), "Remo&ve", self)
        self.note = FormNote(look, self)
        self.editor = FaultEditor(look, self)
        self._listing = QWidget(self)
        self._both = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._lay_out()
        self._errors: Mapping[str, str] = {}
        self._connect()

    def load(self, draft: PlanDraft) -> None:
        super().load(draft)
        self.model.load(draft.faults)
        self.typed.show_examples(find_workload(draft.workload).subject)
        self._show_chosen()
        self._refresh()

    def show_errors(self, errors: Mapping[str, str]) -> None:
        self._errors = {path.removeprefix("faults."): text for path, text in self.own(errors).items()}
        self.model.show_errors(self._errors)
        self._refresh()

    def first_control(self) -> QWidget:
        return self.typed.line

    def focus_field(self, path: str) -> None:
        _, number, *field = path.split(".")
        self.table.setCurrentIndex(self.model.index(int(number), _COLUMNS[field[0]]))
        if len(field) > 1:
            self.editor.focus_field(field[1])
        else:
            self.table.setFocus()

    def secrets(self) -> dict[str, Secret]:
        """The passwords typed for management controllers, by secret name."""
        return self.editor.secrets()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Delete and self.remove.isEnabled():
            self._remove()
        else:
            super().keyPressEvent(event)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As narrow as the widest part: table and form can be stacked."""
        margins = self.body.contentsMargins()
        widest = max(part.minimumSizeHint().width() for part in (self.strip, self.typed, self._listing, self.editor))
        return QSize(widest + margins.left() + margins.right(), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._stack()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._stack()
        return super().event(event)

    def _lay_out(self) -> None:
        self.body.addWidget(self.strip)
        self.body.addWidget(self.typed)
        left = QVBoxLayout(self._listing)
        left.setContentsMargins(0, 0, 0, 0)
        left.addWidget(self.table, 1)
        buttons = QHBoxLayout()
        for button in (self.add, self.inject, self.remove):
            buttons.addWidget(button)
        buttons.addStretch(1)
        left.addLayout(buttons)
        left.addWidget(self.note)
        self._both.setSpacing(self.fontMetrics().height())
        self._both.addWidget(self._listing, _TABLE_AND_EDITOR[0])
        self._both.addWidget(self.editor, _TABLE_AND_EDITOR[1])
        self.body.addLayout(self._both, 1)

    def _stack(self) -> None:
        """The form is beside the table, or below it where there is no room for both."""
        margins = self.body.contentsMargins()
        room = self.width() - margins.left() - margins.right()
        needed = self._listing.minimumSizeHint().width() + self._both.spacing() + self.editor.minimumSizeHint().width()
        directions = QBoxLayout.Direction
        self._both.setDirection(directions.LeftToRight if room >= needed else directions.TopToBottom)

    def _connect(self) -> None:
        self.model.edited.connect(self._on_cell)
        self.strip.moved.connect(self._move)
        self.strip.chosen.connect(self._choose)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.typed.typed.connect(self._append)
        self.editor.edited.connect(self._on_form)
        self.add.clicked.connect(self._add_mark)
        self.inject.clicked.connect(self._add_injection)
        self.remove.clicked.connect(self._remove)

    def _add_mark(self) -> None:
        label = USUAL_LABELS[len(self.draft.faults) % len(USUAL_LABELS)]
        row = self._append(FaultDraft(at=self._next_time(), label=label, is_fault=label != _RESTORED))
        index = self.model.index(row, LABEL_COLUMN)
        self.table.setFocus()
        self.table.setCurrentIndex(index)
        self.table.edit(index)

    def _add_injection(self) -> None:
        """An action of the embedded server when that is a target, else an SQL statement, or a command."""
        kind = next(each for each in offered_kinds(self._stores()) if each.name != MARK)
        self._append(FaultDraft(at=self._next_time(), done=InjectionDraft(kind=kind.name)))
        self.editor.focus_field(kind.fields[0])

    def _append(self, fault: FaultDraft) -> int:
        row = self.model.add(fault)
        self.table.setCurrentIndex(self.model.index(row, WHAT_COLUMN))
        self.edited.emit()
        return row

    def _remove(self) -> None:
        row = self.table.currentIndex().row()
        if row >= 0:
            self.model.remove(row)
            self._show_chosen()
            self.edited.emit()
            self.table.setFocus()

    def _move(self, number: int, seconds: float) -> None:
        self._choose(number)
        self.model.setData(self.model.index(number, TIME_COLUMN), time_text(seconds))

    def _choose(self, number: int) -> None:
        self.table.setCurrentIndex(self.model.index(number, TIME_COLUMN))

    def _on_cell(self) -> None:
        self._show_chosen()
        self.edited.emit()

    def _on_form(self) -> None:
        self.model.show_changed(self.table.currentIndex().row())
        self.edited.emit()

    def _on_row(self) -> None:
        self._show_chosen()
        self._refresh()

    def _show_chosen(self) -> None:
        row = self.table.currentIndex().row()
        self.editor.show_stores(self._stores())
        self.editor.load(self.draft.faults[row] if 0 <= row < len(self.draft.faults) else None)

    def _refresh(self) -> None:
        row = self.table.currentIndex().row()
        self.remove.setEnabled(row >= 0)
        self.editor.show_stores(self._stores())
        self.editor.show_errors(
            {path.partition(".")[2]: text for path, text in self._errors.items() if path.startswith(f"{row}.")}
        )
        if self._errors:
            path, sentence = next(iter(self._errors.items()))
            self.note.show_wrong(f"Fault {int(path.partition('.')[0]) + 1}: {sentence}")
        else:
            self.note.show_help(_HELP)
        self.strip.show_plan(self._phases(), self._marks(), row)

    def _marks(self) -> list[StripMark]:
        return [
            StripMark(number, fault.at_seconds(), fault.called() or fault.what, not fault.is_mark)
            for number, fault in enumerate(self.draft.faults)
            if "at" not in fault.validate()
        ]

    def _stores(self) -> tuple[Target, ...]:
        """The stores of the plan, as far as its targets are valid."""
        try:
            return self.draft.store_plan().stores()
        except BadInput:
            return ()

    def _phases(self) -> StripPhases:
        plan = self._load_plan()
        workloads = (self.draft.workload, *(load.workload for load in self.draft.further_loads))
        has_users = any(find_workload(each).user is not None for each in workloads)
        ramp = max(1.0, plan.threads / plan.ramp_rate) if has_users else 0.0
        return StripPhases(ramp, plan.warmup_seconds, plan.measured_seconds)

    def _load_plan(self) -> RunPlan:
        try:
            return self.draft.load_plan()
        except BadInput:
            return RunPlan()

    def _next_time(self) -> str:
        """The time of a new fault: half way from the last one to the end, or a minute after it when there is no end."""
        latest = max((mark.at_seconds for mark in self._marks()), default=0.0)
        measured = self._load_plan().measured_seconds
        return time_text(round((latest + measured) / 2) if measured > latest else latest + _OPEN_GAP_SECONDS)
