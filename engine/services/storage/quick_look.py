"""A quick look at a disk of this machine without fio and diskspd, which is no measurement.

One thread does 8K reads, then 8K writes, one at a time at random places of a small file, for a few seconds each. A disk
does more with several I/Os outstanding, and a small file may fit into the device's cache.
"""

import mmap
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from engine.errors import BadInput, UserError
from engine.figure_text import listed, milliseconds, whole
from engine.services.storage.checks import check_place, check_room, facts_of, remarks_on
from engine.services.storage.place import Place

SECONDS, FILE_MB = 3.0, 64
_BLOCK, _MB = 8192, 1024 * 1024
_NS = 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class QuickLook:
    """Reads and writes a second of one thread, and their mean times in milliseconds.

    ``is_direct``: the system's file cache was bypassed. ``remarks`` are sentences on the file system.
    """

    folder: str
    reads_per_second: float
    read_ms: float
    writes_per_second: float
    write_ms: float
    seconds: float
    file_mb: int
    is_direct: bool
    remarks: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        cache = "" if self.is_direct else ", through the file cache"
        remarks = f" Note that {listed(self.remarks)}." if self.remarks else ""
        return (
            f"A quick look at {self.folder}, which is no measurement (one thread, one 8K I/O at a time,"
            f" {self.seconds:g} s each, a file of {self.file_mb} MB{cache}): {whole(self.reads_per_second)} reads/s,"
            f" {milliseconds(self.read_ms)} ms each; {whole(self.writes_per_second)} writes/s,"
            f" {milliseconds(self.write_ms)} ms each.{remarks}"
        )


def quick_look(folder: str, *, seconds: float = SECONDS, file_mb: int = FILE_MB) -> QuickLook:
    """Take a quick look at the disk of a folder; takes twice ``seconds`` and the time to write the file.

    The file has no name while it is used, so it disappears even if this process is killed. Raises ``UserError``.
    """
    if not hasattr(os, "preadv"):
        raise UserError("there is no quick look on this system; install fio, or diskspd.")
    if not Path(folder).is_dir():
        raise BadInput(f"{folder} is no folder on this machine; name one.")
    path = Path(folder) / f"spindle-look-{uuid4().hex[:8]}"
    here, name = Place(), str(path)
    facts = facts_of(here, name)
    check_place(facts, here, name)
    check_room(facts, here, name, file_mb)
    try:
        descriptor, is_direct = _opened(path)
        try:
            path.unlink()
            _fill(descriptor, file_mb)
            places = random.Random(1)
            with mmap.mmap(-1, _BLOCK) as block:  # begins at a page, as O_DIRECT requires
                reads, read_ns = _timed(lambda at: os.preadv(descriptor, [block], at), places, seconds, file_mb)
                block.write(os.urandom(_BLOCK))
                writes, write_ns = _timed(lambda at: os.pwritev(descriptor, [block], at), places, seconds, file_mb)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise UserError(f"{folder} can't be looked at ({error.strerror or error}); give another folder.") from error
    return QuickLook(
        folder=folder,
        reads_per_second=_NS * reads / read_ns,
        read_ms=read_ns / reads / 1_000_000,
        writes_per_second=_NS * writes / write_ns,
        write_ms=write_ns / writes / 1_000_000,
        seconds=seconds,
        file_mb=file_mb,
        is_direct=is_direct,
        remarks=remarks_on(facts),
    )


def _opened(path: Path) -> tuple[int, bool]:
    """Open the new file, bypassing the file cache if the file system can."""
    flags, direct = os.O_RDWR | os.O_CREAT | os.O_EXCL, getattr(os, "O_DIRECT", 0)
    try:
        return os.open(path, flags | direct, 0o600), bool(direct)
    except OSError:
        path.unlink(missing_ok=True)
        return os.open(path, flags, 0o600), False


def _fill(descriptor: int, file_mb: int) -> None:
    """Write the whole file with incompressible data."""
    with mmap.mmap(-1, _MB) as chunk:
        for number in range(file_mb):
            chunk.seek(0)
            chunk.write(os.urandom(_MB))
            os.pwritev(descriptor, [chunk], number * _MB)
    os.fsync(descriptor)


def _timed(do: Callable[[int], int], places: random.Random, seconds: float, file_mb: int) -> tuple[int, int]:
    """Do I/Os at random blocks for some time; returns their number and the nanoseconds that they took."""
    blocks, done = file_mb * _MB // _BLOCK, 0
    began = time.perf_counter_ns()
    end = began + round(seconds * _NS)
    while (now := time.perf_counter_ns()) < end or not done:
        do(places.randrange(blocks) * _BLOCK)
        done += 1
    return done, now - began
