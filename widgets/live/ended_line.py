"""The line on the live page when its run is over: how it ended, the state of its audit, and links."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from engine.audit.report import Verdict
from engine.figure_text import spaced
from engine.record.record import RunState
from widgets.parts.form.note import FormNote
from widgets.parts.icons import icon
from widgets.parts.look import Look

_SENTENCES = {
    RunState.COMPLETED: "The run completed and is in the library.",
    RunState.STOPPED: "The run was stopped; its measurements are in the library.",
    RunState.INTERRUPTED: "The run was interrupted; its measurements are in the library.",
    RunState.FAILED: "The run failed; its measurements are in the library.",
}
_NOT_KEPT = {
    RunState.COMPLETED: "The run is completed, but it is not in the library.",
    RunState.STOPPED: "The run was stopped; what was measured is not in the library.",
    RunState.INTERRUPTED: "The run was interrupted; what was measured is not in the library.",
    RunState.FAILED: "The run failed; what was measured is not in the library.",
}
_FULL = 1_000


class EndedLine(QFrame):
    """Hidden while the run is in progress."""

    open_requested = Signal()
    new_run_requested = Signal()
    cancel_audit_requested = Signal()
    open_audit_requested = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_kept = True
        self._text = QLabel(self)
        self.open = QPushButton(icon("library", look), "Open in library", self)
        self.new_run = QPushButton(icon("new-run", look), "New run from this plan", self)
        self.open.clicked.connect(self._on_open)
        self.new_run.clicked.connect(self._on_new_run)
        self.audit = FormNote(look, self)
        self.progress = QProgressBar(self)
        self.progress.setRange(0, _FULL)
        self.progress.setFormat("%p\u202f%")
        self.progress.setAccessibleName("Progress of the audit")
        self.cancel_audit = QPushButton("Cancel audit", self)
        self.cancel_audit.clicked.connect(self._on_cancel_audit)
        self.open_audit = QPushButton("Show the audit", self)
        self.open_audit.clicked.connect(self._on_open_audit)
        ended = QHBoxLayout()
        ended.addWidget(self._text, 1)
        ended.addWidget(self.open)
        ended.addWidget(self.new_run)
        audit = QHBoxLayout()
        audit.addWidget(self.audit, 1, Qt.AlignmentFlag.AlignVCenter)
        audit.addWidget(self.progress, 1)
        audit.addWidget(self.cancel_audit)
        audit.addWidget(self.open_audit)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(audit)
        layout.addLayout(ended)
        self.forget_audit()
        self.hide()

    def show_state(self, state: RunState) -> None:
        """Show how a run ended; hidden while it is in progress."""
        self.setVisible(state.is_final)
        self._text.setText((_SENTENCES if self._is_kept else _NOT_KEPT).get(state, ""))

    def set_stored(self, kept: bool) -> None:
        """Whether the library has the run; only then it can be opened there."""
        self._is_kept = kept
        self.open.setVisible(kept)

    def focus_first(self) -> None:
        """Give the keyboard focus to the first link."""
        (self.open if self._is_kept else self.new_run).setFocus()

    def forget_audit(self) -> None:
        """Another run: nothing is known of its audit."""
        self.audit.clear()
        for widget in (self.audit, self.progress, self.cancel_audit, self.open_audit):
            widget.hide()

    def show_audit_progress(self, doing: str, share: float) -> None:
        """What the server acknowledged is being looked up."""
        self.audit.show_busy(f"Audit: {doing}")
        self.progress.setValue(round(_FULL * share))
        for widget in (self.audit, self.progress, self.cancel_audit):
            widget.show()

    def show_audit(self, verdict: Verdict, sentence: str) -> None:
        """Show the verdict on a run, in a sentence."""
        sentence = spaced(sentence)
        self._end_audit()
        self.open_audit.show()
        if verdict.is_alarming:
            self.audit.show_wrong(sentence)
        elif verdict is Verdict.CLEAN:
            self.audit.show_good(sentence)
        else:
            self.audit.show_plain(sentence)

    def show_audit_trouble(self, sentence: str) -> None:
        """The audit failed."""
        self._end_audit()
        self.audit.show_wrong(f"Audit: {sentence}")

    @property
    def text(self) -> str:
        return self._text.text()

    def _end_audit(self) -> None:
        had_focus = self.cancel_audit.hasFocus()
        self.audit.show()
        for widget in (self.progress, self.cancel_audit):
            widget.hide()
        if had_focus:
            self.open.setFocus()

    def _on_cancel_audit(self) -> None:
        self.cancel_audit_requested.emit()

    def _on_open_audit(self) -> None:
        self.open_audit_requested.emit()

    def _on_open(self) -> None:
        self.open_requested.emit()

    def _on_new_run(self) -> None:
        self.new_run_requested.emit()
