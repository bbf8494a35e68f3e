"""Asking a source at fixed intervals.

A question may take longer than the interval, as those to management controllers do. It is asked in a thread of its own,
so that the source can be stopped meanwhile; the intervals that passed in the meantime are a gap.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Protocol

from engine.collect.source import SourceReading

_log = logging.getLogger(__name__)
# How often the wait for an answer looks whether it is to stop.
_LOOK_SECONDS = 0.25
# What is left of the second in which a source has to stop, for closing what it has open.
_CLOSE_SECONDS = 0.5


class Reader(Protocol):
    """Reads one machine; it connects when it is first asked."""

    def read(self) -> SourceReading | None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class PolledSource:
    """A ``Source`` that is asked at intervals; ``open_reader`` gets the event that stops the readings."""

    name: str
    interval_seconds: float
    open_reader: Callable[[threading.Event], Reader]
    is_average: bool = False

    def readings(self, stop: threading.Event) -> Generator[SourceReading, None, None]:
        reader = self.open_reader(stop)
        return poll(reader.read, self.interval_seconds, stop, close=reader.close)


def poll(
    ask: Callable[[], SourceReading | None],
    interval_seconds: float,
    stop: threading.Event,
    *,
    close: Callable[[], None] = lambda: None,
) -> Generator[SourceReading, None, None]:
    """Yield what ``ask`` returns, ``interval_seconds`` apart on the monotonic clock, until ``stop`` is set.

    ``ask`` returns ``None`` when there is no reading yet, such as the first of a rate. It must end by a time-out of its
    own: after a stop it is left to end by itself. The question after a late answer waits for the next multiple of the
    interval, so that no burst follows. What ``ask`` raises is raised here. ``close`` frees what ``ask`` has opened, in
    the same thread.
    """
    asker = _Asker(ask, close)
    due = time.monotonic()
    try:
        while not stop.wait(max(0.0, due - time.monotonic())):
            reading = asker.answer(stop)
            if reading is not None:
                yield reading
            passed = time.monotonic() - due
            due += interval_seconds * (passed // interval_seconds + 1)
    finally:
        asker.end()


class _Asker:
    """The thread that asks; one question at a time."""

    def __init__(self, ask: Callable[[], SourceReading | None], close: Callable[[], None]) -> None:
        self._ask = ask
        self._close = close
        self._questions: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[SourceReading | Exception | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="source-asker", daemon=True)
        self._thread.start()

    def answer(self, stop: threading.Event) -> SourceReading | None:
        """Ask, and wait for the answer; ``None`` also when ``stop`` is set before it has come."""
        self._questions.put(True)
        while not stop.is_set():
            try:
                answer = self._answers.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                continue
            if isinstance(answer, Exception):
                raise answer
            return answer
        return None

    def end(self) -> None:
        self._questions.put(False)
        self._thread.join(_CLOSE_SECONDS)

    def _run(self) -> None:
        try:
            while self._questions.get():
                self._answers.put(self._answered())
        finally:
            try:
                self._close()
            except Exception:
                _log.exception("what a source had opened could not be closed")

    def _answered(self) -> SourceReading | Exception | None:
        try:
            return self._ask()
        except Exception as error:  # raised where the answer is awaited
            return error
