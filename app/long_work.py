"""What the user has asked for and no page shows: done in the background, with a line of its own below the places."""

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QObject, QTimer

from app.background import Background, Job
from app.window_problems import WindowProblems
from widgets.parts.work_strip import WorkStrip

# What is done sooner needs no line, which would only flash.
_SHOWN_AFTER_MS = 400
T = TypeVar("T")


class LongWork(QObject):
    """Any number of works at once. Whoever closes the window is asked about them, see ``app.closing``."""

    def __init__(
        self, strip: WorkStrip, background: Background, problems: WindowProblems, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._strip = strip
        self._background = background
        self._problems = problems

    def start(
        self, name: str, work: Callable[[Job[T]], T], *, done: Callable[[T], None], cancelled: Callable[[], None]
    ) -> None:
        """Begin ``work``, such as "exporting 3 runs"; the others as ``Background.start`` calls them.

        An error is told on the message bar.
        """
        line = self._strip.make_line(name)

        def when_over(tell: Callable[..., None]) -> Callable[..., None]:
            def over(*values: object) -> None:
                shown_soon.stop()
                self._strip.remove_line(line)
                tell(*values)

            return over

        shown_soon = QTimer(line, singleShot=True, interval=_SHOWN_AFTER_MS)
        shown_soon.timeout.connect(line.show)
        shown_soon.start()
        job = self._background.start(
            work,
            name=name,
            done=when_over(done),
            failed=when_over(self._problems.explain),
            progressed=line.show_progress,
            cancelled=when_over(cancelled),
        )
        line.cancel_wished.connect(job.cancel)
