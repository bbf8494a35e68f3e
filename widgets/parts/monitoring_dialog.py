"""Asks where a run's figures are served to Prometheus, and which Grafana shows its marks.

A stored token is never displayed: it is a secret.
"""

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from widgets.parts.form.note import FormNote
from widgets.parts.look import Look

_WHAT = (
    "During a run, Prometheus can read its figures from this window at /\N{WORD JOINER}metrics, and Grafana can show"
    " its marks, faults and phases as annotations. Empty fields are off. A port alone is for this machine; give an"
    " address of it only in a network that you trust."
)
_CHARACTERS = 75
_NOTE_LINES = 2


@dataclass(frozen=True)
class TypedMonitoring:
    """What is typed; an empty ``token`` leaves the stored one."""

    metrics: str
    grafana: str
    token: str


class MonitoringDialog(QDialog):
    """``save_requested`` carries a ``TypedMonitoring``."""

    save_requested = Signal(object)

    def __init__(self, look: Look, metrics: str, grafana: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Monitoring")
        self.metrics, self.grafana, self.token = QLineEdit(metrics, self), QLineEdit(grafana, self), QLineEdit(self)
        self.note = FormNote(look, self)
        self.save = QPushButton("Save", self)
        self.leave = QPushButton("Close", self)
        self._lay_out()
        self.save.clicked.connect(self._on_save)
        self.leave.clicked.connect(self.reject)

    def show_busy(self, text: str) -> None:
        """What was typed is being applied."""
        self.note.show_busy(text)
        self.save.setEnabled(False)

    def show_result(self, sentence: str, *, ok: bool) -> None:
        """What came of it; a token that was typed is cleared."""
        (self.note.show_good if ok else self.note.show_wrong)(sentence)
        self.save.setEnabled(True)
        if ok:
            self.token.clear()

    def _lay_out(self) -> None:
        what = QLabel(_WHAT, self)
        what.setWordWrap(True)
        width = _CHARACTERS * self.fontMetrics().averageCharWidth()
        what.setFixedWidth(width)
        what.setMinimumHeight(what.heightForWidth(width))
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        form = QFormLayout()
        for label, field, example in (
            ("&Metrics on", self.metrics, "9464, or ADDRESS:9464"),
            ("&Grafana", self.grafana, "https://grafana.example.com"),
            ("&Token of Grafana", self.token, "kept in the system's keyring; type one to replace it"),
        ):
            field.setPlaceholderText(example)
            field.setAccessibleName(label.replace("&", ""))
            form.addRow(label, field)
        self.note.setMinimumHeight(_NOTE_LINES * self.fontMetrics().lineSpacing())  # so that a result moves nothing
        self.leave.setAutoDefault(False)
        self.save.setDefault(True)  # Enter saves
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.save)
        buttons.addWidget(self.leave)
        layout = QVBoxLayout(self)
        layout.addWidget(what)
        layout.addLayout(form)
        layout.addWidget(self.note)
        layout.addLayout(buttons)

    def _on_save(self) -> None:
        self.save_requested.emit(
            TypedMonitoring(self.metrics.text().strip(), self.grafana.text().strip(), self.token.text().strip())
        )
