"""A simulation without servers and without waiting: what a campaign's steps do, and when the process is killed.

Only the world and its time are simulated: the executor and the journal in its library are the real ones.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.analysis.host.idle_watts import IdleWatts
from engine.campaign.conditions import Condition
from engine.campaign.criteria import Criterion
from engine.campaign.journal import EntryState, JournalEntry
from engine.campaign.units import Unit
from engine.conduct.campaign.executor import CampaignExecutor
from engine.conduct.campaign.stopping import Stopping
from engine.conduct.campaign.tools import Acted, Measured, RunEnd
from engine.databases.progress import IsCancelled, ReportProgress
from engine.errors import UserError
from engine.faults.injections import Injection
from engine.library.campaigns import CampaignJournal
from engine.plan.plan import RunPlan
from engine.record.record import RunState


class Killed(BaseException):
    """The process is gone: nothing in it can react."""


class Fuse:
    """Kills the process at the n-th moment at which it may die; never without a number."""

    def __init__(self, moments: int | None) -> None:
        self.left = moments

    def burn(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise Killed


class World:
    """What there is outside the process: it stays when the process dies. ``log`` is what was done to it, in order."""

    def __init__(self, *, holds_up_to: int = 10_000) -> None:
        self.log: list[str] = []
        self.runs: dict[str, RunState] = {}
        self.sets: dict[str, list[str]] = {}
        self.holds_up_to = holds_up_to
        self.threads: dict[str, int] = {}
        self.fails: Callable[[Unit], bool] = lambda _unit: False
        self.reset_error: Exception | None = None
        self.is_up_after = 0.0
        self.now = 0.0
        self.locked_until = float("-inf")


class SimulatedTools:
    """Implements ``CampaignTools`` in a ``World``."""

    def __init__(self, world: World, fuse: Fuse, stopping: Stopping) -> None:
        self._world = world
        self._fuse = fuse
        self._stopping = stopping

    def reset(self, plan: RunPlan, *, report_progress: ReportProgress, cancelled: IsCancelled) -> None:
        self._fuse.burn()
        if self._world.reset_error is not None:
            raise self._world.reset_error
        self._world.log.append("reset")
        self._fuse.burn()

    def act(self, plan: RunPlan, injection: Injection) -> Acted:
        self._fuse.burn()
        self._world.log.append("act")
        self._fuse.burn()
        return Acted(audit="by somebody")

    def missing(self, plan: RunPlan, condition: Condition) -> str:
        self._fuse.burn()
        return "" if self._world.now >= self._world.is_up_after else "it is down."

    def measure_idle_watts(
        self, machines: Sequence[str], seconds: float, *, report_progress: ReportProgress, cancelled: IsCancelled
    ) -> tuple[IdleWatts, ...]:
        self._fuse.burn()
        self._world.now += seconds
        self._world.log.append("watts")
        return tuple(IdleWatts.of(each, "Extech 380803", [181.0], is_average=False) for each in machines)

    def run(
        self,
        unit: Unit,
        *,
        announce: Callable[[str], None],
        started: Callable[[str], None],
        report_progress: ReportProgress,
    ) -> RunEnd:
        run_id = f"run-{len(self._world.log)}-{len(self._world.runs)}"
        announce(run_id)
        self._fuse.burn()
        self._world.runs[run_id] = RunState.INTERRUPTED
        self._world.threads[run_id] = unit.plan.threads
        self._world.log.append("began")
        started(run_id)
        self._fuse.burn()
        if self._stopping.is_asked():
            self._world.runs[run_id] = RunState.STOPPED
            return RunEnd(run_id=run_id, state=RunState.STOPPED)
        if self._world.fails(unit):
            self._world.runs[run_id] = RunState.FAILED
            return RunEnd(run_id=run_id, state=RunState.FAILED, failure="These clients did not start: ds2.")
        self._world.runs[run_id] = RunState.COMPLETED
        self._world.log.append("completed")
        self._fuse.burn()
        return RunEnd(run_id=run_id, state=RunState.COMPLETED)

    def is_completed(self, run_id: str) -> bool:
        return self._world.runs.get(run_id) is RunState.COMPLETED

    def complete(self, unit: Unit, run_id: str, siblings: Sequence[str], *, report_progress: ReportProgress) -> str:
        self._fuse.burn()
        members = self._world.sets.setdefault(unit.place, [])
        assert [each for each in members if each != run_id] == list(siblings)
        if run_id not in members:
            members.append(run_id)
        self._fuse.burn()
        return ""

    def measured(self, plan: RunPlan, run_ids: Sequence[str], criteria: Sequence[Criterion]) -> Measured:
        self._fuse.burn()
        if not run_ids:
            return Measured(refusals=("none of its runs counts",))
        p95 = 10.0 if self._world.threads[run_ids[0]] <= self._world.holds_up_to else 30.0
        return Measured(figures={"p95_ms": p95}, run_id=run_ids[0])


class SimulatedClock:
    """Time that passes only when somebody waits."""

    def __init__(self, world: World, fuse: Fuse) -> None:
        self._world = world
        self._fuse = fuse

    def monotonic(self) -> float:
        return self._world.now

    def wait(self, seconds: float) -> None:
        self._fuse.burn()
        self._world.now += seconds


class MortalJournal:
    """The real journal; the process may die right before and right after each write, which a lock may keep it from."""

    def __init__(self, journal: CampaignJournal, fuse: Fuse, world: World) -> None:
        self._journal = journal
        self._world = world
        self._fuse = fuse
        self.entries = journal.entries
        self.is_stop_requested = journal.is_stop_requested

    def begin(self, path: str, kind: str, title: str, data: Mapping[str, Any]) -> JournalEntry:
        return self._written(lambda: self._journal.begin(path, kind, title, data))

    def note(
        self, path: str, kind: str, title: str, data: Mapping[str, Any], *, state: EntryState, reason: str
    ) -> JournalEntry:
        return self._written(lambda: self._journal.note(path, kind, title, data, state=state, reason=reason))

    def set_run(self, number: int, run_id: str) -> None:
        self._written(lambda: self._journal.set_run(number, run_id))

    def end(self, number: int, state: EntryState, reason: str = "", data: Mapping[str, Any] | None = None) -> None:
        self._written(lambda: self._journal.end(number, state, reason, data))

    def _written(self, write: Callable[[], Any]) -> Any:
        self._fuse.burn()
        if self._world.now < self._world.locked_until:
            raise UserError("the library is locked by another program; close that program, or try again.")
        result = write()
        self._fuse.burn()
        return result


def executor(
    journal: CampaignJournal,
    world: World,
    *,
    dies_at: int | None = None,
    on_event: Callable[[Any], None] = lambda _event: None,
    stopping: Stopping | None = None,
) -> CampaignExecutor:
    """An executor of the journal's campaign in a world; the process dies at the n-th moment, if one is given."""
    fuse, asked = Fuse(dies_at), stopping or Stopping()
    return CampaignExecutor(
        journal.record().plan,
        MortalJournal(journal, fuse, world),
        SimulatedTools(world, fuse, asked),
        on_event=on_event,
        stopping=asked,
        clock=SimulatedClock(world, fuse),
    )
