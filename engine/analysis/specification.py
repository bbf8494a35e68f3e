"""What a workload asks of a run beside the limits of response times, and whether the run meets it: the shares of its
types of transactions, the throughput that its scale is made for, and the service level (``service_level``).

The first two are of the TPC-E specification: the mix of clause 6.3, and the nominal throughput of clause 6.7.1.2. The
terminal, the window, reports and the run's JSON show them.
"""

from collections.abc import Callable
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
"""How far a share may be from the specified one, in per cent of that."""


@dataclass(frozen=True, kw_only=True)
class MixRow:
    """A type of transactions, its specified share of all, and the one that it had; ``None`` is unknown."""

    transaction: str
    name: str
    specified_pct: float
    share_pct: float | None

    @property
    def deviation_pct(self) -> float | None:
        """The difference from the specified share, in per cent of that."""
        return None if self.share_pct is None else 100 * (self.share_pct / self.specified_pct - 1)

    @property
    def is_met(self) -> bool | None:
        """Whether the share is within the tolerance; ``None`` where it is unknown."""
        deviation = self.deviation_pct
        return None if deviation is None else abs(deviation) <= MIX_TOLERANCE_PCT

    @property
    def verdict(self) -> str:
        """The same in a word or two."""
        return "not known" if self.is_met is None else "met" if self.is_met else "missed"

    @property
    def text(self) -> str:
        """The share and how far it is from the specified one: ``10.12 % (+0.2 %)``."""
        share = percent(self.share_pct, 2)
        return share if share == UNKNOWN else f"{share} ({signed_percent(self.deviation_pct, 2)})"


def mix_rows(workload: Workload, count_of: Callable[[str], int | None]) -> list[MixRow]:
    """A row for each type with a specified share, in the workload's order; ``count_of`` returns how many of a type
    ended. Empty for a workload without a specified mix."""
    counts: dict[str, int] = {}
    for each in workload.transactions:
        if each.mix_pct is not None or each.in_mix_as:
            key = each.in_mix_as or each.id
            counts[key] = counts.get(key, 0) + (count_of(each.id) or 0)
    total = sum(counts.values())
    return [
        MixRow(
            transaction=each.id,
            name=each.label,
            specified_pct=each.mix_pct,
            share_pct=100 * counts[each.id] / total if total else None,
        )
        for each in workload.transactions
        if each.mix_pct is not None
    ]


def measured_mix(totals: Totals) -> list[MixRow]:
    """The mix of a run's measured seconds."""
    if not totals.workload or totals.measured_seconds is None:
        return []
    return mix_rows(find_workload(totals.workload), lambda each: totals.of(each).count)


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
    missed = [each.name for each in mix if each.is_met is False]
    of_mix = ""
    if mix and mix[0].share_pct is not None:
        tolerance = f"±{MIX_TOLERANCE_PCT:g}\u202f%"
        held = f"{', '.join(missed)} beyond" if missed else "every type within"
        of_mix = f"Mix: {held} {tolerance} of the specified share."
        if missed and totals.stages:
            of_mix = f"{of_mix} {find_workload(totals.workload).wording.mix_in_stages}".rstrip()
    of_rate = "" if nominal is None else nominal.sentence
    of_level = () if level is None else level.sentences
    said = (*of_level, of_mix, of_rate, backlog_sentence(totals), received_sentence(totals))
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
