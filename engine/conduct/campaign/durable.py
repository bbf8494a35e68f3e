"""A journal that is written in spite of a library that is locked or full for a while."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from engine.campaign.journal import EntryState, Journal, JournalEntry
from engine.conduct.campaign.stopping import Clock, Stopping
from engine.errors import UserError

_PATIENCE_SECONDS = 60.0
_AGAIN_SECONDS = 2.0
_ASK_SECONDS = 1.0
_Result = TypeVar("_Result")


class JournalLost(Exception):  # noqa: N818 - what has happened, as its sentence says
    """The journal could not be written, so that the campaign can't go on; what was measured is kept."""


class DurableJournal:
    """The journal of a campaign whose calls are repeated for a minute while the library can't be written.

    Raises ``JournalLost`` after that, or when the user wants to stop.
    """

    def __init__(self, journal: Journal, clock: Clock, stopping: Stopping) -> None:
        self._journal = journal
        self._clock = clock
        self._stopping = stopping
        self._asked_at = float("-inf")

    def entries(self) -> Sequence[JournalEntry]:
        return self._patiently(self._journal.entries)

    def begin(self, path: str, kind: str, title: str, data: Mapping[str, Any]) -> JournalEntry:
        return self._patiently(lambda: self._journal.begin(path, kind, title, data))

    def note(
        self, path: str, kind: str, title: str, data: Mapping[str, Any], *, state: EntryState, reason: str
    ) -> JournalEntry:
        return self._patiently(lambda: self._journal.note(path, kind, title, data, state=state, reason=reason))

    def set_run(self, number: int, run_id: str) -> None:
        self._patiently(lambda: self._journal.set_run(number, run_id))

    def end(self, number: int, state: EntryState, reason: str = "", data: Mapping[str, Any] | None = None) -> None:
        self._patiently(lambda: self._journal.end(number, state, reason, data))

    def is_stop_requested(self) -> bool:
        """Asks the library at most once a second; one that can't be read requests nothing."""
        now = self._clock.monotonic()
        if now - self._asked_at < _ASK_SECONDS:
            return False
        self._asked_at = now
        try:
            return self._journal.is_stop_requested()
        except UserError:
            return False

    def _patiently(self, call: Callable[[], _Result]) -> _Result:
        until = self._clock.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                return call()
            except UserError as error:
                if self._clock.monotonic() >= until or self._stopping.is_asked():
                    raise JournalLost(f"The journal can't be written: {error}") from error
                self._clock.wait(_AGAIN_SECONDS)
