"""The fields of the chosen fault, and its effect in a sentence. Called by the faults page."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from engine.draft.fault_draft import FaultDraft
from engine.draft.injection_choices import lab_nodes, offered_kinds
from engine.draft.injection_draft import InjectionDraft
from engine.errors import BadInput
from engine.faults.sentences import can_hurt, fault_sentence, names_to_type
from engine.secrets import Secret
from engine.target.target import Target
from widgets.parts.form.injection_form import InjectionForm
from widgets.parts.form.note import FormNote
from widgets.parts.look import Look

_DONE = "done."


class FaultEditor(QWidget):
    """Edits what a ``FaultDraft`` does, in place; its time and its label are edited in the table."""

    edited = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fault: FaultDraft | None = None
        self._stores: tuple[Target, ...] = ()
        self._secrets: dict[str, Secret] = {}
        self.form = InjectionForm(look, is_planned=True, parent=self)
        self._offer()
        self.judged = QCheckBox("Measure the recovery from it", self)
        self.judged.setToolTip("The recovery panel then shows how long it takes.")
        self.sentence = FormNote(look, self)
        self.hurt = FormNote(look, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for widget in (self.form, self.judged, self.sentence, self.hurt):
            layout.addWidget(widget)
        layout.addStretch(1)
        self.form.edited.connect(self._on_form)
        self.judged.clicked.connect(self._on_judged)

    def show_stores(self, stores: tuple[Target, ...]) -> None:
        """The stores of the plan, which decide what can be injected."""
        if stores != self._stores:
            self._stores = stores
            self._offer()

    def load(self, fault: FaultDraft | None) -> None:
        """Show this fault and edit it from now on; ``None`` for none."""
        self._fault = fault
        for fields in (self.form, self.judged):  # the sentence stays legible
            fields.setEnabled(fault is not None)
        self.form.load(fault.done if fault is not None else InjectionDraft(kind="mark"))
        self._show()

    def show_errors(self, errors: Mapping[str, str]) -> None:
        """Errors by the fault's fields: ``at``, ``done.value`` …; each is shown at its field, if that is here."""
        own = {path.removeprefix(_DONE): text for path, text in errors.items() if path.startswith(_DONE)}
        self.form.show_errors(own)
        elsewhere = [text for path, text in errors.items() if not path.startswith(_DONE)]
        if elsewhere:
            self.sentence.show_wrong(elsewhere[0])
        elif own:
            self.sentence.clear()
        else:
            self._show()

    def focus_field(self, name: str) -> None:
        self.form.focus_field(name.removeprefix(_DONE))

    def secrets(self) -> dict[str, Secret]:
        """The passwords typed for management controllers, by secret name."""
        return dict(self._secrets)

    def _offer(self) -> None:
        self.form.offer(lab_nodes(self._stores), [kind.name for kind in offered_kinds(self._stores)])

    def _on_form(self) -> None:
        self._secrets |= self.form.secrets()
        self.edited.emit()

    def _on_judged(self) -> None:
        if self._fault is not None:
            self._fault.is_fault = self.judged.isChecked()
            self.edited.emit()

    def _show(self) -> None:
        fault = self._fault
        self.judged.setVisible(fault is not None and fault.is_mark)
        self.judged.setChecked(fault is not None and fault.is_fault)
        self.hurt.setVisible(False)
        if fault is None:
            self.sentence.show_help("Choose a fault in the table to see what it does.")
            return
        try:
            planned = fault.fault()
        except BadInput:
            self.sentence.clear()
            return
        self.sentence.show_plain(fault_sentence(planned))
        if can_hurt(planned):
            self.hurt.setVisible(True)
            self.hurt.show_wrong(hurt_sentence(names_to_type([planned], self._stores)))


def hurt_sentence(names: Sequence[str]) -> str:
    """What can be hurt, and that its name has to be typed."""
    return f"This can hurt {' and '.join(names)}: the name has to be typed before the run starts."
