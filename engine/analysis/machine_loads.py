"""The present loads of the machines that drive a run: the workstation's, and those of load machines."""

from collections.abc import Mapping

from engine.telemetry.workstation import WorkstationLoad

WORKSTATION = ""
_STALE_SECONDS = 5


def worst_machine(loads: Mapping[str, WorkstationLoad]) -> str:
    """Which machine limits or distorts the run most, by the names of ``loads``; the workstation's is empty.

    A bottleneck is worse than other remarks, and these than the use of processors. A load machine of which nothing has
    come for some seconds is left out. Raises ``ValueError`` without loads.
    """
    newest = max(load.second for load in loads.values())
    present = {name: load for name, load in loads.items() if load.second >= newest - _STALE_SECONDS}
    return max(present, key=lambda name: _badness(present[name]))


def _badness(load: WorkstationLoad) -> tuple[bool, bool, float]:
    return load.is_bottleneck, bool(load.remarks), load.machine_pct
