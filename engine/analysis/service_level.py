"""Whether a run offered its users the service level of its workload: a latency limit, and a share of what was due done.

The published tests of mail servers demand a latency under 20 ms, and LoadGen that all tasks planned are done.
"""

from dataclasses import dataclass
from typing import Any

from engine.analysis.headline import headline_of
from engine.figure_text import milliseconds, percent, whole
from engine.plan.plan import RunPlan
from engine.record.totals import Totals
from engine.workload.registry import find_workload


@dataclass(frozen=True, kw_only=True)
class ServiceLevelVerdict:
    """Whether a run offered its users what they are to be offered; times in milliseconds, ``None`` is unknown.

    ``due`` are the transactions that were done in the measured seconds or were due at their end, ``done`` the former.
    The latency is that of a transaction from when it was due; its mean or its 95th percentile is to be at most the
    limit, since the published tests do not say of which of them theirs is.
    """

    many: str
    due: int | None
    done: int | None
    least_done_pct: float
    mean_ms: float | None
    p95_ms: float | None
    limit_ms: float

    @property
    def done_pct(self) -> float | None:
        return None if not self.due or self.done is None else 100 * self.done / self.due

    @property
    def is_done_met(self) -> bool | None:
        return None if self.done_pct is None else self.done_pct >= self.least_done_pct

    @property
    def latency_met_by(self) -> tuple[str, ...]:
        """Which of the mean and p95 are within the limit."""
        times = (("mean", self.mean_ms), ("p95", self.p95_ms))
        return tuple(name for name, time_ms in times if time_ms is not None and time_ms <= self.limit_ms)

    @property
    def is_latency_met(self) -> bool | None:
        return bool(self.latency_met_by) if self.mean_ms is not None else None

    @property
    def is_met(self) -> bool | None:
        """Whether both are met; ``None`` where neither is missed and one is not known."""
        both = (self.is_latency_met, self.is_done_met)
        return False if False in both else None if None in both else True

    @property
    def verdict(self) -> str:
        """The same in a word or two."""
        return _in_words(self.is_met)

    @property
    def sentences(self) -> tuple[str, str]:
        """The latency and the share that was done, each with its verdict."""
        of = f" by {' and '.join(self.latency_met_by)}" if self.latency_met_by else ""
        return (
            f"Service level {self.verdict}: latency mean {milliseconds(self.mean_ms)}\u202fms, p95"
            f" {milliseconds(self.p95_ms)}\u202fms, limit {self.limit_ms:g}\u202fms:"
            f" {_in_words(self.is_latency_met)}{of}.",
            f"Of {whole(self.due)} {self.many} due, {whole(self.done)} were done, {percent(self.done_pct, 2)}, limit"
            f" {self.least_done_pct:g}\u202f%: {_in_words(self.is_done_met)}.",
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "met": self.is_met,
            "limit_ms": self.limit_ms,
            "mean_ms": self.mean_ms,
            "p95_ms": self.p95_ms,
            "latency_met": self.is_latency_met,
            "due": self.due,
            "done": self.done,
            "done_pct": None if self.done_pct is None else round(self.done_pct, 3),
            "least_done_pct": self.least_done_pct,
            "done_met": self.is_done_met,
        }


def service_level_verdict(plan: RunPlan, totals: Totals) -> ServiceLevelVerdict | None:
    """The verdict on a run of a workload with a service level; ``None`` for others, and without measured seconds."""
    if not totals.workload or not totals.measured_seconds:
        return None
    level = find_workload(totals.workload).service_level
    if level is None:
        return None
    return ServiceLevelVerdict(
        many=headline_of(totals.workload).many,
        due=totals.due,
        done=totals.count,
        least_done_pct=level.least_done_pct,
        mean_ms=totals.times.mean,
        p95_ms=totals.times.p95,
        limit_ms=plan.parameters[level.limit_key],
    )


def _in_words(is_met: bool | None) -> str:
    return "not known" if is_met is None else "met" if is_met else "missed"
