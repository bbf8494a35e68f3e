"""The result of a program that measures storage, as far as the program prints it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.record.totals import NO_TIMES, ResponseTimes


@dataclass(frozen=True, kw_only=True)
class Done:
    """What was done of a kind, all I/Os, reads or writes: their number, their bytes and their latencies."""

    ios: int
    bytes: int | None = None
    times: ResponseTimes = NO_TIMES


@dataclass(frozen=True, kw_only=True)
class StorageResult:
    """A result; ``None`` is what the file does not say.

    ``program`` is its name with its version. ``pattern`` is ``random`` or ``sequential``, ``read_pct`` the share of
    reads as it was asked for. ``done`` has all I/Os by their id, and reads and writes where they are told apart.
    ``iops_by_second`` are the I/Os of each second where the file has them. ``notes`` are sentences on what has to be
    known to compare the result; ``settings`` are those of the program, by its own names.
    """

    program: str
    seconds: float
    done: Mapping[str, Done]
    path: str = ""
    threads: int | None = None
    queue_depth: int | None = None
    block_bytes: int | None = None
    file_mb: int | None = None
    pattern: str | None = None
    read_pct: int | None = None
    warmup_seconds: int | None = None
    iops_by_second: Sequence[float] = ()
    notes: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
