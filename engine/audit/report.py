"""What an audit found, as plain values: for the run in the library, the exit code, and ``engine.report.audit_text``."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, Self


class Verdict(StrEnum):
    """What it comes to. The run's is that of its worst store."""

    CLEAN = "clean"
    CUT_OFF = "cut off"
    """All that was acknowledged is there; clients ended before the answers to their last purchases came."""
    NOTHING = "nothing to audit"
    """No order was acknowledged."""
    SUSPICIOUS = "suspicious"
    INCOMPLETE = "incomplete"
    """Some clients' ledgers can't be had; of the others nothing is missing."""
    NOT_POSSIBLE = "not possible"
    LOST = "lost"

    @property
    def is_alarming(self) -> bool:
        """Whether the result needs attention."""
        return self in (Verdict.SUSPICIOUS, Verdict.INCOMPLETE, Verdict.NOT_POSSIBLE, Verdict.LOST)


_WORST_FIRST = (
    Verdict.LOST,
    Verdict.NOT_POSSIBLE,
    Verdict.INCOMPLETE,
    Verdict.SUSPICIOUS,
    Verdict.CUT_OFF,
    Verdict.CLEAN,
    Verdict.NOTHING,
)
STOP_NOW = "Stop now"


@dataclass(frozen=True, kw_only=True)
class OrderCounts:
    """The orders by class, as ``engine.audit.comparing`` defines the classes."""

    present: int = 0
    lost: int = 0
    replaced: int = 0
    in_doubt_present: int = 0
    in_doubt_absent: int = 0
    cut_off: int = 0
    unknown: int = 0

    @property
    def acknowledged(self) -> int:
        """The orders that the server had acknowledged."""
        return self.present + self.lost + self.replaced

    @property
    def gone(self) -> int:
        """The acknowledged orders that the server does not hold any more."""
        return self.lost + self.replaced

    def __add__(self, other: Self) -> "OrderCounts":
        mine, theirs = asdict(self), asdict(other)
        return OrderCounts(**{name: mine[name] + theirs[name] for name in mine})


@dataclass(frozen=True, kw_only=True)
class OrderExample:
    """One order of a class: its id (``None``: never known), customer, net amount, and when it was acknowledged or came
    to be in doubt, in seconds since the run's epoch (``None``: not known).

    Where ids are unique only in a ``place``, such as a district, that is named; the net amount is not recorded then.
    """

    order: int | None
    customer: int
    net_cents: int | None
    at_seconds: float | None
    place: str = ""


@dataclass(frozen=True, kw_only=True)
class Consistency:
    """One thing that has to hold among the server's rows, and how many there are of which it does not."""

    what: str
    wrong: int


@dataclass(frozen=True, kw_only=True)
class StoreAudit:
    """One store: the verdict, the orders by class with the first of each, what does not tie out, and sentences on
    what the audit could not see or what explains it. ``cut_off_by`` is how many orders were cut off by each cause, such
    as ``STOP_NOW``; a cause that cut off clients but no order is there with 0."""

    target: str
    database: str
    verdict: Verdict
    counts: OrderCounts = OrderCounts()
    examples: Mapping[str, tuple[OrderExample, ...]] = field(default_factory=dict)
    consistency: tuple[Consistency, ...] = ()
    notes: tuple[str, ...] = ()
    cut_off_by: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class FaultLoss:
    """The acknowledged orders lost or replaced at one fault: how many, and the seconds between the oldest's
    acknowledgement and the fault: the recovery point that was achieved. 0 when nothing was lost."""

    at_seconds: float
    label: str
    gone: int
    oldest_age_seconds: float


@dataclass(frozen=True, kw_only=True)
class AuditReport:
    """The audit of a run, by store and by fault. ``seconds`` is how long it took, ``audited_at`` the moment in UTC.

    Of a mixed run it is that of its first load, and ``further_loads`` has those of the others.
    """

    verdict: Verdict
    stores: tuple[StoreAudit, ...]
    faults: tuple[FaultLoss, ...] = ()
    audited_at: str = ""
    seconds: float = 0.0
    further_loads: "tuple[AuditReport, ...]" = ()

    @property
    def loads(self) -> "tuple[AuditReport, ...]":
        """The report on each load of the run, the first one first."""
        return (replace(self, further_loads=()), *self.further_loads) if self.further_loads else (self,)

    @property
    def worst_verdict(self) -> Verdict:
        """The worst one on any load."""
        return worst(load.verdict for load in self.loads)

    @property
    def counts(self) -> OrderCounts:
        """All stores together."""
        return sum((store.counts for store in self.stores), OrderCounts())

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; ``from_dict`` reads them back. ``orders`` is all stores together, for scripts."""
        plain = asdict(self)
        plain["orders"] = _counts_to_dict(self.counts)
        for store, each in zip(self.stores, plain["stores"], strict=True):
            each["counts"] = _counts_to_dict(store.counts)
        del plain["further_loads"]
        if self.further_loads:
            plain["further_loads"] = [load.to_dict() for load in self.further_loads]
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """The report that ``to_dict`` was made of; keys that it does not know are left out."""
        return cls(
            verdict=Verdict(plain["verdict"]),
            stores=tuple(_store_from_dict(each) for each in plain["stores"]),
            faults=tuple(FaultLoss(**_known(FaultLoss, each)) for each in plain.get("faults", ())),
            audited_at=plain.get("audited_at", ""),
            seconds=plain.get("seconds", 0.0),
            further_loads=tuple(cls.from_dict(each) for each in plain.get("further_loads", ())),
        )


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict on the whole; not possible when there is nothing to judge."""
    found = set(verdicts)
    return next((verdict for verdict in _WORST_FIRST if verdict in found), Verdict.NOT_POSSIBLE)


def _counts_to_dict(counts: OrderCounts) -> dict[str, int]:
    return {"acknowledged": counts.acknowledged, **asdict(counts)}


def _store_from_dict(plain: Mapping[str, Any]) -> StoreAudit:
    return StoreAudit(
        target=plain["target"],
        database=plain["database"],
        verdict=Verdict(plain["verdict"]),
        counts=OrderCounts(**_known(OrderCounts, plain["counts"])),
        examples={
            name: tuple(OrderExample(**_known(OrderExample, each)) for each in shown)
            for name, shown in plain.get("examples", {}).items()
        },
        consistency=tuple(Consistency(**_known(Consistency, each)) for each in plain.get("consistency", ())),
        notes=tuple(plain.get("notes", ())),
        cut_off_by=dict(plain.get("cut_off_by", {})),
    )


def _known(kind: type, plain: Mapping[str, Any]) -> dict[str, Any]:
    names = {each.name for each in fields(kind)}
    return {name: value for name, value in plain.items() if name in names}
