"""What the live page shows without a run: that there is none yet, or the progress of its preparation."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from engine.figure_text import capitalised
from widgets.parts.fonts import scaled
from widgets.parts.icons import icon
from widgets.parts.look import Look

_SENTENCE_FACTOR = 1.4
_BAR_STEPS = 1_000
_BAR_CHARACTERS = 60


class NoRunPanel(QWidget):
    """One sentence and the ways to start a run."""

    new_run_requested = Signal()
    demo_requested = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        sentence = QLabel("No run in progress. Plan one, or run the demonstration on the embedded server.", self)
        sentence.setFont(scaled(self.font(), _SENTENCE_FACTOR))
        sentence.setWordWrap(True)
        sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.new_run = QPushButton(icon("new-run", look), "New run", self)
        self.demo = QPushButton(icon("live", look), "Run the demonstration", self)
        self.new_run.clicked.connect(self._on_new_run)
        self.demo.clicked.connect(self.demo_requested)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.new_run)
        buttons.addWidget(self.demo)
        buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.addStretch(2)
        layout.addWidget(sentence)
        layout.addSpacing(self.fontMetrics().height())
        layout.addLayout(buttons)
        layout.addStretch(3)

    def _on_new_run(self) -> None:
        self.new_run_requested.emit()


class PreparingPanel(QWidget):
    """What is being done, the progress, and Cancel."""

    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._doing = QLabel(self)
        self._doing.setFont(scaled(self.font(), _SENTENCE_FACTOR))
        self._doing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._doing.setWordWrap(True)
        self._bar = QProgressBar(self)
        self._bar.setFormat("%p\u202f%")
        self._bar.setAccessibleName("Progress of the preparation")
        self._bar.setFixedWidth(_BAR_CHARACTERS * self.fontMetrics().averageCharWidth())
        self.cancel = QPushButton("Cancel", self)
        self.cancel.clicked.connect(self._on_cancel)
        layout = QVBoxLayout(self)
        layout.addStretch(2)
        layout.addWidget(self._doing)
        layout.addWidget(self._bar, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addSpacing(self.fontMetrics().height())
        layout.addWidget(self.cancel, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)

    def show_doing(self, doing: str, share: float | None) -> None:
        """Show what is being done; ``share`` is the share done, from 0 to 1, ``None`` if unknown."""
        self._doing.setText(capitalised(doing))
        self._bar.setRange(0, 0 if share is None else _BAR_STEPS)
        if share is not None:
            self._bar.setValue(round(_BAR_STEPS * min(1.0, max(0.0, share))))

    def begin(self) -> None:
        """Another preparation, which can be cancelled."""
        self.cancel.setEnabled(True)

    @property
    def doing(self) -> str:
        return self._doing.text()

    def _on_cancel(self) -> None:
        self.cancel.setEnabled(False)
        self.cancel_requested.emit()
