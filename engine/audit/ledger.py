"""A client's ledger: every transaction that the server acknowledged or that is in doubt, in a file of its own.

It is of the transactions that the workload has recorded, such as the orders of the DVD Store: three whole numbers each,
the number that the server gave it, a key, and a check (``engine.workload.tally``).

The client process adds records while its users are at work. Nothing heavy is imported here.
``engine.audit.ledger_reading`` reads the files; ``engine.audit.ledger_files`` says where they are.

Where the system can preallocate room in a file (Linux, FreeBSD), records are written into that room through a memory
mapping: they survive a killed process. Elsewhere, and on a full disk, they are held in memory and written each second.

The format: ``HEADER`` (the magic, the format's version, the client's number, how many bytes the run's id has), the
run's id in UTF-8, then records of ``RECORD``: milliseconds since the run's epoch, number, key, check, and the checksum
of these (``engine.audit.notes.checksum_of``). A record without a number is a transaction in doubt; one without a key as
well is an ``End``, which stands in the place of the check. All numbers are little-endian. What follows the last record
that has its checksum was never written: a file whose process was killed has room for records behind its last, in which
there are zeros.
"""

import errno
import mmap
import os
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

from engine.audit.ledger_overflow import write_overflow
from engine.audit.notes import RECORD as RECORD
from engine.audit.notes import Notes, new_notes
from engine.telemetry.event import EventCode

HEADER = struct.Struct("<8sHHH")
MAGIC = b"SPINDLEL"
FORMAT = 2
NO_NUMBER = 0
MOST_HELD_BYTES = 32_000_000
WINDOW_BYTES = 262_144
_NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)
_POPULATE_WRITE = 23  # Linux 5.14: give the mapping its pages now, and an error instead of a signal when it can't


class End(IntEnum):
    """Why nothing follows in a ledger."""

    COMPLETE = 0
    """The client has recorded everything that its users did."""
    CUT = 1
    """The client was killed: the outcome of transactions then in progress is unknown."""
    HUNG = 2
    """Users hung in a call when the client ended."""


def packed_header(run_id: str, client: int) -> bytes:
    """The header of a ledger."""
    name = run_id.encode()
    return HEADER.pack(MAGIC, FORMAT, client, len(name)) + name


class LedgerWarning(NamedTuple):
    """A change in how a ledger is kept: the code of its event, and the sentence for its label."""

    code: EventCode
    text: str


class Ledger:
    """The ledger of one client, written to ``path``, whose folder is named for the run.

    ``note`` and the notes of ``timed`` may be called from any thread, with moments in milliseconds since the run's
    epoch; the other methods from one thread only. If the file can't be written, the run continues: records are kept in
    memory and written later, up to ``MOST_HELD_BYTES``.
    """

    def __init__(self, path: str, client: int) -> None:
        self._path = Path(path)
        self._client = client
        self._notes = new_notes(packed_header(self._path.parent.name, client))
        self._file: int | None = None
        self._maps = hasattr(os, "posix_fallocate")
        self._window_bytes = WINDOW_BYTES
        self._trouble = ""
        self._is_full = False
        self._gave_up = False

    def timed(self, epoch: float, tick_seconds: float, clock: Callable[[], float]) -> Notes:
        """The records, which use this clock from now on: for recording transactions as they happen."""
        self._notes.keep_time(epoch, tick_seconds, None if clock is time.monotonic else clock)
        return self._notes

    def note(self, moment_ms: int, number: int, key: int, check: int) -> None:
        """Record a transaction that the server has acknowledged; ``NO_NUMBER`` for one in doubt."""
        self._notes.note(moment_ms, number, key, check)

    def flush(self) -> LedgerWarning | None:
        """Write all records to the file and make room in it for new ones. To be called each second.

        News when the file begins to fail, and when it can be written again; ``None`` when nothing has changed.
        """
        try:
            self._open()
            self._make_room()
            trouble, self._is_full = "", False
        except OSError as error:
            trouble, self._is_full = error.strerror or str(error), error.errno in _NO_ROOM
        return self._changed(trouble)

    def cut(self, moment_ms: int) -> None:
        """The process ends now, whatever its users are at."""
        self.note(moment_ms, NO_NUMBER, 0, End.CUT)
        self.flush()
        self._write_elsewhere()

    def close(self, moment_ms: int, end: End) -> LedgerWarning | None:
        """Write the rest and the end, elsewhere if need be; returns what ``flush`` does, or where the rest is."""
        self.note(moment_ms, NO_NUMBER, 0, end)
        warning = self.flush()
        self._notes.unmap()
        warning = self._write_elsewhere() or warning
        if self._file is not None:
            with suppress(OSError):  # room that was not needed may stay
                os.ftruncate(self._file, self._notes.end)
            os.close(self._file)
            self._file = None
        return warning

    def _write_elsewhere(self) -> LedgerWarning | None:
        """Put what the disk has not taken by the end where there is room."""
        if not (self._is_full and self._notes.held_bytes):
            return None
        noted = self._notes.take()
        header, end = packed_header(self._path.parent.name, self._client), self._notes.end
        begun = b""
        if end >= len(header) and self._file is not None:
            of_record = (end - len(header)) % RECORD.size
            os.lseek(self._file, end - of_record, os.SEEK_SET)
            begun = os.read(self._file, of_record)
        place = write_overflow(self._path, header + begun + noted[max(0, len(header) - end) :])
        if place is None:
            lost = "what the ledger lacks is lost: there is no room for it anywhere"
            return LedgerWarning(EventCode.LEDGER_LOST, lost)
        return LedgerWarning(EventCode.LEDGER_KEPT_ELSEWHERE, f"what the ledger lacks is kept in {place}")

    def _open(self) -> None:
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self._path, _NEW_FILE, 0o600)

    def _make_room(self) -> None:
        """Map the next part of the file well before the present one is full; else write what is held."""
        if self._maps and self._notes.room < self._window_bytes // 2:
            try:
                self._map()
            except OSError as error:
                self._maps = error.errno in _NO_ROOM  # which may come; a file system that can't map never will
        if self._notes.held_bytes or not self._notes.room:
            self._notes.unmap()
            self._write()

    def _map(self) -> None:
        """Allocate room in the file and have the notes put into it. Raises ``OSError``."""
        assert self._file is not None
        if held := self._notes.held_bytes:  # more was noted in a second than a window has room for
            self._window_bytes = max(self._window_bytes, 4 * held)
        begin = self._notes.end // mmap.ALLOCATIONGRANULARITY * mmap.ALLOCATIONGRANULARITY
        end = self._notes.end + self._window_bytes
        os.posix_fallocate(self._file, self._notes.end, end - self._notes.end)
        window = mmap.mmap(self._file, end - begin, offset=begin)
        _populate(window)
        with suppress(ValueError):  # noted meanwhile; the next one is larger
            self._notes.map(window, begin)

    def _write(self) -> None:
        """Write what is held at the file's end. Raises ``OSError``."""
        assert self._file is not None
        noted = self._notes.take()
        try:
            os.lseek(self._file, self._notes.end, os.SEEK_SET)
            while noted:
                # A full disk may take a part: the next try begins at the byte that follows.
                written = os.write(self._file, noted)
                self._notes.wrote(written)
                del noted[:written]
        finally:
            self._notes.put_back(noted)

    def _changed(self, trouble: str) -> LedgerWarning | None:
        """What is new; gives up when too much is held."""
        before, self._trouble = self._trouble, trouble
        if self._gave_up:
            return None
        if trouble and self._notes.held_bytes > MOST_HELD_BYTES:
            self._gave_up = True
            self._notes.give_up()
            given_up = f"the ledger is given up ({trouble}); the audit will lack what is ordered from now on"
            return LedgerWarning(EventCode.LEDGER_GIVEN_UP, given_up)
        if trouble and not before:
            unwritten = f"the ledger can't be written ({trouble}); it is kept in memory and tried again"
            return LedgerWarning(EventCode.LEDGER_UNWRITTEN, unwritten)
        is_well_again = before and not trouble
        return LedgerWarning(EventCode.LEDGER_WRITTEN, "the ledger is written again") if is_well_again else None


def _populate(window: mmap.mmap) -> None:
    """Have the system give every page now. Raises ``OSError`` when it has none; an older system isn't asked."""
    if sys.platform != "linux":
        return
    try:
        window.madvise(_POPULATE_WRITE)
    except OSError as error:
        if error.errno == errno.EFAULT:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
