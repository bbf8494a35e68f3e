"""A run set: runs of one plan that make one result, as published tests run three times and quote the median run.

The library stores sets; the command line, the window and reports show them. ``engine.analysis.comparing.run_sets``
computes their figures.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime

from engine.analysis.comparing.run_sets import SetRun
from engine.analysis.headline import headline_of
from engine.plan.mixed import LOAD
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord
from engine.record.totals import NO_TOTALS

_LOADS = "further_loads"
_OF_THE_RUN = ("name", "note", "tags", "audit", "machines")


@dataclass(frozen=True, kw_only=True)
class RunSet:
    """Runs in the order in which they were added; a run is in at most one set.

    ``name`` is unique, without regard to case. ``configuration`` is the name of its runs' configuration, or empty.
    ``run_ids`` does not contain deleted runs until they are restored.
    """

    name: str
    made_at: datetime
    note: str = ""
    run_ids: tuple[str, ...] = ()
    configuration: str = ""


def set_runs(records: Sequence[RunRecord]) -> list[SetRun]:
    """The records in the form that ``run_sets`` takes; runs with the same name get their ids appended."""
    shared = {name for name, count in Counter(record.name for record in records).items() if count > 1}
    return [
        SetRun(
            run_id=record.run_id,
            name=f"{record.name} ({record.run_id})" if record.name in shared else record.name,
            state=record.state,
            metric=headline_of(record.plan.workload).label,
            headline_rate=(record.totals or NO_TOTALS).headline_rate,
            client_headline_rates={
                client.label: client.headline_rate for client in (record.totals or NO_TOTALS).clients
            },
        )
        for record in records
    ]


def plan_differences(plans: Sequence[RunPlan]) -> tuple[str, ...]:
    """What plans differ in, in words; name, note, tags, audit and the machines that were read don't count."""
    described = {key: each.label.lower() for plan in plans for key, each in plan.described().items()}
    labels = {"targets": "targets", "workload": "workload", **described, "faults": "faults", _LOADS: "further loads"}
    return tuple(
        label
        for key, label in labels.items()
        if key not in _OF_THE_RUN and len({_valued(plan, key) for plan in plans}) > 1
    )


def is_same_plan(one: RunPlan, other: RunPlan) -> bool:
    """Whether ``plan_differences`` would find none; without its words, for many plans."""
    return all(
        (getattr(one, each.name) or None) == (getattr(other, each.name) or None)
        for each in fields(RunPlan)
        if each.name not in (*_OF_THE_RUN, _LOADS)
    ) and (_valued(one, _LOADS) == _valued(other, _LOADS))


def _valued(plan: RunPlan, key: str) -> str:
    """A plan's value as text, to compare; one that its workload does not have is the same as one that is empty."""
    if key == _LOADS:
        return repr(plan.to_dict().get(LOAD)) if plan.is_mixed else ""
    return repr(({**vars(plan), **plan.parameters}).get(key) or None)


def difference_warning(records: Sequence[RunRecord]) -> str:
    """One sentence when the runs of a set have different plans; else empty."""
    differing = plan_differences([record.plan for record in records])
    if not differing:
        return ""
    return f"the runs of this set differ in {', '.join(differing)}; a median needs runs of the same plan."
