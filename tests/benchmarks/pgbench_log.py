"""pgbench's log of transactions (``-l``): the response times of each script, without the wait for its turn.

The format is described in PostgreSQL's documentation of pgbench, "Per-Transaction Logging": client, transaction,
microseconds, script, seconds and microseconds of the end, schedule lag in microseconds, tries beyond the first.
"""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_TIME, _SCRIPT, _SECONDS, _MICROSECONDS, _LAG = 2, 3, 4, 5, 6


@dataclass(frozen=True, kw_only=True)
class Times:
    """Response times in milliseconds."""

    count: int
    mean_ms: float
    p50_ms: float
    p99_ms: float


@dataclass(frozen=True, kw_only=True)
class Logged:
    """One transaction: its script's number, when it ended in seconds of the wall clock, and its microseconds."""

    script: int
    ended_at: float
    us: int


def logged(line: str) -> Logged:
    """A line of a log that was written with ``--rate``; raises ``ValueError`` for a transaction that failed."""
    fields = line.split()
    return Logged(
        script=int(fields[_SCRIPT]),
        ended_at=int(fields[_SECONDS]) + int(fields[_MICROSECONDS]) / 1e6,
        us=int(fields[_TIME]) - int(fields[_LAG]),
    )


def times_by_script(lines: Iterable[str], names: Sequence[str], warmup_seconds: float) -> dict[str, Times]:
    """The times of each script by its name, without those that ended in the first seconds."""
    all_logged = [logged(line) for line in lines]
    begin = min(each.ended_at for each in all_logged) + warmup_seconds
    times: dict[str, list[int]] = {name: [] for name in names}
    for each in all_logged:
        if each.ended_at >= begin:
            times[names[each.script]].append(each.us)
    return {name: times_of(values) for name, values in times.items()}


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
