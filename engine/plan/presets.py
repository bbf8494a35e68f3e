"""Loads with a name: those of the published DVD Store tests, a quick one to look round with, and other workloads'.

The wizard offers those of the plan's workload, and a demonstration drives the first one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.faults.injections import LabInjection
from engine.faults.lab_actions import LabAction
from engine.faults.planned import PlannedFault
from engine.parameters.parameter import Part
from engine.plan.databases import embedded_target
from engine.plan.parameters import described
from engine.plan.plan import RunPlan
from engine.target.target import FAST
from engine.workload.registry import DVD_STORE, find_workload

PUBLISHED_THREADS = 32
PUBLISHED_THINK_TIMES_MS = (0.0, 20.0, 100.0)
PUBLISHED_WARMUP_MINUTES = (1.0, 5.0, 15.0)
PUBLISHED_MINUTES = 30.0
_NO_LOAD = ("seed", "load_machines")
"""Parameters on the page of the load that a preset leaves as they are."""


def load_keys(workload_id: str) -> tuple[str, ...]:
    """The keys of the parameters that make the load of a workload: all on the page of the load but the seed, and who
    drives it."""
    parameters = described(find_workload(workload_id)).values()
    return tuple(each.key for each in parameters if each.part is Part.LOAD and each.key not in _NO_LOAD)


@dataclass(frozen=True)
class Preset:
    """A load of a workload: its name, a line that describes it, and the values that it sets by their keys."""

    name: str
    describes: str
    values: Mapping[str, Any]
    workload: str = DVD_STORE

    def apply(self, plan: RunPlan) -> RunPlan:
        """The plan with this load; raises ``BadInput`` when one of its faults would lie after the end."""
        return plan.changed({"workload": self.workload, **self.values})


def _preset(lead: str, describes: str, threads: int, think_time_ms: float, warmup: float, minutes: float) -> Preset:
    is_whole = warmup == int(warmup) and minutes == int(minutes)
    seconds = f"{60 * warmup:g} + {60 * minutes:g} s"
    times = f"{warmup:g} + {minutes:g} min" if is_whole else seconds
    name = f"{lead}{threads} users, {think_time_ms:g} ms, {times}"
    usual = {key: each.default for key, each in described(find_workload(DVD_STORE)).items()}
    load = {"threads": threads, "think_time_ms": think_time_ms, "warmup_minutes": warmup, "minutes": minutes}
    # What the published tests left as it was are DVD Store 2's own choices, which are the defaults.
    return Preset(name, describes, {key: usual[key] for key in load_keys(DVD_STORE)} | load)


def _published(think_time_ms: float, warmup: float) -> Preset:
    pause = f"{think_time_ms:g} ms of think time" if think_time_ms else "no think time"
    describes = f"{PUBLISHED_THREADS} users per client, {pause}, {warmup:g} min of warm-up, as in the published tests"
    return _preset("", describes, PUBLISHED_THREADS, think_time_ms, warmup, PUBLISHED_MINUTES)


QUICK = _preset("Quick: ", "a first look in about a minute, also on the embedded server", 8, 20.0, 0.1, 0.8)
PRESETS = (
    QUICK,
    *(_published(think, warmup) for think in PUBLISHED_THINK_TIMES_MS for warmup in PUBLISHED_WARMUP_MINUTES),
)
"""Those of DVD Store, in the order in which they are offered; their names differ."""
DEMONSTRATION = QUICK.apply(RunPlan(name="Demonstration", clients=2, parameters={"db_size": "100MB"}))
"""What ``spindle demo`` and the window's button run: two clients on the embedded server."""
FAILOVER_MINUTES = 1.5
_QUICK_KEYS = ("threads", "think_time_ms", "warmup_minutes")


def presets_of(workload_id: str) -> tuple[Preset, ...]:
    """The presets of a workload, in the order in which they are offered."""
    if workload_id == DVD_STORE:
        return PRESETS
    workload = find_workload(workload_id)
    usual = {key: each.default for key, each in described(workload).items()}
    load = {key: usual[key] for key in load_keys(workload_id)}
    return tuple(Preset(each.name, each.describes, load | dict(each.values), workload_id) for each in workload.loads)


def usual_load(workload_id: str) -> Mapping[str, Any]:
    """The load that the wizard's fields begin with: the first preset, or its users where a workload has none."""
    presets = presets_of(workload_id)
    return presets[0].values if presets else {key: QUICK.values[key] for key in _QUICK_KEYS}


def demonstration_of(workload_id: str, minutes: float | None = None) -> RunPlan:
    """What ``spindle demo`` runs for a workload; ``minutes`` are those that are measured.

    Of another one than DVD Store it is the first load, on the practice lab's pair, whose primary is killed half-way.
    Raises ``BadInput``.
    """
    if workload_id == DVD_STORE:
        return DEMONSTRATION if minutes is None else replace(DEMONSTRATION, minutes=minutes)
    minutes = FAILOVER_MINUTES if minutes is None else minutes
    pair = replace(embedded_target(workload_id), nodes=2, sync=True, failover=FAST)
    kill = PlannedFault(
        at_seconds=round(30 * (minutes or FAILOVER_MINUTES)), injection=LabInjection(action=LabAction.KILL_PRIMARY)
    )
    workload = find_workload(workload_id)
    ours = {**workload.scale.values(workload.usual_scale), "minutes": minutes, "faults": (kill,)}
    return RunPlan(targets=(pair,), workload=workload_id).changed({**usual_load(workload_id), **ours})
