"""A run as the library stores it: plan, state, environment, phases and totals."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from engine.plan.plan import RunPlan
from engine.record.projection import Projection
from engine.record.totals import Totals

FURTHER_LOADS = "further_loads"
"""Under this key the stored report of an audit has those on the further loads of a mixed run."""


class RunState(StrEnum):
    """The state of a run; the last four are final. Without users a run starts instead of ramping."""

    PREPARING = "preparing"
    RAMPING = "ramping"
    STARTING = "starting"
    WARMING_UP = "warming up"
    MEASURING = "measuring"
    STOPPING = "stopping"
    COMPLETED = "completed"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"
    FAILED = "failed"

    @property
    def is_final(self) -> bool:
        return self in (RunState.COMPLETED, RunState.STOPPED, RunState.INTERRUPTED, RunState.FAILED)


class Origin(StrEnum):
    """The origin of a run in the library."""

    SPINDLE = "spindle"
    DS2_LOG = "ds2 log"
    STORAGE_PROGRAM = "storage program"

    @property
    def is_imported(self) -> bool:
        """Whether another program drove the run, and Spindle read what it had printed."""
        return self is not Origin.SPINDLE


@dataclass(frozen=True, kw_only=True)
class Phases:
    """The whole seconds from the run's epoch at which phases began; ``None`` is not yet.

    The ramp begins at 0. Measured seconds are ``measuring_from <= second < measuring_to``.
    """

    warming_up_from: int | None = None
    measuring_from: int | None = None
    measuring_to: int | None = None


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """One run of the library.

    Times are UTC; ``totals`` is what ``engine.analysis.totals`` computed at its end, ``audit`` the report of its last
    audit, or ``None``. ``run_id`` is unique and sorts by the time of the start. ``environment`` holds the servers'
    versions and settings, the application and the workstation; no secret, no user's name. ``run_set`` is the name of
    its set, ``campaign`` that of its campaign, ``configuration`` that of its own configuration or its set's; empty if
    there is none. ``deleted_at`` is when it was moved to the bin, ``None`` for a run that is not deleted.
    """

    run_id: str
    plan: RunPlan
    client_labels: tuple[str, ...]
    state: RunState
    started_at: datetime
    ended_at: datetime | None = None
    phases: Phases = Phases()
    environment: Mapping[str, Any] = field(default_factory=dict)
    totals: Totals | None = None
    failure: str = ""
    audit: Mapping[str, Any] | None = None
    name: str = ""
    note: str = ""
    tags: tuple[str, ...] = ()
    run_set: str = ""
    campaign: str = ""
    configuration: str = ""
    origin: Origin = Origin.SPINDLE
    deleted_at: datetime | None = None

    def of_load(self, load: int) -> Self:
        """The run as that of the load with this index alone: its plan, clients, servers, totals and audit.

        What belongs to all loads, such as phases and the workstation, stays. A run that is not mixed is its only load.
        """
        if not self.plan.is_mixed:
            return self
        of = Projection.of(self.plan, load)
        audits = audits_of(self.audit, len(self.plan.loads))
        urls = {store.url for store in self.plan.loads[load].stores()}
        servers = [server for server in self.environment.get("servers") or () if server.get("target") in urls]
        return replace(
            self,
            run_id=load_reference(self.run_id, load),
            plan=self.plan.loads[load],
            client_labels=self.client_labels[of.before : of.before + of.clients],
            totals=None if self.totals is None else self.totals.loads[load],
            audit=audits[load],
            environment={**self.environment, "servers": servers},
            name=f"{self.name}, {self.plan.titles[load]}" if self.name else "",
        )

    @property
    def loads(self) -> tuple[Self, ...]:
        """The run as that of each of its loads."""
        return tuple(self.of_load(load) for load in range(len(self.plan.loads)))


def load_reference(run_id: str, load: int) -> str:
    """The id under which the load with this index of a mixed run is found: ``20261121-043017-k3f9.2``."""
    return f"{run_id}.{load + 1}"


def split_reference(reference: str) -> tuple[str, int | None]:
    """The run that a reference names, and the index of its load; ``None`` where it names the whole run."""
    run, dot, number = reference.rpartition(".")
    return (run, int(number) - 1) if dot and number.isdecimal() and int(number) > 0 else (reference, None)


def audits_of(audit: Mapping[str, Any] | None, loads: int) -> tuple[Mapping[str, Any] | None, ...]:
    """The report on each load from what is stored of a run's audit."""
    if audit is None:
        return (None,) * loads
    first = {key: value for key, value in audit.items() if key != FURTHER_LOADS}
    return (first, *audit.get(FURTHER_LOADS, ()))
