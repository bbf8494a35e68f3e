"""A buffer for a ledger's records, between a transaction's answer and the ledger's file, in the order of recording.

All users of a client process note their transactions here, between an answer and the next question: where there is a C
compiler, the compiled notes (``_notes.c``) take a sixth of the time. Called by ``engine.audit.ledger``, which has the
format.

Records go into a window: a part of the file that is mapped into memory. What stands there is the file's, and outlives
the process, however it ends. Without a window, or when it is full, records are held in memory until they are written.
"""

import struct
import threading
import time
from collections.abc import Callable
from mmap import mmap
from typing import Protocol

RECORD = struct.Struct("<QIIII")
_WORDS = struct.Struct("<IIIII")
_NUMBERS = struct.Struct("<QIII")


class Notes(Protocol):
    """Begins with the ledger's header. Safe from any thread; a number that a record has no room for is an error."""

    @property
    def end(self) -> int:
        """Where in the file the last of the records ends that are there."""
        ...

    @property
    def room(self) -> int:
        """How many bytes the window still has room for; 0 without one, and when its file takes no more."""
        ...

    @property
    def held_bytes(self) -> int:
        """How much is held in memory."""
        ...

    def keep_time(self, epoch: float, tick_seconds: float, clock: Callable[[], float] | None) -> None:
        """Set what ``note_now`` goes by: where the run's seconds begin on the ``clock``, and how long one lasts.

        Without a clock it is the system's, ``time.monotonic``.
        """
        ...

    def note(self, moment_ms: int, number: int, key: int, check: int) -> None:
        """Add a record."""
        ...

    def note_now(self, number: int, key: int, check: int) -> None:
        """Add a record of this moment, after ``keep_time``; a moment before the epoch counts as 0."""
        ...

    def take(self) -> bytearray:
        """What is held; the caller's own from now on."""
        ...

    def put_back(self, rest: bytearray) -> int:
        """Put the remainder of what was taken back, before newer records; returns how many bytes are held now."""
        ...

    def map(self, window: mmap | bytearray, begin: int) -> None:
        """Put what is held, and records from now on, into a window that begins at this byte of the file.

        Raises ``ValueError`` when it has no room for what is held, and ``OSError`` when it can't be written; then
        nothing has changed.
        """
        ...

    def unmap(self) -> None:
        """Let go of the window; records are held from now on."""
        ...

    def wrote(self, count: int) -> None:
        """So many bytes of what was taken are in the file now, at its end."""
        ...

    def give_up(self) -> None:
        """Discard all records from now on."""
        ...


def new_notes(header: bytes) -> Notes:
    """The better ones of those that there are."""
    try:
        from engine.audit import _notes
    except ImportError:
        return PlainNotes(header)
    return _notes.Notes(header)


def packed_record(moment_ms: int, number: int, key: int, check: int) -> bytes:
    """The four numbers and their checksum."""
    numbers = _NUMBERS.pack(moment_ms, number, key, check)
    return numbers + checksum_of(numbers).to_bytes(4, "little")


def checksum_of(numbers: bytes) -> int:
    """The checksum that detects torn or unwritten records: FNV-1a over words of 32 bits, never 0."""
    check = 2_166_136_261
    for word in _WORDS.unpack(numbers):
        check = (check ^ word) * 16_777_619 & 0xFFFFFFFF
    return check | 1


class PlainNotes:
    """Implements ``Notes``."""

    def __init__(self, header: bytes) -> None:
        self._lock = threading.Lock()
        self._held = bytearray(header)
        self._window: memoryview | None = None
        self._begin, self._end = 0, 0
        self._has_given_up = False
        self._clock: Callable[[], float] = time.monotonic
        self._epoch, self._tick_seconds = 0.0, 0.0  # which divides by zero before it is set

    @property
    def end(self) -> int:
        return self._end

    @property
    def room(self) -> int:
        window = self._window
        return 0 if window is None else self._begin + len(window) - self._end

    @property
    def held_bytes(self) -> int:
        return len(self._held)

    def keep_time(self, epoch: float, tick_seconds: float, clock: Callable[[], float] | None) -> None:
        self._epoch, self._tick_seconds, self._clock = epoch, tick_seconds, clock or time.monotonic

    def note(self, moment_ms: int, number: int, key: int, check: int) -> None:
        record = packed_record(moment_ms, number, key, check)
        with self._lock:
            if self._has_given_up:
                return
            if self.room >= len(record):
                self._put_into_window(record)
            else:
                self._held += record

    def note_now(self, number: int, key: int, check: int) -> None:
        second = (self._clock() - self._epoch) / self._tick_seconds
        self.note(max(0, int(second * 1000)), number, key, check)

    def take(self) -> bytearray:
        with self._lock:
            taken, self._held = self._held, bytearray()
        return taken

    def put_back(self, rest: bytearray) -> int:
        with self._lock:
            if not self._has_given_up:
                self._held = rest + self._held
            return len(self._held)

    def map(self, window: mmap | bytearray, begin: int) -> None:
        with self._lock:
            view = memoryview(window)
            if begin > self._end or self._end - begin + len(self._held) > len(view):
                raise ValueError("the window has no room for what is held")
            self._let_go()
            self._window, self._begin = view, begin
            self._put_into_window(self._held)
            self._held = bytearray()

    def unmap(self) -> None:
        with self._lock:
            self._let_go()

    def wrote(self, count: int) -> None:
        self._end += count

    def give_up(self) -> None:
        with self._lock:
            self._has_given_up = True
            self._held = bytearray()

    def _put_into_window(self, data: bytes | bytearray) -> None:
        assert self._window is not None
        at = self._end - self._begin
        self._window[at : at + len(data)] = data
        self._end += len(data)

    def _let_go(self) -> None:
        window, self._window = self._window, None
        if window is not None:
            window.release()
