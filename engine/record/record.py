"""A run as the library stores it: plan, state, environment, phases and totals."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from engine.plan.plan import RunPlan
from engine.record.totals import Totals


class RunState(StrEnum):
    """The state of a run; the last four are final."""

    PREPARING = "preparing"
    RAMPING = "ramping"
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
    there is none. ``deleted_at`` is
    when it was moved to the bin, ``None`` for a run that is not deleted.
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
