"""The workloads that there are: those that come with Spindle, and those of installed packages by their entry points.

A package names its workloads in the entry points of the group ``spindle.workloads``: the id, and where the ``Workload``
is. None is imported before it is asked for.
"""

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from engine.errors import BadInput
from engine.workload.parameters import did_you_mean
from engine.workload.workload import Workload

DVD_STORE = "dvdstore"
ENTRY_POINTS = "spindle.workloads"
_BUILT_IN = {DVD_STORE: "engine.workloads.dvdstore.parameters:DVD_STORE_2"}


@cache
def find_workload(workload_id: str) -> Workload:
    """The workload of this id; raises ``BadInput`` that names the nearest known one."""
    if workload_id in _BUILT_IN:
        return _loaded(EntryPoint(workload_id, _BUILT_IN[workload_id], ENTRY_POINTS))
    for each in entry_points(group=ENTRY_POINTS, name=workload_id):
        return _loaded(each)
    raise BadInput(f"workload is '{workload_id}'; {did_you_mean(workload_id, workload_ids(), 'give one of')}.")


def workload_ids() -> tuple[str, ...]:
    """The ids of all workloads, those that come with Spindle first."""
    return tuple(dict.fromkeys((*_BUILT_IN, *sorted(entry_points(group=ENTRY_POINTS).names))))


def _loaded(entry_point: EntryPoint) -> Workload:
    workload = entry_point.load()
    assert isinstance(workload, Workload)
    return workload
