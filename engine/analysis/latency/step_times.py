"""The response times of a workload's transactions and their steps, in a run's totals and as rows of a table.

``time_rows`` makes the rows that the terminal, the run page and its document show.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from engine.analysis.headline import headline_of
from engine.record.totals import NO_TIMES, Totals, TransactionTotals
from engine.workload.registry import find_workload
from engine.workload.transaction import TransactionType


@dataclass(frozen=True, kw_only=True)
class TimesRow:
    """A row of the table of response times, in milliseconds; ``None`` is unknown. ``transaction`` is the label of the
    type or step, empty for times that are of none."""

    name: str
    count: int | None
    mean_ms: float | None
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    p999_ms: float | None = None
    max_ms: float | None = None
    transaction: str = ""


_PERCENTILES = (("p50", "p50_ms"), ("p95", "p95_ms"), ("p99", "p99_ms"))
_FINEST = ("p99.9", "p999_ms")


class TimesColumns:
    """The columns of times of a table of these rows: the mean, the percentiles that they have, and the longest.

    ``percentiles`` are the titles of those between the mean and the longest.
    """

    def __init__(self, rows: Iterable[TimesRow]) -> None:
        has_finest = any(row.p999_ms is not None for row in rows)
        shown = (*_PERCENTILES, *((_FINEST,) if has_finest else ()))
        self.percentiles = tuple(title for title, _ in shown)
        self._names = ("mean_ms", *(name for _, name in shown), "max_ms")

    def of(self, row: TimesRow) -> Sequence[float | None]:
        """The times of a row, one for each column."""
        return [getattr(row, name) for name in self._names]


def time_rows(totals: Totals, *, is_open_loop: bool = False) -> list[TimesRow]:
    """The headline's transaction, all that the schedule had due if there was one, and the other types and the steps;
    empty if nothing is known.

    In a closed loop with a schedule the first two rows are the service time and the time as intended. In an open loop
    each response time begins when its transaction was due: the second row, with those that were still due when
    measuring ended, is left out where it would repeat the first.
    """
    if not totals.workload:
        return []
    headline, types = headline_of(totals.workload), find_workload(totals.workload).transactions
    name, others = headline.one, [each for each in types if each != headline.transaction]
    whole = [headline.transaction, *(each for each in others if not each.is_step)]
    rows = [_row(name, totals.of(totals.counted), name)]
    if has_two_times(totals, is_open_loop=is_open_loop):
        rows.append(_scheduled(totals, whole, "all transactions" if len(whole) > 1 else name, is_open_loop))
        if not is_open_loop:
            rows[0] = replace(rows[0], name=f"{name}, service time")
    rows += [_row(each.label, totals.of(each.id), each.label) for each in others]
    return [row for row in rows if row.mean_ms is not None]


def has_two_times(totals: Totals, *, is_open_loop: bool) -> bool:
    """Whether the times as intended are others than those of what was served.

    In an open loop, where each response time begins when its transaction was due, they are others only if they are of
    more: of all types of a mix, or of what was still due when measuring ended.
    """
    if totals.intended is None:
        return False
    return bool(not is_open_loop or totals.overdue or headline_of(totals.workload).is_mixed)


def _scheduled(totals: Totals, whole: Sequence[TransactionType], name: str, is_open_loop: bool) -> TimesRow:
    """The row of the transactions of ``whole`` and of those that were due, but not begun."""
    due = sum(totals.of(each.id).count or 0 for each in whole) + (totals.overdue or 0)
    addition = "as intended" if not is_open_loop else "with those still due" if totals.overdue else ""
    times = TransactionTotals(count=due, times=totals.intended or NO_TIMES)
    return _row(f"{name}, {addition}" if addition else name, times)


def _row(name: str, totals: TransactionTotals, transaction: str = "") -> TimesRow:
    times = totals.times
    return TimesRow(
        name=name,
        count=totals.count,
        mean_ms=times.mean,
        p50_ms=times.p50,
        p95_ms=times.p95,
        p99_ms=times.p99,
        p999_ms=times.p999,
        max_ms=times.max,
        transaction=transaction,
    )
