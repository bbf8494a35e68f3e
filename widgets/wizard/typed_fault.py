"""A line in which a fault is typed as on the command line: ``T+40s kill primary``. Called by the faults page."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QPushButton, QWidget

from engine.draft.fault_draft import FaultDraft
from engine.errors import BadInput
from engine.figure_text import capitalised
from engine.subject import Subject
from widgets.parts.form.note import FormNote
from widgets.parts.icons import icon
from widgets.parts.look import Look

_ANYWHERE = "T+60s ssh root@r630-a 'reboot', T+5:00 mark Enclosure pulled."
_EXAMPLES = {
    Subject.DATABASE: (
        "T+40s kill primary",
        "Such as T+0:40 freeze primary for 5s, T+60s sql 'SELECT pg_promote()' on host2, T+5:00 mark Enclosure pulled.",
    ),
    Subject.MAIL: ("T+60s ssh root@mx1 'systemctl stop dovecot'", f"Such as {_ANYWHERE}"),
    Subject.STORAGE: ("T+5:00 mark Disk pulled", f"Such as {_ANYWHERE}"),
}
"""An example in the line, and examples below it, by what is under test."""


class TypedFault(QWidget):
    """``typed`` carries a ``FaultDraft``; an invalid line stays to be corrected, with the error below it."""

    typed = Signal(object)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line = _Line(self)
        self.add = QPushButton(icon("add", look), "Add as t&yped", self)
        self.note = FormNote(look, self)
        label = QLabel("&Fault", self)
        label.setBuddy(self.line)
        self.line.setAccessibleName("Fault as text")
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(label, 0, 0)
        layout.addWidget(self.line, 0, 1)
        layout.addWidget(self.add, 0, 2)
        layout.addWidget(self.note, 1, 1, 1, 2)
        self.show_examples(Subject.DATABASE)
        self.line.taken.connect(self._take)
        self.line.textEdited.connect(self._on_edited)
        self.add.clicked.connect(self._take)

    def show_examples(self, subject: Subject) -> None:
        """Show faults that are possible for what is under test."""
        example, self._help = _EXAMPLES[subject]
        self.line.setPlaceholderText(example)
        self._show("")

    def _on_edited(self) -> None:
        if self.note.is_wrong:
            self._show("")

    def _take(self) -> None:
        try:
            fault = FaultDraft.from_text(self.line.text())
        except BadInput as error:
            sentence = str(error).partition(" can't be read: ")[2] or str(error)
            self._show(capitalised(sentence))
            self.line.setFocus()
            return
        self.line.clear()
        self._show("")
        self.typed.emit(fault)

    def _show(self, wrong: str) -> None:
        if wrong:
            self.note.show_wrong(wrong)
        else:
            self.note.show_help(self._help)
        self.line.setAccessibleDescription(wrong or self._help)


class _Line(QLineEdit):
    """Enter accepts the line, unless it is empty: then the wizard handles Enter."""

    taken = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.text().strip():
            self.taken.emit()
        else:
            super().keyPressEvent(event)
