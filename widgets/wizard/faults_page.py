"""Fourth page: what is planned to happen while the run is measured, on a time line and in a table."""

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from engine.draft import FaultDraft, PlanDraft
from engine.errors import BadInput
from engine.faults.planned import time_text
from engine.plan import RunPlan
from widgets.parts.form_note import FormNote
from widgets.parts.icons import icon
from widgets.parts.look import Look
from widgets.wizard.fault_model import LABEL_COLUMN, TIME_COLUMN, FaultModel
from widgets.wizard.fault_strip import FaultStrip, StripMark, StripPhases
from widgets.wizard.fault_table import USUAL_LABELS, FaultTable
from widgets.wizard.page import WizardPage

_OPEN_GAP_SECONDS = 60.0
_HELP = "Marks are set by the clock; what happens at the rack is up to you. F2 edits a cell, Delete removes a mark."


class FaultsPage(WizardPage):
    """Marks are added, edited and removed in the table; the time line shows them and lets them be moved."""

    title = "Faults"

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        lead = "Marks that the run sets by itself, counted from the beginning of measuring. None are needed."
        super().__init__(look, lead, ("faults",), parent)
        self.strip = FaultStrip(look, self)
        self.model = FaultModel(look, self)
        self.table = FaultTable(self)
        self.table.show_model(self.model)
        self.add = QPushButton(icon("add", look), "Add mark", self)
        self.remove = QPushButton(icon("remove", look), "Remove mark", self)
        self.note = FormNote(look, self)
        self._lay_out()
        self._errors: Mapping[str, str] = {}
        self.model.edited.connect(self.edited)
        self.strip.moved.connect(self._move)
        self.strip.chosen.connect(self._choose)
        self.table.selectionModel().currentRowChanged.connect(self._show_strip)
        self.add.clicked.connect(self._add)
        self.remove.clicked.connect(self._remove)

    def load(self, draft: PlanDraft) -> None:
        super().load(draft)
        self.model.load(draft.faults)
        self._refresh()

    def show_errors(self, errors: Mapping[str, str]) -> None:
        self._errors = {path.removeprefix("faults."): text for path, text in self.own(errors).items()}
        self.model.show_errors(self._errors)
        self._refresh()

    def first_control(self) -> QWidget:
        return self.table

    def focus_field(self, path: str) -> None:
        _, number, field = path.split(".")
        self.table.setFocus()
        self.table.setCurrentIndex(self.model.index(int(number), TIME_COLUMN if field == "at" else LABEL_COLUMN))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Delete and self.remove.isEnabled():
            self._remove()
        else:
            super().keyPressEvent(event)

    def _lay_out(self) -> None:
        self.body.addWidget(self.strip)
        self.body.addWidget(self.table, 1)
        row = QHBoxLayout()
        row.addWidget(self.add)
        row.addWidget(self.remove)
        row.addStretch(1)
        self.body.addLayout(row)
        self.body.addWidget(self.note)

    def _add(self) -> None:
        label = USUAL_LABELS[len(self.draft.faults) % len(USUAL_LABELS)]
        row = self.model.add(FaultDraft(at=time_text(self._next_seconds()), label=label))
        self.edited.emit()
        index = self.model.index(row, LABEL_COLUMN)
        self.table.setFocus()
        self.table.setCurrentIndex(index)
        self.table.edit(index)

    def _remove(self) -> None:
        row = self.table.currentIndex().row()
        if row >= 0:
            self.model.remove(row)
            self.edited.emit()

    def _move(self, number: int, seconds: float) -> None:
        self._choose(number)
        self.model.setData(self.model.index(number, TIME_COLUMN), time_text(seconds))

    def _choose(self, number: int) -> None:
        self.table.setCurrentIndex(self.model.index(number, TIME_COLUMN))

    def _refresh(self) -> None:
        self.remove.setEnabled(self.table.currentIndex().isValid())
        if self._errors:
            self.note.show_wrong(next(iter(self._errors.values())))
        else:
            self.note.show_help(_HELP)
        self._show_strip()

    def _show_strip(self) -> None:
        self.remove.setEnabled(self.table.currentIndex().isValid())
        self.strip.show_plan(self._phases(), self._marks(), self.table.currentIndex().row())

    def _marks(self) -> list[StripMark]:
        return [
            StripMark(number, fault.at_seconds(), fault.label)
            for number, fault in enumerate(self.draft.faults)
            if "at" not in fault.validate()
        ]

    def _phases(self) -> StripPhases:
        plan = self._load_plan()
        return StripPhases(max(1.0, plan.threads / plan.ramp_rate), plan.warmup_seconds, plan.measured_seconds)

    def _load_plan(self) -> RunPlan:
        try:
            return self.draft.load_plan()
        except BadInput:
            return RunPlan()

    def _next_seconds(self) -> float:
        """Where a new mark is put: half way from the last one to the end, or a minute after it when there is none."""
        latest = max((mark.at_seconds for mark in self._marks()), default=0.0)
        measured = self._load_plan().measured_seconds
        return float(round((latest + measured) / 2)) if measured > latest else latest + _OPEN_GAP_SECONDS
