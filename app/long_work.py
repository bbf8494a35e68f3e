"""Long work that the user started: runs in the background, shown at the foot of the window on every page."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.background import Background, Job
from app.window.main_window import Place
from app.window.messages import WindowMessages
from widgets.parts.work_strip import WorkLine, WorkStrip

# A line for shorter work would only flash.
_SHOWN_AFTER_MS = 400
T = TypeVar("T")


@dataclass
class Work:
    """Work in progress: its name, such as "exporting 3 runs", where it was started, and the share done."""

    name: str
    place: Place
    began: float
    share: float | None = None


@dataclass(frozen=True, kw_only=True)
class EndedWork:
    """Work that is done or has failed, described in ``sentence``; cancelled work is not reported."""

    name: str
    seconds: float
    sentence: str
    is_failure: bool


class LongWork(QObject):
    """Any number of works at once; closing the window asks about them, see ``app.window.closing``.

    ``changed`` is emitted when a work starts, makes progress, or ends; ``ended`` with an ``EndedWork``.
    """

    changed = Signal()
    ended = Signal(object)

    def __init__(
        self, strip: WorkStrip, background: Background, messages: WindowMessages, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._strip = strip
        self._background = background
        self._messages = messages
        self._works: list[Work] = []

    @property
    def works(self) -> tuple[Work, ...]:
        """The works in progress, oldest first."""
        return tuple(self._works)

    def start(
        self,
        name: str,
        work: Callable[[Job[T]], T],
        *,
        done: Callable[[T], None],
        cancelled: Callable[[], None],
        failed: Callable[[BaseException], None] | None = None,
        progressed: Callable[[str, float], None] | None = None,
        place: Place = Place.LIBRARY,
        beside: QWidget | None = None,
        sentence: Callable[[T], str] | None = None,
        is_failure: Callable[[T], bool] = lambda _result: False,
    ) -> Job[T]:
        """Start ``work``, such as "exporting 3 runs"; the callbacks are those of ``Background.start``.

        An error is shown on the message bar unless ``failed`` is given. The line of the work is hidden while ``beside``
        is visible, a widget that shows the same. ``sentence`` makes the text of the notification from the result, and
        ``is_failure`` says whether the result counts as one.
        """
        line = self._strip.make_line(name)
        if beside is not None:
            line.hide_beside(beside)
        current = Work(name, place, time.monotonic())
        self._works.append(current)

        def progress(doing: str, share: float) -> None:
            current.share = share
            line.show_progress(doing, share)
            if progressed is not None:
                progressed(doing, share)
            self.changed.emit()

        def when_done(result: T) -> None:
            self._end(current, line)
            done(result)
            self._report(current, sentence(result) if sentence is not None else "Done.", is_failure=is_failure(result))

        def when_failed(error: BaseException) -> None:
            self._end(current, line)
            (failed or self._messages.show_error)(error)
            self._report(current, self._messages.sentence_of(error), is_failure=True)

        def when_cancelled() -> None:
            self._end(current, line)
            cancelled()

        shown_soon = QTimer(line, singleShot=True, interval=_SHOWN_AFTER_MS)
        shown_soon.timeout.connect(line.appear)
        shown_soon.start()
        job = self._background.start(
            work, name=name, done=when_done, failed=when_failed, progressed=progress, cancelled=when_cancelled
        )
        line.cancel_requested.connect(job.cancel)
        self.changed.emit()
        return job

    def _end(self, work: Work, line: WorkLine) -> None:
        self._works.remove(work)
        self._strip.remove_line(line)
        self.changed.emit()

    def _report(self, work: Work, sentence: str, *, is_failure: bool) -> None:
        seconds = time.monotonic() - work.began
        self.ended.emit(EndedWork(name=work.name, seconds=seconds, sentence=sentence, is_failure=is_failure))
