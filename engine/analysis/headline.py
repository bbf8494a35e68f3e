"""The headline of a run: what its first metric counts, and the words for it in charts, tables, tiles and reports."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from engine.errors import BadInput
from engine.figure_text import listed
from engine.telemetry.sample import CountNames
from engine.workload.registry import find_workload
from engine.workload.transaction import Metric, TransactionType


@dataclass(frozen=True)
class Headline:
    """A workload's headline ``metric``, and the type of ``transaction`` that it counts; ``workload`` is its title.

    ``names`` are those of the transaction's counts in a ``Series``.
    """

    workload: str
    metric: Metric
    transaction: TransactionType
    names: CountNames

    @property
    def label(self) -> str:
        """The metric in figures and charts: ``OPM``."""
        return self.metric.label

    @property
    def one(self) -> str:
        """One of its transactions in a sentence: ``order``."""
        return self.transaction.label

    @property
    def many(self) -> str:
        """Several of them: ``orders``."""
        return self.transaction.labels

    @property
    def heading(self) -> str:
        """Several of them above a column: ``Orders``."""
        return self.many[:1].upper() + self.many[1:]

    @property
    def rate(self) -> str:
        """What the metric is in words: ``orders per minute``."""
        return f"{self.many} per minute"

    @property
    def rate_heading(self) -> str:
        """The same as a heading: ``Orders per minute``."""
        return f"{self.heading} per minute"

    def rollback_pct(self, count: int, rollbacks: int) -> float | None:
        """The share of its transactions that were rolled back; ``None`` without any."""
        ended = count if self.metric.includes_rollbacks else count + rollbacks
        return 100 * rollbacks / ended if ended else None


@cache
def headline_of(workload_id: str) -> Headline:
    """The headline of a workload. Raises ``BadInput`` for a workload that is not there."""
    workload = find_workload(workload_id)
    (counted,) = (each for each in workload.transactions if each.id == workload.headline.counts)
    return Headline(workload.title, workload.headline, counted, CountNames.of(counted.id))


def check_same_workload(titles: Iterable[str]) -> None:
    """Raises ``BadInput`` for results of different workloads, whose figures count different transactions."""
    different = list(dict.fromkeys(titles))
    if len(different) > 1:
        raise BadInput(
            f"these results are of different workloads, {listed(different)}, whose figures can't be compared; choose"
            " results of one workload."
        )
