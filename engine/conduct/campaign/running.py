"""Conducts one run of a campaign: reset and preflight, the run, its end, and its audit."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from engine.campaign.units import Unit
from engine.conduct.after_run import audit_after_run
from engine.conduct.campaign.stopping import Stopping
from engine.conduct.campaign.tools import RunEnd
from engine.conduct.conductor import Conductor
from engine.conduct.made_stores import MadeStores
from engine.conduct.targets import Targets
from engine.databases.lease import Claim
from engine.databases.progress import ReportProgress
from engine.driver.sinks import Sink
from engine.errors import Cancelled, UserError
from engine.library.library import Library
from engine.plan.plan import RunPlan

_REFRESH_SECONDS = 0.5


class RunView(Protocol):
    """Shows a run of a campaign while it goes on."""

    def sinks(self) -> Sequence[Sink]: ...

    def shown(self) -> AbstractContextManager[object]:
        """The context within which ``refresh`` is called, about twice a second."""
        ...

    def refresh(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class RunSetting:
    """What all runs of a campaign have in common.

    ``claim`` is shown to others who want to use a store; it is one for all, since a server that is restarted right
    after a step may forget that the step released its leases. ``view_of`` makes what shows a run that was prepared.
    ``made`` keeps the stores that runs write for themselves until the end of the campaign.
    """

    library: Library
    targets: Targets
    configuration: str
    claim: Claim
    notify: Callable[[str], None]
    view_of: Callable[[Conductor], RunView]
    stopping: Stopping
    made: MadeStores | None = None

    def conductor(self, plan: RunPlan, name: str) -> Conductor:
        """The conductor of a run of that name, not yet prepared."""
        return Conductor(
            plan,
            library=self.library,
            targets=self.targets,
            notify=self.notify,
            name=name,
            claim=self.claim,
            made=self.made,
        )


def conduct_run(
    setting: RunSetting,
    unit: Unit,
    *,
    announce: Callable[[str], None],
    started: Callable[[str], None],
    report_progress: ReportProgress,
) -> RunEnd:
    """The run of a unit, from its stores to the library, and its audit where the plan wants one.

    Raises ``UserError`` or ``TargetError`` for what is wrong before it begins, and ``Cancelled``.
    """
    conductor, stopping = setting.conductor(unit.plan, unit.run_name), setting.stopping
    try:
        if unit.plan.reset:
            conductor.reset_changed(report_progress=report_progress, cancelled=stopping.is_asked)
        conductor.prepare(report_progress=report_progress, cancelled=stopping.is_asked)
        for notice in conductor.notices():
            setting.notify(f"{notice.cause}; {notice.remedy.plain}.")
        view = setting.view_of(conductor)
        conductor.start(view.sinks(), announce=announce)
        _point_at(setting, conductor.run_id)
        started(conductor.run_id)
        with view.shown():
            _await_end(conductor, stopping, view)
        record = conductor.finish(keeps_leases=bool(unit.plan.audit))
        if conductor.rescue is not None:
            return RunEnd(run_id=record.run_id, state=record.state, failure=conductor.rescue.sentence(), not_kept=True)
        is_audit_stopped = bool(unit.plan.audit) and not _audited(setting, record.run_id, report_progress)
        return RunEnd(
            run_id=record.run_id, state=record.state, failure=record.failure, is_audit_stopped=is_audit_stopped
        )
    finally:
        conductor.close()


def _await_end(conductor: Conductor, stopping: Stopping, view: RunView) -> None:
    """Wait for the end of the run, and stop it when the campaign is to stop."""
    while not conductor.run.wait(_REFRESH_SECONDS):
        if stopping.is_urgent():
            conductor.run.stop_now()
        elif stopping.is_asked():
            conductor.run.stop()
        view.refresh()
    view.refresh()


def _point_at(setting: RunSetting, run_id: str) -> None:
    """Record what the run is measured on; the run goes on when that fails, as it can be set later."""
    if not setting.configuration:
        return
    try:
        setting.library.configurations.point_runs((run_id,), setting.configuration)
    except UserError as error:
        setting.notify(str(error))


def _audited(setting: RunSetting, run_id: str, report_progress: ReportProgress) -> bool:
    """Audit the run while its stores are leased; whether it was not stopped. An error costs no result."""
    try:
        audit_after_run(
            setting.library,
            run_id,
            setting.targets.resolve,
            report_progress=report_progress,
            cancelled=setting.stopping.is_asked,
        )
    except Cancelled:
        return False
    except UserError as error:
        setting.notify(f"The audit of run {run_id} failed: {error}")
    return True
