"""The access pattern with which fio reads and writes a file."""

from dataclasses import dataclass

RANDOM, SEQUENTIAL = "random", "sequential"
PATTERNS = (RANDOM, SEQUENTIAL)


@dataclass(frozen=True, kw_only=True)
class Access:
    """The I/Os of some threads on one file of ``file_mb`` MiB, each thread with ``queue_depth`` of them at a time.

    ``read_pct`` of the I/Os are reads, the others writes, each of ``block_kb`` KiB, at positions by the ``pattern``.
    ``cached`` uses the system's file cache; otherwise it is bypassed (O_DIRECT). With ``synced``, a write ends only
    when the device has it. ``engine`` is fio's I/O engine; if empty, the best that the machine has.
    """

    path: str
    file_mb: int
    threads: int = 1
    queue_depth: int = 1
    block_kb: int = 8
    read_pct: int = 100
    pattern: str = RANDOM
    cached: bool = False
    synced: bool = False
    engine: str = ""
    seed: int = 1

    @property
    def writes(self) -> bool:
        return self.read_pct < 100
