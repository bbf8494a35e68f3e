"""What is posted at the end of a run or of a campaign: a sentence for people, and values for programs."""

from dataclasses import dataclass
from typing import Any, Protocol

from engine.analysis.headline import headline_of
from engine.audit.report import AuditReport
from engine.campaign.journal import CampaignState
from engine.figure_text import capitalised, counted
from engine.record.record import RunRecord, RunState
from engine.record.totals import NO_TOTALS
from engine.report.campaign.sentences import result_sentence
from engine.report.campaign.tree import CampaignTree
from engine.secrets import masked
from engine.workload.transaction import Metric

_NOT_KEPT = "The library could not store this run; Spindle shows where it is kept."


class Notice(Protocol):
    """Makes a document to post."""

    def to_dict(self) -> dict[str, Any]:
        """The values to post: ``text`` is shown by chat tools, the others are for programs."""
        ...


@dataclass(frozen=True, kw_only=True)
class RunNotice:
    """The document for one run: ``state`` is its final state, ``value`` its result in ``metric``, ``failure`` why it
    failed.

    Of a mixed run these are its first load's, and ``further`` has the title, metric and result of each other load;
    ``audit`` is the worst verdict. If not ``is_kept``, the run was measured, but its library could not store it.
    """

    run: str
    state: str
    metric: Metric | None = None
    value: float | None = None
    run_id: str = ""
    failure: str = ""
    audit: str = ""
    is_kept: bool = True
    title: str = ""
    further: tuple[tuple[str, Metric, float | None], ...] = ()

    @classmethod
    def of(cls, record: RunRecord, *, is_kept: bool = True) -> "RunNotice":
        (metric, value), *others = [_result_of(load) for load in record.loads]
        title, *titles = record.plan.titles
        return cls(
            run=record.name,
            state=record.state.value,
            metric=metric,
            value=value,
            run_id=record.run_id,
            failure=masked(record.failure, ()),
            audit="" if record.audit is None else _verdict_of(record),
            is_kept=is_kept,
            title=title if others else "",
            further=tuple((name, *result) for name, result in zip(titles, others, strict=True)),
        )

    @classmethod
    def not_started(cls, name: str, error: Exception) -> "RunNotice":
        """The notice of a run that failed before it began."""
        return cls(run=name, state=RunState.FAILED.value, failure=capitalised(masked(str(error), ())))

    @property
    def sentence(self) -> str:
        figures = [self.state]
        for title, metric, value in ((self.title, self.metric, self.value), *self.further):
            if metric is not None and value is not None:
                figures.append(f"{title} {metric.text(value)} {metric.label}".lstrip())
        audit = f" Audit: {self.audit}." if self.audit else ""
        failure = f" {self.failure}" if self.failure else ""
        kept = "" if self.is_kept else f" {_NOT_KEPT}"
        return f"Spindle run {self.run}: {', '.join(figures)}.{failure}{audit}{kept}"

    def to_dict(self) -> dict[str, Any]:
        metric = "opm" if self.metric is None else self.metric.id
        plain: dict[str, Any] = {"text": self.sentence, "run": self.run, "state": self.state, metric: self.value}
        others = {"run_id": self.run_id, "failure": self.failure, "audit": self.audit}
        kept: dict[str, Any] = {} if self.is_kept else {"in_library": False}
        if self.further:
            loads = [(self.title, self.metric, self.value), *self.further]
            plain["loads"] = [{"title": title, each.id: value} for title, each, value in loads if each is not None]
        return plain | {name: value for name, value in others.items() if value} | kept


def _result_of(load: RunRecord) -> tuple[Metric, float | None]:
    """The headline of a run, or of a load of a mixed one."""
    metric, value = headline_of(load.plan.workload).metric, (load.totals or NO_TOTALS).headline_rate
    return metric, value if value is None or metric.has_decimals else round(value)


def _verdict_of(record: RunRecord) -> str:
    """The verdict of the audit, of a mixed run the worst of its loads'."""
    audit = record.audit or {}
    return AuditReport.from_dict(audit).worst_verdict.value if record.plan.is_mixed else str(audit.get("verdict", ""))


@dataclass(frozen=True, kw_only=True)
class CampaignNotice:
    """The document for one campaign: its ``state`` in the end, how many of its ``runs`` completed, the ``result`` in a
    sentence, and why it failed."""

    campaign: str
    state: str
    runs: int = 0
    result: str = ""
    failure: str = ""

    @classmethod
    def of(cls, tree: CampaignTree) -> "CampaignNotice":
        campaign = tree.campaign
        return cls(
            campaign=campaign.name,
            state=campaign.state.value,
            runs=len(tree.runs),
            result=masked(result_sentence(tree), ()),
            failure=capitalised(masked(campaign.reason, ())),
        )

    @classmethod
    def not_started(cls, name: str, error: Exception) -> "CampaignNotice":
        """The notice of a campaign that failed before its first step."""
        return cls(campaign=name, state=CampaignState.FAILED.value, failure=capitalised(masked(str(error), ())))

    @property
    def sentence(self) -> str:
        head = f"Spindle campaign {self.campaign}: {self.state}, {counted(self.runs, 'run')} completed."
        return " ".join(filter(None, (head, self.result, self.failure)))

    def to_dict(self) -> dict[str, Any]:
        plain = {"text": self.sentence, "campaign": self.campaign, "state": self.state, "runs": self.runs}
        others = {"result": self.result, "failure": self.failure}
        return plain | {name: value for name, value in others.items() if value}
