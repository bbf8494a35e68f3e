"""The headline of a run: what its first metric counts, and the words for it in charts, tables, tiles and reports."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from engine.errors import BadInput
from engine.figure_text import capitalised, decimal, listed, shortest, significant, whole, with_unit
from engine.telemetry.sample import CountNames
from engine.workload.registry import find_workload
from engine.workload.transaction import Metric, TransactionType, transactions_of
from engine.workload.wording import GENERAL, Wording

_NAMED = re.compile("headline_rate|transactions?")


@dataclass(frozen=True)
class Headline:
    """A workload's headline ``metric``, and the type of ``transaction`` that it counts; ``workload`` is its title.

    ``names`` are those of the transaction's counts in a ``Series``, and ``wording`` is what the workload says of
    itself. ``others`` are the other types of transactions, none of them a step. ``is_transactional`` is that of the
    workload's subject: without it there are no rollbacks and no deadlocks. ``has_users``: users
    make calls over connections, and record what was acknowledged; otherwise a program does all of it.
    """

    workload: str
    metric: Metric
    transaction: TransactionType
    names: CountNames
    wording: Wording = GENERAL
    others: tuple[TransactionType, ...] = ()
    is_transactional: bool = True
    has_users: bool = True

    @property
    def is_mixed(self) -> bool:
        """Whether there are several types of transactions."""
        return bool(self.others)

    @property
    def label(self) -> str:
        """The metric in figures and charts: ``OPM``."""
        return self.metric.label

    @property
    def one(self) -> str:
        """One of its transactions in a sentence: ``order``."""
        return self.transaction.label

    @property
    def a_one(self) -> str:
        """One of them with its article: ``an order``."""
        return _with_article(self.one)

    @property
    def many(self) -> str:
        """Several of them: ``orders``."""
        return self.transaction.labels

    @property
    def heading(self) -> str:
        """Several of them above a column: ``Orders``."""
        return capitalised(self.many)

    @property
    def rate(self) -> str:
        """What the metric is in words: ``orders per minute``."""
        return f"{self.many} per {self.period}"

    @property
    def rate_heading(self) -> str:
        """The same as a heading: ``Orders per minute``."""
        return f"{self.heading} per {self.period}"

    @property
    def period(self) -> str:
        """The time that it is a rate of: ``minute``."""
        return self.metric.period

    @property
    def unit(self) -> str:
        """What a user does one of at a time, of whatever type: ``order``, ``transaction``."""
        return self.wording.unit

    @property
    def a_unit(self) -> str:
        """The same with its article."""
        return _with_article(self.unit)

    @property
    def units(self) -> str:
        """What users do one after the other, of all types: ``orders``, ``transactions``."""
        return f"{self.unit}s"

    @property
    def user(self) -> str:
        """One of those that do one unit after the other: ``user``, ``thread``."""
        return self.wording.who[0]

    @property
    def users(self) -> str:
        """Several of them."""
        return self.wording.who[1]

    @property
    def missed(self) -> str:
        """Those that an outage cost: ``orders missed``, ``I/Os not done``."""
        return f"{self.many} {self.wording.missed}"

    @property
    def in_doubt(self) -> str:
        """What may stay without an answer: ``purchases``."""
        return f"{self.wording.in_doubt}s" if self.wording.in_doubt else self.many

    @property
    def recorded(self) -> "Headline":
        """The same in the words for what the ledger records and the audit compares."""
        if self.wording.recorded is None:
            return self
        one, many = self.wording.recorded
        return replace(self, transaction=replace(self.transaction, label=one, labels=many))

    def counted(self, count: int, adjective: str = "") -> str:
        """So many of its transactions: ``1 order``, ``2,000 acknowledged orders``."""
        return f"{count:,} {adjective}{' ' if adjective else ''}{self.one if count == 1 else self.many}"

    def counted_in_doubt(self, count: int) -> str:
        """So many that stayed without an answer: ``1 purchase``, ``2 purchases``."""
        return f"{count:,} {(self.wording.in_doubt or self.one) if count == 1 else self.in_doubt}"

    def text(self, value: float | None) -> str:
        """A value of the metric: ``186 604`` OPM, ``105.3`` trades/s."""
        return self.metric.text(value)

    def due_text(self, rate: float) -> str:
        """A rate that was asked for: ``6 000/min``, ``2.5/s``."""
        return f"{shortest(rate, 2) if self.metric.has_decimals else whole(rate)}/{self.metric.per}"

    def labelled(self, value: float | None) -> str:
        """The same with the metric's label; – where it is not known."""
        return with_unit(self.text(value), self.label)

    def per_watt_text(self, value: float | None) -> str:
        """A value of the metric for each watt."""
        return significant(value) if self.metric.has_decimals else decimal(value, 1)

    def signed(self, difference: float | None, value: float | None) -> str:
        """The difference of a value from another."""
        return self.metric.signed(difference, value)

    def per_period(self, per_second: float) -> float:
        """A rate per second as a value of the metric."""
        return self.metric.per_seconds * per_second

    def key(self, name: str) -> str:
        """A figure's name in JSON: with the metric's id for ``headline_rate``, and with the transaction's names for
        ``transactions`` and ``transaction``.

        ``headline_rate_before`` is ``opm_before`` of the DVD Store and ``nopm_before`` of Wholesale;
        ``transactions_not_taken`` is ``orders_not_taken`` and ``new_orders_not_taken``.
        """
        names = {
            "headline_rate": self.metric.id,
            "transactions": self.transaction.plural,
            "transaction": self.transaction.id,
        }
        return _NAMED.sub(lambda found: names[found[0]], name)

    def rollback_pct(self, count: int, rollbacks: int) -> float | None:
        """The share of its transactions that were rolled back; ``None`` without any, or where none can be."""
        if not self.is_transactional:
            return None
        ended = count if self.metric.includes_rollbacks else count + rollbacks
        return 100 * rollbacks / ended if ended else None


@cache
def headline_of(workload_id: str) -> Headline:
    """The headline of a workload. Raises ``BadInput`` for a workload that is not there."""
    workload = find_workload(workload_id)
    (counted,) = (each for each in workload.transactions if each.id == workload.headline.counts)
    return Headline(
        workload.title,
        workload.headline,
        counted,
        CountNames.of(counted.id),
        workload.wording,
        others=tuple(each for each in transactions_of(workload.transactions) if each != counted),
        is_transactional=workload.subject.is_transactional,
        has_users=workload.user is not None,
    )


def headline_in_common(workload_ids: Iterable[str]) -> Headline:
    """The headline of a run's workload for sentences about all of its users; of several workloads its words are those
    that suit any."""
    first, *others = dict.fromkeys(workload_ids)
    headline = headline_of(first)
    return replace(headline, wording=GENERAL) if others else headline


def check_same_workload(titles: Iterable[str]) -> None:
    """Raises ``BadInput`` for results of different workloads, whose figures count different transactions."""
    different = list(dict.fromkeys(titles))
    if len(different) > 1:
        raise BadInput(
            f"these results are of different workloads, {listed(different)}, whose figures can't be compared; choose"
            " results of one workload."
        )


def _with_article(noun: str) -> str:
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"
