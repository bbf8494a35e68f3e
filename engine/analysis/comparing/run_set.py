"""A run set: runs of one plan that stand for one result, as published tests run three times and quote the median run.

The library keeps sets; the command line, the window and the reports show them. What is computed of one is in
``engine.analysis.comparing.run_sets``.
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
    """Runs that belong together, in the order in which they came; a run is in at most one set.

    No other set has its ``name``, capitals or not. ``configuration`` is the name of the configuration that its runs
    were measured on, empty when none was said. Deleted runs are left out of ``run_ids`` until they are restored.
    """

    name: str
    made_at: datetime
    note: str = ""
    run_ids: tuple[str, ...] = ()
    configuration: str = ""


def set_runs(records: Sequence[RunRecord]) -> list[SetRun]:
    """What ``analysis.comparing.run_sets`` takes of each record; runs of one name are told apart by their ids."""
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
    """In which of their fields plans differ, by the fields' names in words; name, note and tags don't count."""
    return tuple(
        _WORDS.get(field.name, field.name.replace("_", " "))
        for field in fields(RunPlan)
        if field.name not in _OF_THE_RUN and len({repr(getattr(plan, field.name) or None) for plan in plans}) > 1
    )


def difference_warning(records: Sequence[RunRecord]) -> str:
    """One sentence when runs of a set were not driven by the same plan; empty when they were."""
    differing = plan_differences([record.plan for record in records])
    if not differing:
        return ""
    return f"the runs of this set differ in {', '.join(differing)}; a median needs runs of the same plan."
