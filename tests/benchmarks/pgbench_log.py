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
    """One transaction: whose it was, what it did, and its microseconds."""

    client: int
    name: str
    us: int


def read_logs(folder: Path, names_of: Callable[[int], Iterator[str]], warmup_seconds: float) -> list[Logged]:
    """All transactions but those that ended in the first seconds, each client's in order.

    ``folder`` holds the logs of one pgbench, one of each of its threads; ``names_of`` says what a client's first and
    every further transaction was.
    """
    lines = [line for file in sorted(folder.glob("pgbench_log.*")) for line in file.read_text().splitlines()]
    return named(lines, names_of, warmup_seconds)


def named(lines: Sequence[str], names_of: Callable[[int], Iterator[str]], warmup_seconds: float) -> list[Logged]:
    """``read_logs`` of their lines; raises ``ValueError`` for a transaction that failed."""
    names: dict[int, Iterator[str]] = {}
    ended: list[tuple[float, Logged]] = []
    for line in lines:
        fields = line.split()
        client = int(fields[_CLIENT])
        name = next(names.setdefault(client, names_of(client)))
        moment = int(fields[_SECONDS]) + int(fields[_MICROSECONDS]) / 1e6
        ended.append((moment, Logged(client=client, name=name, us=int(fields[_TIME]))))
    begin = min(moment for moment, _ in ended) + warmup_seconds
    return [each for moment, each in ended if moment >= begin]


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
