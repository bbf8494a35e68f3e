"""What came of trying a machine: a line with a tick or a warning for each way of reaching it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from widgets.parts.form.note import FormNote
from widgets.parts.look import Look


class Findings(QScrollArea):
    """Sentences of a test, in the order in which they come."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._notes: list[FormNote] = []
        inside = QWidget(self)
        self._layout = QVBoxLayout(inside)
        self._layout.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._layout.setContentsMargins(0, 0, 0, 0)  # in line with what is above
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Result of the test")

    @property
    def sentences(self) -> list[str]:
        return [note.text for note in self._notes]

    def clear(self) -> None:
        for note in self._notes:
            self._layout.removeWidget(note)
            note.hide()
            note.deleteLater()
        self._notes = []

    def show_help(self, sentence: str) -> None:
        """Show one sentence alone that is no result."""
        self.clear()
        self._new_note().show_help(sentence)

    def add(self, sentence: str, *, ok: bool) -> None:
        note = self._new_note()
        (note.show_good if ok else note.show_wrong)(sentence)

    def _new_note(self) -> FormNote:
        note = FormNote(self._look, self)
        self._notes.append(note)
        self._layout.addWidget(note)
        return note
