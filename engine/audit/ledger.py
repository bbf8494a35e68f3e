"""A client's ledger: every order that the server acknowledged and every purchase in doubt, in a file of its own.

The client process adds to the ledger's notes as its users go, and writes them out each second. Nothing heavy is
imported here. ``engine.audit.ledger_reading`` reads the files; ``engine.audit.ledger_files`` says where they are.

The format: ``HEADER`` (the magic, the format's version, the client's number, how many bytes the run's id has), the
run's id in UTF-8, then records of ``RECORD``: milliseconds since the run's epoch, order id, customer id, net amount in
cents. A record without an order id is a purchase in doubt; the one that is nothing but a time closes the ledger. All
numbers are little-endian. A file that was torn by the death of its process holds whole records up to its last.
"""

import os
import struct
import time
from collections.abc import Callable
from pathlib import Path

from engine.audit.notes import RECORD as RECORD
from engine.audit.notes import Notes, new_notes

HEADER = struct.Struct("<8sHHH")
MAGIC = b"SPINDLEL"
FORMAT = 1
NO_ORDER = 0
MOST_HELD_BYTES = 32_000_000
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def packed_header(run_id: str, client: int) -> bytes:
    """What a ledger begins with."""
    name = run_id.encode()
    return HEADER.pack(MAGIC, FORMAT, client, len(name)) + name


class Ledger:
    """The ledger of one client, written to ``path``, whose folder is named for the run.

    ``acknowledged`` and ``in_doubt`` are for any thread, at moments in milliseconds since the run's epoch; ``flush``
    and ``close`` for one alone. A file that can't be written stops nobody: what it lacks is kept and tried again, up
    to ``MOST_HELD_BYTES``.
    """

    def __init__(self, path: str, client: int) -> None:
        self._path = Path(path)
        self._notes = new_notes(packed_header(self._path.parent.name, client))
        self._file: int | None = None
        self._trouble = ""
        self._gave_up = False

    def timed(self, epoch: float, tick_seconds: float, clock: Callable[[], float]) -> Notes:
        """The notes, which go by this clock from now on: for what is noted as it happens."""
        self._notes.keep_time(epoch, tick_seconds, None if clock is time.monotonic else clock)
        return self._notes

    def note(self, moment_ms: int, order: int, customer: int, net_cents: int) -> None:
        """Note an order that the server has said is placed; of a purchase in doubt ``NO_ORDER``."""
        self._notes.note(moment_ms, order, customer, net_cents)

    def flush(self) -> str | None:
        """Write what was noted since the last time. A sentence when the file begins to fail, and when it is well again;
        ``None`` when there is nothing new to say."""
        noted = self._notes.take()
        trouble = self._write(noted)
        return self._changed(trouble, held_bytes=self._notes.put_back(noted))

    def close(self, moment_ms: int, *, complete: bool) -> str | None:
        """Write the rest, and that it is all when it is ``complete``; says what ``flush`` says."""
        if complete:
            self.note(moment_ms, NO_ORDER, 0, 0)
        said = self.flush()
        if self._file is not None:
            os.close(self._file)
            self._file = None
        return said

    def _write(self, noted: bytearray) -> str:
        """Take off ``noted`` what the file takes; why it does not take the rest."""
        try:
            if self._file is None and noted:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._file = os.open(self._path, _NEW_FILE, 0o600)
            while noted and self._file is not None:
                # A full disk may take a part: the next try begins at the byte that follows.
                del noted[: os.write(self._file, noted)]
        except OSError as error:
            return error.strerror or type(error).__name__
        return ""

    def _changed(self, trouble: str, *, held_bytes: int) -> str | None:
        """What there is to say now; gives up when too much is held."""
        before, self._trouble = self._trouble, trouble
        if self._gave_up:
            return None
        if trouble and held_bytes > MOST_HELD_BYTES:
            self._gave_up = True
            self._notes.give_up()
            return f"the order ledger is given up ({trouble}); the audit will lack what is ordered from now on"
        if trouble and not before:
            return f"the order ledger can't be written ({trouble}); it is kept in memory and tried again"
        return "the order ledger is written again" if before and not trouble else None
