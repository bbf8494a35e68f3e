"""The fields of a plan that campaigns change: the parameters of every plan and of its workload, and ``targets``.

``targets`` is how many of the plan's targets are driven, from the first one on. In a mixed run it and ``databases`` are
those of every load, so that a search over them adds one of each: a pair. Any other field is the first load's.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.errors import BadInput
from engine.figure_text import listed
from engine.parameters.parameter import Parameter, Whole, did_you_mean
from engine.plan.plan import RunPlan
from engine.workload.registry import find_workload, workload_ids

TARGETS = "targets"
_DATABASES, _THINK_TIME = "databases", "think_time_ms"
_OF_THE_RUN = ("name", "note", "tags", "reset", "audit", "machines")


def field_of(plan: RunPlan, name: str) -> Parameter:
    """The field of a plan; raises ``BadInput`` that names the nearest known one, or the workload that has it."""
    if name == TARGETS:
        most = min(len(load.targets) for load in plan.loads)
        return Parameter(
            key=TARGETS, label="Targets of each load" if plan.is_mixed else "Targets", type=Whole(1, most), default=most
        )
    known = {key: each for key, each in plan.described().items() if key not in _OF_THE_RUN}
    workload = find_workload(plan.workload)
    if name == _THINK_TIME and (workload.user is None or workload.due_rate is not None):
        instead = f"change {listed(workload.factors)}" if workload.factors else "leave it out"
        raise BadInput(f"field '{name}' is not used by {workload.title}; {instead}.")
    if name in known:
        return known[name]
    others = [find_workload(each) for each in workload_ids() if each != plan.workload]
    owner = next((each for each in others if name in each.keys), None)
    if owner is not None:
        raise BadInput(
            f"field '{name}' is one of {owner.title}, and the plan's workload is {workload.title}; leave it out."
        )
    by_option = {each.option_name: key for key, each in known.items()}
    if (option := name.replace("_", "-")) in by_option:
        raise BadInput(f"field '{name}' is not known; plans call it '{by_option[option]}'.")
    raise BadInput(f"field '{name}' is not known; {did_you_mean(name, (*known, TARGETS), 'known fields are')}.")


def plan_with(plan: RunPlan, values: Mapping[str, Any]) -> RunPlan:
    """The plan with other values of such fields; raises ``BadInput`` that names the field."""
    changes = {name: field_of(plan, name).checked(value) for name, value in values.items()}
    if not changes:
        return plan
    if plan.is_mixed:
        changes["further_loads"] = tuple(_scaled(load, changes) for load in plan.further_loads)
    return plan.changed(changes | _scale_of(plan, changes))


def _scaled(load: RunPlan, changes: Mapping[str, Any]) -> RunPlan:
    """A further load with as many stores as the first one gets."""
    return replace(load, **_scale_of(load, changes))


def _scale_of(load: RunPlan, changes: Mapping[str, Any]) -> dict[str, Any]:
    """How many stores a load gets, as values of its plan."""
    scale = {_DATABASES: changes[_DATABASES]} if _DATABASES in changes else {}
    return scale | ({TARGETS: load.targets[: changes[TARGETS]]} if TARGETS in changes else {})


def label_of(plan: RunPlan, name: str) -> str:
    """A field in words, with its unit: ``Think time, ms``."""
    return field_of(plan, name).titled


def value_text(plan: RunPlan, name: str, value: Any) -> str:
    """A field with its value as texts of a campaign show them: ``databases 8``, ``think time 20 ms``."""
    found = field_of(plan, name)
    return f"{found.label[:1].lower()}{found.label[1:]} {found.shown(found.checked(value))} {found.unit}".rstrip()


def point_text(plan: RunPlan, point: Mapping[str, Any]) -> str:
    """The values of a point: ``stores per target 8, think time 20 ms``."""
    return ", ".join(value_text(plan, name, value) for name, value in point.items())
