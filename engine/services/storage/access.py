"""How a file is read and written: what is asked of fio."""

from dataclasses import dataclass

RANDOM, SEQUENTIAL = "random", "sequential"
PATTERNS = (RANDOM, SEQUENTIAL)


@dataclass(frozen=True, kw_only=True)
class Access:
    """The I/Os of some threads on one file of ``file_mb`` MiB, each thread with ``queue_depth`` of them at a time.

    ``read_pct`` of the I/Os are reads, the others writes, of ``block_kb`` KiB at places by the ``pattern``. ``cached``
    lets the system's file cache answer; otherwise it is avoided (O_DIRECT). With ``synced``, a write has ended only
    when the device has it. ``engine`` is fio's I/O engine; empty is the best that the machine has.
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
