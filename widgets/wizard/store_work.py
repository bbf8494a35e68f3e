"""The work on stores that can be done before a run: build, verify, reset, with progress, cancel and its result.

Called by the database page.
"""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QGroupBox, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from widgets.parts.form_note import FormNote
from widgets.parts.look import Look

_FULL = 1000


class StoreWork(QGroupBox):
    """``build_wished`` tells whether existing stores are to be replaced. One piece of work is done at a time."""

    build_wished = Signal(bool)
    verify_wished = Signal()
    reset_wished = Signal()
    cancel_wished = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__("Now, before any run", parent)
        self.build = QPushButton("Build", self)
        self.verify = QPushButton("Verify", self)
        self.reset = QPushButton("Reset", self)
        self.replaces = QCheckBox("Replace existing stores", self)
        self.cancel = QPushButton("Cancel", self)
        self.progress = QProgressBar(self)
        self.progress.setRange(0, _FULL)
        self.progress.setAccessibleName("Progress of the work on the stores")
        self.note = FormNote(look, self)
        for button, says in (
            (self.build, "Makes the database when it is missing, then the store's tables, rows and indexes."),
            (self.verify, "Checks rows, keys, indexes and sums of each store."),
            (self.reset, "Takes each store back to what was built, without what runs have added."),
            (self.cancel, "Ends the work, and says what the databases hold then."),
            (self.replaces, "Builds each new store beside the old one, which makes way when the new one is complete."),
        ):
            button.setToolTip(says)
            button.setAccessibleDescription(says)
        self.build.clicked.connect(self._tell_build)
        self.verify.clicked.connect(self.verify_wished)
        self.reset.clicked.connect(self.reset_wished)
        self.cancel.clicked.connect(self.cancel_wished)
        self._lay_out()
        self._show_busy(False)

    def show_job(self, doing: str, share: float) -> None:
        """What is being done now, and the share of the whole that is done (0 to 1)."""
        self.progress.setValue(round(_FULL * share))
        self.note.show_busy(doing)
        self._show_busy(True)

    def show_result(self, sentence: str, *, ok: bool) -> None:
        """The work is over."""
        if ok:
            self.note.show_good(sentence)
        else:
            self.note.show_wrong(sentence)
        self._show_busy(False)

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        for widget in (self.build, self.verify, self.reset):
            buttons.addWidget(widget)
        buttons.addStretch(1)
        progress = QHBoxLayout()
        progress.addWidget(self.progress, 1)
        progress.addWidget(self.cancel)
        layout = QVBoxLayout(self)
        layout.addLayout(buttons)
        layout.addWidget(self.replaces)
        layout.addLayout(progress)
        layout.addWidget(self.note)

    def _show_busy(self, busy: bool) -> None:
        had_focus = self.cancel.hasFocus()
        for widget in (self.build, self.verify, self.reset, self.replaces):
            widget.setEnabled(not busy)
        self.cancel.setEnabled(busy)
        self.progress.setEnabled(busy)
        self.progress.setTextVisible(busy)
        if not busy:
            self.progress.setValue(0)
            if had_focus:
                self.build.setFocus()

    def _tell_build(self) -> None:
        self.build_wished.emit(self.replaces.isChecked())
