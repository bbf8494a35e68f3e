"""Closing the window: at once when nothing is in progress, else after a question; a run is always stored completely."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from app.background import Background
from app.live.run import LiveRun
from app.window.main_window import MainWindow
from widgets.parts.closing_question import ClosingAnswer, ClosingQuestion, run_question, work_question

_IN_ORDER_MS = 40_000
_AT_ONCE_MS = 30_000


class Closing(QObject):
    """``say`` gets a sentence when closing takes a while; the window closes when the library has the run, and when
    other work of the user is done or cancelled."""

    def __init__(
        self, window: MainWindow, live_run: LiveRun, background: Background, say: Callable[[str], None]
    ) -> None:
        super().__init__(window)
        self._window = window
        self._live_run = live_run
        self._background = background
        self._say = say
        self._question: ClosingQuestion | None = None
        self._asks_about_run = False
        self._awaited: list[str] = []
        self._closes_at_end = False
        self._gives_up_work = False
        self._gives_up = False
        self._deadline = QTimer(self, singleShot=True)
        self._deadline.timeout.connect(self._on_deadline)
        # After all other slots of the same signal: an audit, for example, follows a run.
        self._after_end = QTimer(self, singleShot=True, interval=0)
        self._after_end.timeout.connect(self._on_end)
        for over in (
            live_run.ended,
            live_run.not_stored,
            live_run.unfinished,
            live_run.failed,
            live_run.cancelled,
            background.ended,
        ):
            over.connect(self._after_end.start)
        window.may_close = self.may_close

    def may_close(self) -> bool:
        """Whether the window may close now; if not, the user is asked what to do with what is in progress."""
        if self._gives_up or not self._goes_on():
            return True
        if not self._deadline.isActive():
            self._ask()
        return False

    def stop_and_leave(self) -> None:
        """Stop the run in order, store it, cancel all other work, and close: for a termination signal."""
        self._gives_up_work = True
        self._stop_run_and_leave()

    def _goes_on(self) -> bool:
        return self._live_run.is_busy or (bool(self._background.named_work) and not self._gives_up_work)

    def _ask(self) -> None:
        self._drop_question()
        self._asks_about_run = self._live_run.is_busy
        names = self._background.named_work
        self._question = run_question(self._window) if self._asks_about_run else work_question(names, self._window)
        self._question.answered.connect(self._on_answer)
        self._question.open()

    def _on_answer(self, answer: ClosingAnswer) -> None:
        self._closes_at_end = answer is not ClosingAnswer.CANCEL
        match answer:
            case ClosingAnswer.STOP_AND_SAVE:
                self._stop_run_and_leave()
            case ClosingAnswer.KEEP_RUNNING:
                self._window.showMinimized()
            case ClosingAnswer.GIVE_UP:
                self._gives_up_work = True
        self._after_end.start()

    def _stop_run_and_leave(self) -> None:
        self._closes_at_end = True
        if self._live_run.is_busy:
            self._say("Stopping; the window closes when the run has been saved.")
            self._live_run.cancel()
            self._live_run.stop()
            self._deadline.start(_IN_ORDER_MS)
        else:
            self._after_end.start()

    def _on_end(self) -> None:
        """Something has ended; close, if that was waited for."""
        work = self._background.named_work
        if self._live_run.is_busy:
            return
        self._deadline.stop()
        if self._asks_about_run or not work:
            self._drop_question()
        if self._closes_at_end and not self._goes_on():
            self._window.close()
        elif self._closes_at_end and work != self._awaited:
            self._awaited = work
            self._say(f"The window will close after: {'; '.join(work)}.")

    def _drop_question(self) -> None:
        if self._question is not None:
            self._question.answered.disconnect(self._on_answer)  # closing the window cancels it
            self._question.close()
            self._question.deleteLater()
        self._question = None

    def _on_deadline(self) -> None:
        """Stopping in order took too long: stop at once; if that takes too long as well, close anyway."""
        if self._live_run.run is not None and self._deadline.interval() == _IN_ORDER_MS:
            self._live_run.stop(now=True)
            self._deadline.start(_AT_ONCE_MS)
        else:
            self._gives_up = True
            self._window.close()
