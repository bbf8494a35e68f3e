"""The workloads that there are: those that come with Spindle, and those of installed packages by their entry points.

A package names its workloads in the entry points of the group ``spindle.workloads``: the id, and where the ``Workload``
is. None is imported before it is asked for.
"""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from engine.errors import BadInput
from engine.parameters.parameter import did_you_mean
from engine.workload.workload import Workload

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

DVD_STORE = "dvdstore"
WHOLESALE = "wholesale"
BROKERAGE = "brokerage"
MAIL = "mail"
STORAGE = "storage"
ENTRY_POINTS = "spindle.workloads"
_BUILT_IN = {
    DVD_STORE: ("engine.workloads.dvdstore.workload", "WORKLOAD"),
    WHOLESALE: ("engine.workloads.wholesale.workload", "WORKLOAD"),
    BROKERAGE: ("engine.workloads.brokerage.workload", "WORKLOAD"),
    MAIL: ("engine.workloads.mail.workload", "WORKLOAD"),
    STORAGE: ("engine.workloads.storage.workload", "WORKLOAD"),
}


@cache
def find_workload(workload_id: str) -> Workload:
    """The workload of this id.

    Raises ``BadInput`` that names the nearest known one, or for one that can't be loaded.
    """
    if workload_id in _BUILT_IN:
        module, name = _BUILT_IN[workload_id]
        built_in: Workload = getattr(import_module(module), name)
        return built_in
    if workload_id in (found := _entry_points()):
        return _loaded(found[workload_id])
    known = did_you_mean(workload_id, workload_ids(), "give one of")
    raise BadInput(f"workload is '{workload_id}'; {known}.")


def workload_ids() -> tuple[str, ...]:
    """The ids of all workloads, those that come with Spindle first."""
    return tuple(dict.fromkeys((*_BUILT_IN, *sorted(_entry_points()))))


def _loaded(entry_point: "EntryPoint") -> Workload:
    try:
        workload = entry_point.load()
    except (Exception, SystemExit) as error:  # whatever the code of others does when it is imported
        raise _unfit(entry_point, f"{type(error).__name__}: {' '.join(str(error).split())}") from error
    if not isinstance(workload, Workload):
        raise _unfit(entry_point, f"{entry_point.value} is no Workload")
    if workload.id != entry_point.name:
        raise _unfit(entry_point, f"its id is '{workload.id}'")
    return workload


def _unfit(entry_point: "EntryPoint", why: str) -> BadInput:
    return BadInput(
        f"workload '{entry_point.name}' can't be loaded ({why}); update or remove the package that it comes with."
    )


def _entry_points() -> "dict[str, EntryPoint]":
    from importlib.metadata import entry_points  # slow to load, and only needed for workloads of others

    return {each.name: each for each in entry_points(group=ENTRY_POINTS)}
