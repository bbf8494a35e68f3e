"""What a ledger holds in memory until it is written: its records, in the order in which they were noted.

All users of a client process note their orders here, between an answer and the next question: where there is a C
compiler, the compiled notes (``_notes.c``) take a sixth of the time. Called by ``engine.audit.ledger``, which tells the
format.
"""

import struct
import threading
import time
from collections.abc import Callable
from typing import Protocol

RECORD = struct.Struct("<QIII")


class Notes(Protocol):
    """Begins with the ledger's header. Safe from any thread; a number that a record has no room for is an error."""

    def keep_time(self, epoch: float, tick_seconds: float, clock: Callable[[], float] | None) -> None:
        """Tell what ``note_now`` goes by: where the run's seconds begin on the ``clock``, and how long one lasts.

        Without a clock it is the system's, ``time.monotonic``.
        """
        ...

    def note(self, moment_ms: int, order: int, customer: int, net_cents: int) -> None:
        """Add a record."""
        ...

    def note_now(self, order: int, customer: int, net_cents: int) -> None:
        """Add a record of this moment; needs to have been told the time. What is before the epoch is at 0."""
        ...

    def take(self) -> bytearray:
        """What was noted since the last call; the caller's own from now on."""
        ...

    def put_back(self, rest: bytearray) -> int:
        """Hold the rest of what was taken, before all that was noted meanwhile; how many bytes are held now."""
        ...

    def give_up(self) -> None:
        """Hold nothing any more, whatever is noted."""
        ...


def new_notes(header: bytes) -> Notes:
    """The better ones of those that there are."""
    try:
        from engine.audit import _notes
    except ImportError:
        return PlainNotes(header)
    return _notes.Notes(header)


class PlainNotes:
    """Fulfils ``Notes``."""

    def __init__(self, header: bytes) -> None:
        self._lock = threading.Lock()
        self._held = bytearray(header)
        self._has_given_up = False
        self._clock: Callable[[], float] = time.monotonic
        self._epoch, self._tick_seconds = 0.0, 0.0  # which divides by nothing until it is told

    def keep_time(self, epoch: float, tick_seconds: float, clock: Callable[[], float] | None) -> None:
        self._epoch, self._tick_seconds, self._clock = epoch, tick_seconds, clock or time.monotonic

    def note(self, moment_ms: int, order: int, customer: int, net_cents: int) -> None:
        record = RECORD.pack(moment_ms, order, customer, net_cents)
        with self._lock:
            if not self._has_given_up:
                self._held += record

    def note_now(self, order: int, customer: int, net_cents: int) -> None:
        second = (self._clock() - self._epoch) / self._tick_seconds
        self.note(max(0, int(second * 1000)), order, customer, net_cents)

    def take(self) -> bytearray:
        with self._lock:
            taken, self._held = self._held, bytearray()
        return taken

    def put_back(self, rest: bytearray) -> int:
        with self._lock:
            if not self._has_given_up:
                self._held = rest + self._held
            return len(self._held)

    def give_up(self) -> None:
        with self._lock:
            self._has_given_up = True
            self._held = bytearray()
