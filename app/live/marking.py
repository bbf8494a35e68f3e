"""Marks of the run on the Live page: set by key on every place or by button, changed and undone."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from app.live.mark_edits import MarkEdits, RunMarks, StoredMarks
from app.live.run import LiveRun
from app.services import Services
from engine.errors import UserError
from engine.figure_text import clock_tenths
from widgets.live.live_page import LivePage
from widgets.live.mark_kinds import MarkKind
from widgets.parts.status_area import StatusArea

if TYPE_CHECKING:
    from engine.driver.run import Run

_TOPIC = "mark"


class Marking(QObject):
    """The keys work wherever the focus is, except in a field that uses them for typing.

    A mark's time is that of the key press. A mark that is set while another place is shown is confirmed in the status
    area, where the text of a note is asked for as well. ``stored_mark_changed``: a mark of the run that is over was
    changed.
    """

    stored_mark_changed = Signal()

    def __init__(
        self, page: LivePage, live_run: LiveRun, services: Services, status: StatusArea, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._page = page
        self._live_run = live_run
        self._services = services
        self._status = status
        self._edits: MarkEdits | None = None
        self._keys: list[_MarkKey] = []
        self._bind_keys(page.markers.kinds)
        page.mark_kinds_changed.connect(self._bind_keys)
        page.mark_requested.connect(self._on_mark)
        page.mark_changed.connect(self._on_changed)
        page.mark_removed.connect(self._on_removed)
        page.undo_mark_requested.connect(self._on_undo)
        live_run.began.connect(self._on_began)
        live_run.ended.connect(self.edit_stored)
        live_run.not_stored.connect(self._on_not_stored)

    def set_mark(self, label: str, at_monotonic: float, kind: MarkKind) -> None:
        """Set a mark at a moment of the monotonic clock."""
        run, edits = self._live_run.run, self._edits
        if run is None or edits is None:
            self._services.messages.show("No run in progress; nothing was marked.", topic=_TOPIC)
            return
        is_set = self._attempt(lambda: edits.added(_add_mark(run, label, at_monotonic, kind), label))
        if is_set and not self._page.isVisible():
            self._services.messages.offer(
                f"Marked “{label}” at {self._moment(run, at_monotonic)}.", "Undo", self._on_undo, topic=_TOPIC
            )

    def edit_stored(self) -> None:
        """From now on marks are edited in the library, which has the run that is over."""
        loads, services = self._live_run.loads, self._services
        assert loads is not None
        keeper = StoredMarks(
            loads, services.workbench, services.background, self._on_stored_mark_changed, self._explain_in_vain
        )
        self._edit(MarkEdits(loads.first, keeper, self))

    def _bind_keys(self, kinds: Sequence[MarkKind]) -> None:
        for key in self._keys:
            key.setEnabled(False)
            key.deleteLater()
        self._keys = [_MarkKey(kind, self._status) for kind in kinds if kind.key]
        for key in self._keys:
            key.pressed.connect(self._on_mark)

    def _on_mark(self, kind: MarkKind, at_monotonic: float) -> None:
        run = self._live_run.run
        if run is None or not kind.asks_text:
            self.set_mark(kind.label, at_monotonic, kind)
            return
        self._status.question.ask(
            f"{kind.label} at {self._moment(run, at_monotonic)}: what happened?",
            lambda text: self.set_mark(text or kind.label, at_monotonic, kind),
        )

    def _moment(self, run: "Run", at_monotonic: float) -> str:
        """The time on the measuring clock, as the event log shows it."""
        data = self._live_run.data
        origin = 0 if data is None else data.phases.measuring_from or 0
        return clock_tenths(max(0.0, run.timebase.at(at_monotonic)) - origin)

    def _on_began(self) -> None:
        data, run = self._live_run.data, self._live_run.run
        assert data is not None
        assert run is not None
        self._edit(MarkEdits(data, RunMarks(run), self))

    def _on_stored_mark_changed(self) -> None:
        self._page.refresh()
        self.stored_mark_changed.emit()

    def _on_not_stored(self) -> None:
        """A run that is not in the library can't be edited."""
        self._edits = None
        self._page.set_undoable("")

    def _edit(self, edits: MarkEdits) -> None:
        self._edits = edits
        edits.undoable_changed.connect(self._page.set_undoable)
        self._page.set_undoable("")

    def _on_changed(self, number: int, label: str | None, at_seconds: float | None) -> None:
        self._on_edits(lambda edits: edits.change(number, label, at_seconds))

    def _on_removed(self, number: int) -> None:
        self._on_edits(lambda edits: edits.remove(number))

    def _on_undo(self) -> None:
        self._on_edits(lambda edits: edits.undo())

    def _on_edits(self, do: Callable[[MarkEdits], Any]) -> None:
        edits = self._edits
        if edits is not None:
            self._attempt(lambda: do(edits))

    def _attempt(self, do: Callable[[], Any]) -> bool:
        """Whether the change succeeded; otherwise the error is shown."""
        try:
            do()
        except UserError as error:
            self._explain_in_vain(error)
            return False
        return True

    def _explain_in_vain(self, error: BaseException) -> None:
        self._services.messages.show_error(error)
        self._page.refresh()  # undo the drag or edit that was rejected


class _MarkKey(QShortcut):
    """The key of one kind, active in every window of the application that no dialog blocks."""

    pressed = Signal(object, float)

    def __init__(self, kind: MarkKind, parent: QWidget) -> None:
        super().__init__(QKeySequence.fromString(kind.key, QKeySequence.SequenceFormat.PortableText), parent)
        self._kind = kind
        self.setWhatsThis(f"Mark {kind.label}")
        self.setContext(Qt.ShortcutContext.ApplicationShortcut)
        self.setAutoRepeat(False)
        self.activated.connect(self._on_activated)

    def _on_activated(self) -> None:
        self.pressed.emit(self._kind, time.monotonic())


def _add_mark(run: "Run", label: str, at_monotonic: float, kind: MarkKind) -> int:
    if kind.ends_fault:
        return run.end_fault(label, at_monotonic=at_monotonic, by_hand=True)
    return run.add_mark(label, at_monotonic=at_monotonic, is_fault=kind.is_fault)
