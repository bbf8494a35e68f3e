"""Work on stores before a run: build, verify and reset, with progress, Cancel and the result.

Called by the database page.
"""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QGroupBox, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from engine.target.target import Target
from engine.workload.wording import GENERAL, Wording
from widgets.parts.form.note import FormNote
from widgets.parts.look import Look

_FULL = 1000


class StoreWork(QGroupBox):
    """``build_requested`` carries whether existing stores are to be replaced. One piece of work is done at a time."""

    build_requested = Signal(bool)
    verify_requested = Signal()
    reset_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.build = QPushButton("Bui&ld", self)
        self.verify = QPushButton("&Verify", self)
        self.reset = QPushButton("Rese&t", self)
        self.replaces = QCheckBox(self)
        self.cancel = QPushButton("&Cancel", self)
        self.progress = QProgressBar(self)
        self.progress.setRange(0, _FULL)
        self.progress.setFormat("%p\u202f%")
        self.note = FormNote(look, self)
        self._is_busy = False
        self._began = self.build  # gets the focus again when its work is over
        self._obstacle = self._build_obstacle = ""
        self._stores: Sequence[Target] = ()
        self._says = {
            self.build: GENERAL.build,
            self.verify: GENERAL.verify,
            self.reset: GENERAL.reset,
            self.cancel: "Cancels the work, and says what the targets hold then.",
        }
        self.build.clicked.connect(self._request_build)
        self.verify.clicked.connect(self.verify_requested)
        self.reset.clicked.connect(self.reset_requested)
        self.cancel.clicked.connect(self.cancel_requested)
        self._lay_out()
        self.show_wording(GENERAL)

    def show_wording(self, wording: Wording) -> None:
        """What the work on stores of this workload does."""
        stores = wording.stores[1]
        self.setTitle(f"Prepare the {stores} now")
        self.replaces.setText(f"Replace existing {stores}")
        self.progress.setAccessibleName(f"Progress of the work on the {stores}")
        self.replaces.setToolTip(wording.replace)
        self.replaces.setAccessibleDescription(wording.replace)
        self._says |= {self.build: wording.build, self.verify: wording.verify, self.reset: wording.reset}
        self._show_busy(self._is_busy)

    def follow_stores(self, stores: Sequence[Target]) -> None:
        """The stores that the buttons would work on; a result of others is removed."""
        if stores != self._stores and not self._is_busy:
            self.note.clear()
        self._stores = stores

    def show_job(self, doing: str, share: float) -> None:
        """What is being done now, and the share done of the whole (0 to 1)."""
        self.progress.setValue(round(_FULL * share))
        self.note.show_busy(doing)
        self._show_busy(True)

    def show_obstacles(self, every: str, build: str) -> None:
        """Why no work is possible now, and why nothing can be built; empty when it is possible."""
        self._obstacle, self._build_obstacle = every, every or build
        self._show_busy(self._is_busy)

    def show_result(self, sentence: str, *, ok: bool | None) -> None:
        """The work is over; ``ok`` is ``None`` when it was cancelled, which is no failure."""
        if ok is None:
            self.note.show_plain(sentence)
        elif ok:
            self.note.show_good(sentence)
        else:
            self.note.show_wrong(sentence)
        self._show_busy(False)

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        for button in (self.build, self.verify, self.reset):
            buttons.addWidget(button)
        buttons.addStretch(1)
        progress = QHBoxLayout()
        progress.addWidget(self.progress, 1)
        progress.addWidget(self.cancel)
        for idle in (self.progress, self.cancel):
            keeps_room = idle.sizePolicy()
            keeps_room.setRetainSizeWhenHidden(True)
            idle.setSizePolicy(keeps_room)
        layout = QVBoxLayout(self)
        layout.addLayout(buttons)
        layout.addWidget(self.replaces)
        layout.addLayout(progress)
        layout.addWidget(self.note)

    def _show_busy(self, busy: bool) -> None:
        self._is_busy = busy
        began = next((button for button in (self.build, self.verify, self.reset) if button.hasFocus()), None)
        if busy and began is not None:
            self._began = began
        had_focus = self.cancel.hasFocus()
        for button, says in self._says.items():
            obstacle = self._build_obstacle if button is self.build else self._obstacle
            is_work = button is not self.cancel
            button.setEnabled(not (busy or obstacle) if is_work else busy)
            button.setToolTip((obstacle if is_work else "") or says)
            button.setAccessibleDescription(button.toolTip())
        self.replaces.setEnabled(not busy)
        self.progress.setVisible(busy)
        self.cancel.setVisible(busy)
        if busy and began is not None:
            self.cancel.setFocus()
        if not busy:
            self.progress.setValue(0)
            if had_focus:
                self._began.setFocus()

    def _request_build(self) -> None:
        self.build_requested.emit(self.replaces.isChecked())
