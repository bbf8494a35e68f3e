"""The limits that a workload sets to the response times of its transactions, and whether a run met them.

A limit is of the 90th percentile, as in the TPC-C specification, clause 5.2.5.3: at least 90 % of the transactions of a
type take at most that long. The terminal, the window and the run's document show the rows.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from engine.analysis.latency.percentiles import BucketCounts, merged, no_counts, percentile_ms
from engine.record.totals import Totals
from engine.telemetry.sample import Sample
from engine.workload.registry import find_workload
from engine.workload.transaction import TransactionType

_LIMITED_PERCENT = 90


@dataclass(frozen=True, kw_only=True)
class LimitRow:
    """A type of transactions, its limit and its 90th percentile, in milliseconds; ``None`` is unknown."""

    transaction: str
    name: str
    limit_ms: float
    p90_ms: float | None

    @property
    def is_met(self) -> bool | None:
        """Whether the limit was met; ``None`` where none of the transactions ended."""
        return None if self.p90_ms is None else self.p90_ms <= self.limit_ms

    @property
    def verdict(self) -> str:
        """The same in a word or two."""
        return "not known" if self.is_met is None else "met" if self.is_met else "missed"


def limit_rows(totals: Totals) -> list[LimitRow]:
    """A row for each type of transactions with a limit, in the workload's order; empty where there is none."""
    if not totals.workload or totals.measured_seconds is None:
        return []
    return _rows(find_workload(totals.workload).transactions, lambda each: totals.of(each).times.p90)


class LimitedHistograms:
    """The response times of the transactions with a limit, over all clients, while a run goes on."""

    def __init__(self, types: Iterable[TransactionType]) -> None:
        self._types = [each for each in types if each.response_limit_ms is not None]
        self._counts: dict[str, BucketCounts] = {each.id: no_counts() for each in self._types}

    def add(self, sample: Sample) -> None:
        """Add a sample of a measured second."""
        for transaction in self._counts:
            packed = sample.of(transaction).histogram
            if packed:
                self._counts[transaction] += merged([packed])

    def rows(self) -> list[LimitRow]:
        """As ``limit_rows``, of what was added."""
        return _rows(self._types, lambda each: percentile_ms(self._counts[each], _LIMITED_PERCENT))


def _rows(types: Iterable[TransactionType], p90_of: Callable[[str], float | None]) -> list[LimitRow]:
    return [
        LimitRow(transaction=each.id, name=each.label, limit_ms=each.response_limit_ms, p90_ms=p90_of(each.id))
        for each in types
        if each.response_limit_ms is not None
    ]
