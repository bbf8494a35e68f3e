"""Runs slow work of the window on threads, with progress and cancellation; results are delivered on the main thread."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from engine.errors import Cancelled

_MOST_AT_ONCE = 6
_log = logging.getLogger(__name__)
T = TypeVar("T")


def _ignore(*_: Any) -> None:
    """The default callback."""


class Job(Generic[T]):
    """One piece of slow work; the work is called with it, reports progress and polls ``cancelled``.

    ``name`` describes work that the user asked for; other work has none.
    """

    def __init__(self, background: "Background", name: str = "") -> None:
        self.name = name
        self._background = background
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self._progress: tuple[str, float] | None = None

    def report_progress(self, doing: str, share: float) -> None:
        """Report what is being done and the share done (0 to 1); called on the work's thread."""
        with self._lock:
            was_waiting, self._progress = self._progress is not None, (doing, share)
        if not was_waiting:
            self._background.post(self._deliver_progress)

    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Ask the work to end; it raises ``engine.errors.Cancelled``."""
        self._cancelled.set()

    progressed: Callable[[str, float], None] = staticmethod(_ignore)

    def _deliver_progress(self) -> None:
        with self._lock:
            progress, self._progress = self._progress, None
        if progress is not None:
            self.progressed(*progress)


class Background(QObject):
    """Starts work and delivers its result. There is one instance, created on the main thread.

    ``fault`` is called with every exception for which no ``failed`` was given. ``ended`` is emitted whenever work has
    ended.
    """

    ended = Signal()
    _posted = Signal(object)

    def __init__(self, parent: QObject | None = None, *, fault: Callable[[BaseException], None]) -> None:
        super().__init__(parent)
        self._fault = fault
        self._pool = ThreadPoolExecutor(_MOST_AT_ONCE, thread_name_prefix="background")
        self._running: dict[Job[Any], Future[None]] = {}
        self._closed = False
        self._posted.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def start(
        self,
        work: Callable[[Job[T]], T],
        *,
        done: Callable[[T], None] = _ignore,
        failed: Callable[[BaseException], None] | None = None,
        progressed: Callable[[str, float], None] = _ignore,
        cancelled: Callable[[], None] = _ignore,
        name: str = "",
    ) -> Job[T]:
        """Start ``work``; exactly one of ``done``, ``failed`` and ``cancelled`` is called later, on the main thread.

        With a ``name``, such as "exporting 3 runs", closing the window asks the user first. After ``close`` nothing is
        started or called.
        """
        job: Job[T] = Job(self, name)
        job.progressed = progressed
        if self._closed:
            job.cancel()
            return job
        self._running[job] = self._pool.submit(self._run, job, work, done, failed or self._fault, cancelled)
        return job

    @property
    def is_idle(self) -> bool:
        return not self._running

    @property
    def named_work(self) -> list[str]:
        """The names of running work that has one, in the order of their start."""
        return [job.name for job in self._running if job.name]

    def post(self, call: Callable[[], None]) -> None:
        """Call something on the main thread soon; may be called on any thread."""
        self._posted.emit(call)

    def close(self, timeout_seconds: float) -> bool:
        """Cancel all work and wait for it; returns whether all of it ended. No callback is called any more."""
        self._closed = True
        for job in self._running:
            job.cancel()
        self._posted.disconnect(self._deliver)
        _, left = wait(list(self._running.values()), timeout_seconds)
        self._pool.shutdown(wait=False, cancel_futures=True)
        return not left

    def _run(
        self,
        job: Job[T],
        work: Callable[[Job[T]], T],
        done: Callable[[T], None],
        failed: Callable[[BaseException], None],
        cancelled: Callable[[], None],
    ) -> None:
        """Runs on a pool thread; every outcome is posted to the main thread."""
        try:
            result = work(job)
        except Cancelled:
            self.post(lambda: self._finish(job, cancelled))
        except Exception as error:
            trouble = error
            self.post(lambda: self._finish(job, lambda: failed(trouble)))
        else:
            self.post(lambda: self._finish(job, lambda: done(result)))

    def _finish(self, job: Job[Any], call: Callable[[], None]) -> None:
        self._running.pop(job, None)
        call()
        self.ended.emit()

    def _deliver(self, call: Callable[[], None]) -> None:
        call()
