"""pgbench's log of transactions (``-l``): what each of a client's transactions was, and how long it took.

The format is described in PostgreSQL's documentation of pgbench, "Per-Transaction Logging": client, transaction,
microseconds, script, seconds and microseconds of the end, tries beyond the first. The log does not say what a
transaction was; where a script does one thing after the other in its transactions, its reader knows by their order.
"""

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_CLIENT, _TIME, _SECONDS, _MICROSECONDS = 0, 2, 4, 5


@dataclass(frozen=True, kw_only=True)
class Times:
    """Response times in milliseconds."""

    count: int
    mean_ms: float
    p50_ms: float
    p99_ms: float


@dataclass(frozen=True, kw_only=True)
class Logged:
    """One transaction: whose it was, what it did, its microseconds, and when it ended, by the wall clock."""

    client: int
    name: str
    us: int
    ended_at: float


def read_logs(folder: Path, names_of: Callable[[int], Iterator[str]]) -> list[Logged]:
    """All transactions, each client's in order.

    ``folder`` holds the logs of one pgbench, one of each of its threads; ``names_of`` says what a client's first and
    every further transaction was.
    """
    lines = [line for file in sorted(folder.glob("pgbench_log.*")) for line in file.read_text().splitlines()]
    return named(lines, names_of)


def named(lines: Sequence[str], names_of: Callable[[int], Iterator[str]]) -> list[Logged]:
    """``read_logs`` of their lines; raises ``ValueError`` for a transaction that failed."""
    names: dict[int, Iterator[str]] = {}
    logged = []
    for line in lines:
        fields = line.split()
        client = int(fields[_CLIENT])
        name = next(names.setdefault(client, names_of(client)))
        moment = int(fields[_SECONDS]) + int(fields[_MICROSECONDS]) / 1e6
        logged.append(Logged(client=client, name=name, us=int(fields[_TIME]), ended_at=moment))
    return logged


def within(logged: Sequence[Logged], begin: float, end: float) -> list[Logged]:
    """Those that ended in a span; raises ``ValueError`` when the log does not cover it."""
    moments = [each.ended_at for each in logged]
    if not moments or min(moments) > begin or max(moments) < end:
        raise ValueError("pgbench did not work for all of the counted seconds")
    return [each for each in logged if begin <= each.ended_at < end]


def times_of(microseconds: Sequence[int]) -> Times:
    """Mean and percentiles; a percentile is the smallest time that so many of a hundred do not exceed."""
    ordered = sorted(microseconds)
    return Times(
        count=len(ordered),
        mean_ms=statistics.fmean(ordered) / 1000,
        p50_ms=_percentile(ordered, 50) / 1000,
        p99_ms=_percentile(ordered, 99) / 1000,
    )


def _percentile(ordered: Sequence[int], percent: float) -> int:
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)]
