"""Does the work of a campaign's steps, on real stores, servers and the library."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from engine.analysis.host.idle_watts import IdleWatts, with_idle_watts
from engine.audit.report import AuditReport
from engine.campaign.conditions import Condition
from engine.campaign.criteria import Criterion
from engine.campaign.units import Unit
from engine.conduct.after_run import audit_after_run
from engine.conduct.campaign.measuring import measured
from engine.conduct.campaign.running import RunSetting, conduct_run
from engine.conduct.campaign.tools import Acted, Measured, RunEnd
from engine.conduct.campaign.waiting import missing
from engine.conduct.fault_tools import InjectionTargets, injection_tools
from engine.conduct.idle_watts import measure_idle_watts
from engine.conduct.targets import Targets
from engine.databases.progress import IsCancelled, ReportProgress
from engine.errors import RunNotFound, UserError
from engine.faults.injections import Injection
from engine.faults.injector import audit_line, execute_injection
from engine.faults.outcome import Outcome
from engine.figure_text import capitalised
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord, RunState
from engine.report.audit_text import audit_sentences
from engine.secrets import masked
from engine.target.target import EMBEDDED


class RealTools:
    """Implements ``engine.conduct.campaign.tools.CampaignTools``; ``name`` is the campaign's."""

    def __init__(self, setting: RunSetting, name: str) -> None:
        self._setting = setting
        self._name = name

    def reset(self, plan: RunPlan, *, report_progress: ReportProgress, cancelled: IsCancelled) -> None:
        conductor = self._setting.conductor(plan, f"campaign '{self._name}'")
        try:
            conductor.reset_changed(report_progress=report_progress, cancelled=cancelled)
        finally:
            conductor.close()

    def act(self, plan: RunPlan, injection: Injection) -> Acted:
        targets = injection_targets(plan, self._setting.targets)
        asked_at = datetime.now(UTC)
        outcome = execute_injection(injection, injection_tools(targets, is_steady=lambda: True))
        line = audit_line(injection, asked_at, began_at=asked_at, outcome=outcome)
        secrets = list(targets.secrets())
        return Acted(audit=line.text(secrets), failure=masked(_failure(outcome), secrets))

    def missing(self, plan: RunPlan, condition: Condition) -> str:
        return missing(condition, injection_targets(plan, self._setting.targets))

    def measure_idle_watts(
        self, machines: Sequence[str], seconds: float, *, report_progress: ReportProgress, cancelled: IsCancelled
    ) -> tuple[IdleWatts, ...]:
        setting = self._setting
        known = setting.targets.inventory()
        measured = measure_idle_watts(
            [known.machine(each) for each in machines],
            setting.targets.secret,
            seconds,
            report_progress=report_progress,
            cancelled=cancelled,
        )
        if setting.configuration:
            kept = setting.library.configurations
            found = kept.get(setting.configuration)
            kept.save(replace(found, watts=with_idle_watts(found.watts, measured)))
        return measured

    def run(
        self,
        unit: Unit,
        *,
        announce: Callable[[str], None],
        started: Callable[[str], None],
        report_progress: ReportProgress,
    ) -> RunEnd:
        return conduct_run(self._setting, unit, announce=announce, started=started, report_progress=report_progress)

    def is_completed(self, run_id: str) -> bool:
        record = self._record(run_id)
        return record is not None and record.state is RunState.COMPLETED

    def complete(self, unit: Unit, run_id: str, siblings: Sequence[str], *, report_progress: ReportProgress) -> str:
        record = self._record(run_id)
        if record is None or record.deleted_at is not None:
            return ""
        if unit.set_name:
            self._add_to_set(unit.set_name, run_id, siblings)
        if not unit.plan.audit:
            return ""
        report = (
            AuditReport.from_dict(record.audit) if record.audit is not None else self._audit(run_id, report_progress)
        )
        return " ".join(audit_sentences(report, unit.plan)) if report.worst_verdict.is_alarming else ""

    def measured(self, plan: RunPlan, run_ids: Sequence[str], criteria: Sequence[Criterion]) -> Measured:
        return measured(self._setting.library, plan, run_ids, criteria)

    def _audit(self, run_id: str, report_progress: ReportProgress) -> AuditReport:
        setting = self._setting
        return audit_after_run(
            setting.library,
            run_id,
            setting.targets.resolve,
            report_progress=report_progress,
            cancelled=setting.stopping.is_asked,
        )

    def _record(self, run_id: str) -> RunRecord | None:
        """The run, also from the bin; ``None`` when the library does not have it."""
        library = self._setting.library
        try:
            return library.run(run_id)
        except RunNotFound:
            pass
        try:
            return library.bin.find(run_id)
        except UserError:
            return None

    def _add_to_set(self, name: str, run_id: str, siblings: Sequence[str]) -> None:
        """Put a run into the set of the first of its siblings that has one, else into a new set."""
        sets = self._setting.library.sets
        if sets.of_run(run_id) is not None:
            return
        for sibling in siblings:
            record = self._record(sibling)
            if record is not None and record.run_set:
                sets.add(record.run_set, (run_id,))
                return
        sets.make(name, (run_id,), configuration=self._setting.configuration, numbered=True)


def _failure(outcome: Outcome) -> str:
    """Why an action failed, with what it printed; empty when it did not."""
    if not outcome.failure:
        return ""
    code = f" (exit code {outcome.exit_code})" if outcome.exit_code is not None and outcome.exit_code > 0 else ""
    printed = f" Output: {outcome.output}" if outcome.output else ""
    return f"{capitalised(outcome.failure.rstrip('.'))}{code}.{printed}"


def injection_targets(plan: RunPlan, targets: Targets) -> InjectionTargets:
    """What actions and conditions may act on: the plan's stores, as they are reached now. Raises ``UserError``."""
    stores = plan.stores()
    return InjectionTargets(
        run_lab_action=targets.run_lab_action if any(store.kind == EMBEDDED for store in stores) else None,
        stores=stores,
        endpoints=[targets.resolve(store, as_it_is=True) for store in stores],
        find_secret=targets.secret,
        inventory=targets.inventory,
        secrets=targets.secrets,
    )
