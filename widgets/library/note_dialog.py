"""Edits a run's note, a text of several lines."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from engine.report.run_listing import RunListing


class NoteDialog(QDialog):
    """Emits ``note_requested`` with the run's id and the text, if it was changed."""

    note_requested = Signal(str, str)

    def __init__(self, run: RunListing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run = run
        self.text = QPlainTextEdit(run.note, self)
        self.setWindowTitle("Note")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        label = QLabel(f"&Note of “{(run.name or run.run_id).replace('&', '&&')}”", self)
        label.setWordWrap(True)
        label.setBuddy(self.text)
        self.text.setTabChangesFocus(True)
        answers = QDialogButtonBox(parent=self)
        answers.addButton("Set note", QDialogButtonBox.ButtonRole.AcceptRole)
        answers.addButton(QDialogButtonBox.StandardButton.Cancel)
        answers.accepted.connect(self.accept)
        answers.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for widget in (label, self.text, answers):
            layout.addWidget(widget)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 60)

    def accept(self) -> None:
        """Emit the text, and close."""
        text = self.text.toPlainText().strip()
        if text != self._run.note.strip():
            self.note_requested.emit(self._run.run_id, text)
        super().accept()
