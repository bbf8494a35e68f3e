"""What a workload asks of a run beside the limits of response times, and whether the run meets it: the shares of its
types of transactions, the throughput that its scale is made for, and the service level (``service_level``).

The first two are of the TPC-E specification: the mix of clause 6.3, and the nominal throughput of clause 6.7.1.2. The
terminal, the window, reports and the run's JSON show them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.analysis.headline import headline_of
from engine.analysis.latency.response_limits import limit_rows
from engine.analysis.service_level import service_level_verdict
from engine.figure_text import UNKNOWN, counted, decimal, percent, signed_percent, whole
from engine.plan.plan import RunPlan
from engine.record.totals import BacklogTotals, Totals
from engine.workload.registry import find_workload
from engine.workload.workload import Workload

MIX_TOLERANCE_PCT = 0.5
"""How far a share may be from the specified one, in per cent of that; or by one transaction, if that is more."""


@dataclass(frozen=True, kw_only=True)
class MixRow:
    """A type of transactions, its specified share of all, and the ``count`` of it among ``total``.

    ``carried`` of the count ended outside of the measured seconds, or, negative, so many more ended in them: see
    ``engine.workload.workload.Deferred``.
    """

    transaction: str
    name: str
    specified_pct: float
    count: float
    total: float
    carried: float = 0.0

    @property
    def share_pct(self) -> float | None:
        """The share that it had; ``None`` where nothing was counted."""
        return 100 * self.count / self.total if self.total else None

    @property
    def deviation_pct(self) -> float | None:
        """The difference from the specified share, in per cent of that."""
        return None if self.share_pct is None else 100 * (self.share_pct / self.specified_pct - 1)

    @property
    def is_met(self) -> bool | None:
        """Whether the share is within the tolerance; ``None`` where it is unknown."""
        if not self.total:
            return None
        specified = self.specified_pct * self.total / 100
        return abs(self.count - specified) <= max(1.0, MIX_TOLERANCE_PCT * specified / 100)

    @property
    def verdict(self) -> str:
        """The same in a word or two."""
        return "not known" if self.is_met is None else "met" if self.is_met else "missed"

    @property
    def text(self) -> str:
        """The share and how far it is from the specified one: ``10.12 % (+0.2 %)``."""
        share = percent(self.share_pct, 2)
        return share if share == UNKNOWN else f"{share} ({signed_percent(self.deviation_pct, 2)})"


def mix_rows(workload: Workload, count_of: Callable[[str], int | None], backlog_growth: float = 0.0) -> list[MixRow]:
    """A row for each type with a specified share, in the workload's order; ``count_of`` returns how many of a type
    ended, and ``backlog_growth`` is by how much the queue within the emulation grew. Empty for a workload without a
    specified mix."""
    counts: dict[str, int] = {}
    for each in workload.transactions:
        if each.mix_pct is not None or each.in_mix_as:
            key = each.in_mix_as or each.id
            counts[key] = counts.get(key, 0) + (count_of(each.id) or 0)
    carried = _carried(workload, count_of, backlog_growth)
    total = sum(counts.values()) + sum(carried.values())
    return [
        MixRow(
            transaction=each.id,
            name=each.label,
            specified_pct=each.mix_pct,
            count=counts[each.id] + carried.get(each.id, 0.0),
            total=total,
            carried=carried.get(each.id, 0.0),
        )
        for each in workload.transactions
        if each.mix_pct is not None
    ]


def _carried(workload: Workload, count_of: Callable[[str], int | None], backlog_growth: float) -> dict[str, float]:
    """By how many of each deferred type more were to come at the end than at the beginning, which are due later."""
    if workload.deferred is None:
        return {}
    cause, first = workload.deferred.cause, workload.deferred.types[0]
    more = (count_of(cause) or 0) - (count_of(first) or 0) - backlog_growth
    share = {each.id: each.mix_pct or 0.0 for each in workload.transactions}
    return {each: more * share[each] / share[first] for each in workload.deferred.types}


def measured_mix(totals: Totals) -> list[MixRow]:
    """The mix of a run's measured seconds."""
    if not totals.workload or totals.measured_seconds is None:
        return []
    growth = 0.0 if totals.backlog is None else totals.backlog.growth
    return mix_rows(find_workload(totals.workload), lambda each: totals.of(each).count, growth)


def _mix_sentences(workload: Workload, mix: Sequence[MixRow]) -> list[str]:
    if not mix or not mix[0].total:
        return []
    missed = [each.name for each in mix if each.is_met is False]
    held = f"{', '.join(missed)} beyond" if missed else "every type within"
    said = [f"Mix: {held} ±{MIX_TOLERANCE_PCT:g}\u202f% of the specified share."]
    carried = {each.transaction: round(each.carried) for each in mix if round(each.carried)}
    if workload.deferred is not None and carried:
        labels = {each.id: each.label for each in workload.transactions}
        cause, first = workload.deferred.cause, workload.deferred.types[0]
        number = carried.get(first, 0)
        said.append(
            f"There a {labels[first]} counts with its {labels[cause]}: {whole(abs(number))}"
            f" {'more' if number > 0 else 'fewer'} were to come when measuring ended than when it began."
        )
    return said


@dataclass(frozen=True, kw_only=True)
class NominalShare:
    """The headline rate that the stores of a run are made for, and what of it the run reached."""

    rate: float
    reached_pct: float
    is_within: bool
    sentence: str


def nominal_share(plan: RunPlan, totals: Totals) -> NominalShare | None:
    """The share of the nominal throughput of all stores; ``None`` where it is not specified or not known."""
    nominal = find_workload(plan.workload).nominal
    if nominal is None or plan.scale is None or totals.headline_rate is None:
        return None
    headline, stores = headline_of(plan.workload), len(plan.stores())
    rate = stores * nominal.rate(plan.scale)
    reached_pct = 100 * totals.headline_rate / rate
    each = f"{counted(stores, 'store')} of {nominal.of(plan.scale)}" if stores > 1 else nominal.of(plan.scale)
    wanted = f"{nominal.least_pct:g} to {nominal.most_pct:g}\u202f%"
    is_within = nominal.least_pct <= reached_pct <= nominal.most_pct
    return NominalShare(
        rate=rate,
        reached_pct=reached_pct,
        is_within=is_within,
        sentence=(
            f"Nominal throughput of {each}: {headline.labelled(rate)}; the run reached"
            f" {percent(reached_pct, 0 if reached_pct >= 100 else 1)} of it, and the specification has {wanted}."
        ),
    )


def backlog_sentence(totals: Totals) -> str:
    """How long the queue of the workload's own emulation was, and whether it grew; empty without one."""
    if not totals.workload or totals.backlog is None:
        return ""
    backlog, queue = find_workload(totals.workload).backlog, totals.backlog
    if backlog is None:
        return ""
    said = f"{backlog.label}: {decimal(queue.mean)} {backlog.unit}s were due on average, at most {whole(queue.longest)}"
    return f"{said}; {growth_clause(queue, backlog.unit)}."


def growth_clause(queue: BacklogTotals, unit: str) -> str:
    """Whether a backlog grew, as part of a sentence."""
    if queue.has_grown is None:
        return "too short to say whether it grew"
    return f"it grew by {counted(round(queue.growth), unit)}: not steady" if queue.has_grown else "it did not grow"


def received_sentence(totals: Totals) -> str:
    """The rows and bytes that the servers returned a second; empty where they were not counted."""
    rows, size = totals.rows_per_second, totals.kb_per_second
    if rows is None and size is None:
        return ""
    said = f"{find_workload(totals.workload).wording.received}:"
    if rows is None:
        return f"{said} {whole(size)} KB/s."
    of_bytes = "; KB/s are not known, as ever over ODBC" if size is None else f" and {whole(size)} KB/s"
    return f"{said} {whole(rows)} rows/s{of_bytes}."


def verdict_sentences(plan: RunPlan, totals: Totals) -> list[str]:
    """What a specification asks of the run as a whole; empty for a workload without one."""
    mix, nominal, level = measured_mix(totals), nominal_share(plan, totals), service_level_verdict(plan, totals)
    of_mix = _mix_sentences(find_workload(plan.workload), mix)
    of_rate = "" if nominal is None else nominal.sentence
    of_level = () if level is None else level.sentences
    said = (*of_level, *of_mix, of_rate, backlog_sentence(totals), received_sentence(totals))
    return [each for each in said if each]


def verdicts_json(plan: RunPlan, totals: Totals) -> dict[str, Any]:
    """The verdicts for the run's JSON; empty for a workload whose specification asks for none."""
    mix, nominal, level = measured_mix(totals), nominal_share(plan, totals), service_level_verdict(plan, totals)
    of_level = {} if level is None else {"service_level": level.to_json()}
    if not mix:
        return of_level
    return {
        **of_level,
        "mix": {
            each.transaction: {
                "specified_pct": each.specified_pct,
                "share_pct": _rounded(each.share_pct),
                "deviation_pct": _rounded(each.deviation_pct),
                "carried": round(each.carried, 1),
                "met": each.is_met,
            }
            for each in mix
        },
        "limits": {
            each.transaction: {"limit_ms": each.limit_ms, "p90_ms": each.p90_ms, "met": each.is_met}
            for each in limit_rows(totals)
        },
        "nominal": None
        if nominal is None
        else {
            "rate": nominal.rate,
            "reached_pct": _rounded(nominal.reached_pct),
            "within": nominal.is_within,
        },
    }


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 3)
