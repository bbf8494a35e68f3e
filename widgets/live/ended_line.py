"""The line that stands on the live page when its run is over: how it ended, and where to go from there."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from engine.record import RunState
from widgets.parts.icons import icon
from widgets.parts.look import Look

_SENTENCES = {
    RunState.COMPLETED: "The run is completed; it is kept in the library.",
    RunState.STOPPED: "The run was stopped; what was measured is kept in the library.",
    RunState.INTERRUPTED: "The run was interrupted; what was measured is kept in the library.",
    RunState.FAILED: "The run failed; what was measured is kept in the library.",
}


class EndedLine(QFrame):
    """Hidden as long as the run goes on."""

    open_wished = Signal()
    new_run_wished = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = QLabel(self)
        self.open = QPushButton(icon("library", look), "Open in library", self)
        self.new_run = QPushButton(icon("new-run", look), "New run from this plan", self)
        self.open.clicked.connect(self._on_open)
        self.new_run.clicked.connect(self._on_new_run)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._text, 1)
        layout.addWidget(self.open)
        layout.addWidget(self.new_run)
        self.hide()

    def show_state(self, state: RunState) -> None:
        """Say how a run ended; one that goes on hides the line."""
        self.setVisible(state.is_final)
        self._text.setText(_SENTENCES.get(state, ""))

    @property
    def text(self) -> str:
        return self._text.text()

    def _on_open(self) -> None:
        self.open_wished.emit()

    def _on_new_run(self) -> None:
        self.new_run_wished.emit()
