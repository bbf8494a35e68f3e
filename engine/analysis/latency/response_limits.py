"""The limits that a workload sets to the response times of its transactions, and whether a run met them.

A limit is of the 90th percentile, as in the TPC-C specification, clause 5.2.5.3: at least 90 % of the transactions of a
type take at most that long. The terminal and the run's document show the rows.
"""

from dataclasses import dataclass

from engine.record.totals import Totals
from engine.workload.registry import find_workload


@dataclass(frozen=True, kw_only=True)
class LimitRow:
    """A type of transactions, its limit and its 90th percentile, in milliseconds; ``None`` is unknown."""

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
    return [
        LimitRow(name=each.label, limit_ms=each.response_limit_ms, p90_ms=totals.of(each.id).times.p90)
        for each in find_workload(totals.workload).transactions
        if each.response_limit_ms is not None
    ]
