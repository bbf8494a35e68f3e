"""Sentences below a heading, one paragraph each: the wizard's summary and the parts of its review."""

from collections.abc import Sequence

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from widgets.parts.fonts import scaled
from widgets.parts.form.note import FormNote
from widgets.parts.look import Look


class Sentences(QWidget):
    """A heading and the sentences below it; ``show_wrong`` shows each sentence with a warning sign."""

    def __init__(self, look: Look, heading: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._notes: list[FormNote] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        label = QLabel(heading, self)
        label.setFont(scaled(self.font(), 1, bold=True))
        self._layout.addWidget(label)
        self._layout.addStretch(1)

    @property
    def texts(self) -> list[str]:
        return [note.text for note in self._notes if note.text]

    def show_plain(self, sentences: Sequence[str], warnings: Sequence[str] = ()) -> None:
        """Facts, then warnings."""
        notes = self._enough(len(sentences) + len(warnings))
        for note, sentence in zip(notes, sentences, strict=False):
            note.show_plain(sentence)
        for note, sentence in zip(notes[len(sentences) :], warnings, strict=True):
            note.show_warning(sentence)

    def show_wrong(self, sentences: Sequence[str], missing: Sequence[str] = ()) -> None:
        """Errors, then what is still to be filled in."""
        notes = self._enough(len(sentences) + len(missing))
        for note, sentence in zip(notes, sentences, strict=False):
            note.show_wrong(sentence)
        for note, sentence in zip(notes[len(sentences) :], missing, strict=True):
            note.show_open(sentence)

    def _enough(self, count: int) -> list[FormNote]:
        """Create notes as needed; surplus ones are cleared and hidden, and reused later."""
        while len(self._notes) < count:
            note = FormNote(self._look, self)
            self._layout.insertWidget(self._layout.count() - 1, note)
            self._notes.append(note)
        for place, note in enumerate(self._notes):
            note.setVisible(place < count)
            if place >= count:
                note.clear()
        return self._notes[:count]
