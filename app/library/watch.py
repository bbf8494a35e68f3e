"""Watches the library for changes, which the command line and other windows make as well."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.library import jobs as library_jobs
from app.library.jobs import Listed
from app.services import Services
from engine.errors import UserError

if TYPE_CHECKING:
    from engine.conduct.interrupted import Settled
    from engine.library.change_probe import ChangeProbe
    from engine.library.library import Library

_EVERY_MS = 1_000
_SETTLE_AGAIN_SECONDS = 60.0
_REST_FACTOR = 4
"""After a list was read, it is not read again for so many times as long: a large library must not fill a processor."""


@dataclass(frozen=True)
class _Check:
    """The result of one check: the list of runs and the time that reading it took, if anything was new, and the settled
    runs."""

    listed: Listed | None = None
    seconds: float = 0.0
    settled: "Settled | None" = None


class LibraryWatch(QObject):
    """Checks the library once a second, in the background, while ``view`` is visible, and at once when it becomes
    visible.

    ``listed`` carries the runs and sets when they differ from before, ``changed`` follows any write, ``checked`` every
    check. ``settled`` carries the runs that were imported or found interrupted meanwhile.
    """

    listed = Signal(object)
    changed = Signal()
    checked = Signal()
    settled = Signal(object)

    def __init__(self, view: QWidget, window: QWidget, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._window, self._services = view, window, services
        self._probe: ChangeProbe | None = None
        self._library: Library | None = None  # the library that ``_probe`` belongs to
        self._settles_from = 0.0
        self._listed: Listed | None = None
        self._is_looking = self._is_wanted = self._is_forced = False
        self._rests_until = 0.0
        self._reported = ""
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self._on_tick)
        view.installEventFilter(self)
        window.installEventFilter(self)

    @property
    def is_watching(self) -> bool:
        """Whether the library is checked once a second."""
        return self._timer.isActive()

    def look(self) -> None:
        """Check now, if the view is visible: something has been written."""
        if not self._is_seen():
            return
        self._is_wanted = True
        self._start()

    def reload(self) -> None:
        """Read the list of runs again, changed or not, and emit it."""
        self._is_forced = True
        self._start()

    def close(self) -> None:
        """Release the library's file; called when no work is in progress any more."""
        self._timer.stop()
        self._view.removeEventFilter(self)
        self._window.removeEventFilter(self)
        self._release()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.WindowStateChange):
            self._follow_sight()
        return super().eventFilter(watched, event)

    def _is_seen(self) -> bool:
        return self._view.isVisible() and not self._window.isMinimized()

    def _follow_sight(self) -> None:
        is_seen = self._is_seen()
        if is_seen and not self._timer.isActive():
            self._timer.start()
            self.look()
        elif not is_seen:
            self._timer.stop()

    def _on_tick(self) -> None:
        if monotonic() >= self._rests_until:
            self.look()

    def _start(self) -> None:
        if self._is_looking or not (self._is_wanted or self._is_forced):
            return
        is_forced, self._is_wanted, self._is_forced = self._is_forced, False, False
        self._is_looking = True
        work = self._work(is_forced=is_forced, has_live=self._has_live())

        def done(look: _Check) -> None:
            self._reported = ""
            self._finish()
            self._report(look, is_forced=is_forced)

        self._services.background.start(lambda _job: work(), done=done, failed=self._on_failed)

    def _work(self, *, is_forced: bool, has_live: bool) -> Callable[[], _Check]:
        """Read the list if anything is new; runs on a background thread."""

        def work() -> _Check:
            library = self._services.workbench.library()
            if is_other := library is not self._library:
                self._release()
                self._library = library
            settled = self._settle(library) if has_live else None
            if not self._has_changed(library) and not is_other and not is_forced:
                return _Check(settled=settled)
            begun = monotonic()
            listed = library_jobs.list_library(library)
            return _Check(listed, monotonic() - begun, settled)

        return work

    def _settle(self, library: "Library") -> "Settled | None":
        """Mark runs whose process has died; a full disk is not tried again at every check."""
        if monotonic() >= self._settles_from and library.has_orphans():
            settled = self._services.workbench.settle_library()
            if settled.waiting:
                self._settles_from = monotonic() + _SETTLE_AGAIN_SECONDS
            return settled
        return None

    def _has_changed(self, library: "Library") -> bool:
        """A read-only library is not changed, and may not allow a second connection."""
        from engine.library.change_probe import ChangeProbe

        if library.read_only:
            return False
        if self._probe is None:
            self._probe = ChangeProbe(library.path)
        return self._probe.has_changed()

    def _report(self, look: _Check, *, is_forced: bool) -> None:
        if look.listed is not None:
            self._rests_until = monotonic() + _REST_FACTOR * look.seconds
            is_other, self._listed = look.listed != self._listed, look.listed
            if is_other or is_forced:
                self.listed.emit(look.listed)
            self.changed.emit()
        if look.settled is not None:
            self.settled.emit(look.settled)
        self.checked.emit()

    def _on_failed(self, error: BaseException) -> None:
        """Report an error once; the next check starts from the beginning."""
        self._release()
        self._finish()
        if not isinstance(error, UserError) or str(error) != self._reported:
            self._reported = str(error)
            self._services.messages.show_error(error)

    def _finish(self) -> None:
        self._is_looking = False
        self._start()

    def _has_live(self) -> bool:
        return self._listed is not None and any(not run.state.is_final for run in self._listed.runs)

    def _release(self) -> None:
        self._library = None
        if self._probe is not None:
            self._probe.close()
            self._probe = None
