"""Brings what the embedded lab does of its own accord into a run: who died, who was promoted, and when.

Called by the conductor, for runs on a lab of several nodes.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from typing import Protocol

from engine.errors import UserError
from engine.lab.news import LabNews, NewsKind
from engine.telemetry.event import EventKind

_log = logging.getLogger(__name__)
_POLL_SECONDS = 0.2
_JOIN_SECONDS = 10.0
_DONE_BY_THE_LAB = (NewsKind.FENCED, NewsKind.PROMOTED, NewsKind.REJOINED, NewsKind.PROTECTED)


class Notes(Protocol):
    """Where the news go: a run."""

    def add_injection(self, label: str, detail: str = "", *, at_monotonic: float, is_fault: bool = True) -> int: ...

    def add_event(self, kind: EventKind, label: str, *, at_monotonic: float | None = None) -> None: ...


class LabWatch:
    """Asks for ``news`` until it is stopped, on a thread of its own. What the lab did is an injection that is no fault:
    it answers one."""

    def __init__(self, news: Callable[[], Iterable[LabNews]], notes: Notes) -> None:
        self._news = news
        self._notes = notes
        self._since = 0.0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="lab-watch", daemon=True)

    def start(self) -> None:
        """Begin; what the lab did before, such as its own set-up, is no news of the run."""
        self._since = time.monotonic()
        self._thread.start()

    def stop(self) -> None:
        """Take what there is still to tell, and end. More than once is fine."""
        self._stopping.set()
        self._thread.join(_JOIN_SECONDS)

    def _watch(self) -> None:
        try:
            while not self._stopping.wait(_POLL_SECONDS):
                self._tell()
            self._tell()
        except UserError:
            return  # the run is over: what the lab still does is not its own any more
        except Exception:
            _log.exception("the lab's news end here")

    def _tell(self) -> None:
        for news in self._news():
            if news.at_monotonic < self._since:
                continue
            if news.kind in _DONE_BY_THE_LAB:
                detail = f"by the lab's supervisor; {news.kind.value} {news.node}".rstrip()
                self._notes.add_injection(news.text, detail, at_monotonic=news.at_monotonic, is_fault=False)
            else:
                self._notes.add_event(EventKind.WARNING, news.text, at_monotonic=news.at_monotonic)
