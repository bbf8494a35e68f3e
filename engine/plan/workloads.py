"""Which workloads can be planned: those of installed packages may be broken, and must harm nothing else then."""

from collections.abc import Mapping

from engine.errors import BadInput
from engine.plan.plan import check_keys
from engine.workload.registry import find_workload, workload_ids
from engine.workload.workload import Workload


def usable_workloads() -> tuple[Workload, ...]:
    """The workloads that can be planned, those that come with Spindle first."""
    return tuple(each for each in _found().values() if isinstance(each, Workload))


def unusable_workloads() -> Mapping[str, str]:
    """The ids of the others, each with a sentence that says why."""
    return {name: str(each) for name, each in _found().items() if isinstance(each, BadInput)}


def _found() -> dict[str, Workload | BadInput]:
    found: dict[str, Workload | BadInput] = {}
    for workload_id in workload_ids():
        try:
            found[workload_id] = find_workload(workload_id)
            check_keys(find_workload(workload_id))
        except BadInput as refusal:
            found[workload_id] = refusal
    return found
