"""A run set: runs of one plan that make one result, as published tests run three times and quote the median run.

The library stores sets; the command line, the window and reports show them. ``engine.analysis.comparing.run_sets``
computes their figures.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime

from engine.analysis.comparing.run_sets import SetRun
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord

_OF_THE_RUN = ("name", "note", "tags", "audit", "format_version")
_WORDS = {"db_size": "size of the database", "minutes": "measured minutes", "n_line_items": "lines of an order"}


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
            opm=(record.totals or {}).get("opm"),
            client_opms={client["label"]: client.get("opm") for client in (record.totals or {}).get("clients") or ()},
        )
        for record in records
    ]


def plan_differences(plans: Sequence[RunPlan]) -> tuple[str, ...]:
    """The fields in which plans differ, by their names in words; name, note and tags don't count."""
    return tuple(
        _WORDS.get(field.name, field.name.replace("_", " "))
        for field in fields(RunPlan)
        if field.name not in _OF_THE_RUN and len({repr(getattr(plan, field.name) or None) for plan in plans}) > 1
    )


def difference_warning(records: Sequence[RunRecord]) -> str:
    """One sentence when the runs of a set have different plans; else empty."""
    differing = plan_differences([record.plan for record in records])
    if not differing:
        return ""
    return f"the runs of this set differ in {', '.join(differing)}; a median needs runs of the same plan."
