"""What the executor of a campaign needs of the world: a protocol, which ``real_tools`` implements."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from engine.analysis.host.idle_watts import IdleWatts
from engine.campaign.conditions import Condition
from engine.campaign.criteria import Criterion
from engine.campaign.units import Unit
from engine.databases.progress import IsCancelled, ReportProgress
from engine.faults.injections import Injection
from engine.plan.plan import RunPlan
from engine.record.record import RunState


@dataclass(frozen=True, kw_only=True)
class RunEnd:
    """How a run of a campaign ended.

    ``not_kept``: the library had no room for it; ``failure`` says where it is. ``is_audit_stopped``: it completed, and
    the user stopped its audit.
    """

    run_id: str
    state: RunState
    failure: str = ""
    not_kept: bool = False
    is_audit_stopped: bool = False


@dataclass(frozen=True, kw_only=True)
class Acted:
    """What came of an action: its line for the audit, and a sentence when it failed."""

    audit: str
    failure: str = ""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What the runs of a point came to: ``run_id`` represents them, ``refusals`` say why they must not be judged.

    ``figures`` are by the keys of ``engine.analysis.verdicts.figures``.

    ``doubts`` say why they must not be judged to miss, though they may hold; ``remarks`` are sentences on what limits a
    judgement all the same.
    """

    figures: Mapping[str, float | None] = field(default_factory=dict)
    refusals: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    run_id: str = ""


class CampaignTools(Protocol):
    """Does the work of the steps. Everything raises ``UserError`` or ``TargetError`` when it fails, and what can be
    cancelled ``Cancelled``."""

    def reset(self, plan: RunPlan, *, report_progress: ReportProgress, cancelled: IsCancelled) -> None: ...

    def act(self, plan: RunPlan, injection: Injection) -> Acted: ...

    def missing(self, plan: RunPlan, condition: Condition) -> str:
        """What a condition lacks to be met, as a clause; empty when it is met. Returns within seconds."""
        ...

    def measure_idle_watts(
        self, machines: Sequence[str], seconds: float, *, report_progress: ReportProgress, cancelled: IsCancelled
    ) -> tuple[IdleWatts, ...]:
        """Read the watts of machines of the inventory for so long, and keep the means with the configuration."""
        ...

    def run(
        self,
        unit: Unit,
        *,
        announce: Callable[[str], None],
        started: Callable[[str], None],
        report_progress: ReportProgress,
    ) -> RunEnd:
        """Conduct the unit's run. ``announce`` is called with its id before it is in the library, ``started`` then."""
        ...

    def is_completed(self, run_id: str) -> bool:
        """Whether the run is in the library and completed; also in its bin."""
        ...

    def complete(self, unit: Unit, run_id: str, siblings: Sequence[str], *, report_progress: ReportProgress) -> str:
        """Do what may be left to do of a completed run: put it into its set, with its ``siblings``, and audit it.

        Returns a sentence on it, such as that orders were lost; empty when there is none.
        """
        ...

    def measured(self, plan: RunPlan, run_ids: Sequence[str], criteria: Sequence[Criterion]) -> Measured:
        """The figures of a point of a search, among them those of the criteria."""
        ...
