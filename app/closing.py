"""How the window is left: at once when nothing goes on, else after a question; never with a run half kept."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from app.live_run import LiveRun
from app.window import MainWindow
from widgets.parts.closing_question import ClosingAnswer, ClosingQuestion

_IN_ORDER_MS = 40_000
_AT_ONCE_MS = 30_000


class Closing(QObject):
    """``say`` gets a sentence while leaving takes a while; the window is closed when the library has the run."""

    def __init__(self, window: MainWindow, live_run: LiveRun, say: Callable[[str], None]) -> None:
        super().__init__(window)
        self._window = window
        self._live_run = live_run
        self._say = say
        self._question: ClosingQuestion | None = None
        self._closes_at_end = False
        self._gives_up = False
        self._deadline = QTimer(self, singleShot=True)
        self._deadline.timeout.connect(self._on_deadline)
        for over in (live_run.ended, live_run.unfinished, live_run.failed, live_run.cancelled):
            over.connect(self._on_over)
        window.may_close = self.may_close

    def may_close(self) -> bool:
        """Whether the window may go now; when it may not, the user is asked what to do with the run."""
        if self._gives_up or not self._live_run.is_busy:
            return True
        if not self._deadline.isActive():
            self._ask()
        return False

    def stop_and_leave(self) -> None:
        """End the run in order, keep it, and close; for a signal that ends the program, too."""
        self._closes_at_end = True
        if not self._live_run.is_busy:
            self._window.close()
            return
        self._say("Stopping in order; the window closes when the run is kept.")
        self._live_run.cancel()
        self._live_run.stop()
        self._deadline.start(_IN_ORDER_MS)

    def _ask(self) -> None:
        if self._question is None:
            self._question = ClosingQuestion(self._window)
            self._question.answered.connect(self._on_answer)
        self._question.open()

    def _on_answer(self, answer: ClosingAnswer) -> None:
        if answer is ClosingAnswer.STOP_AND_SAVE:
            self.stop_and_leave()
        elif answer is ClosingAnswer.KEEP_RUNNING:
            self._closes_at_end = True
            if not self._live_run.is_busy:
                self._window.close()
            self._window.showMinimized()
        else:
            self._closes_at_end = False

    def _on_over(self, _what: object = None) -> None:
        self._deadline.stop()
        if self._question is not None:
            self._question.close()
        if self._closes_at_end:
            self._window.close()

    def _on_deadline(self) -> None:
        """In order took too long: at once; and when that takes too long, without."""
        if self._live_run.run is not None and self._deadline.interval() == _IN_ORDER_MS:
            self._live_run.stop(now=True)
            self._deadline.start(_AT_ONCE_MS)
        else:
            self._gives_up = True
            self._window.close()
