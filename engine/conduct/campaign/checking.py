"""All that can be known to be wrong with a campaign before its first step begins; changes nothing.

It opens connections, and asks for passwords by way of ``Targets``.
"""

from collections.abc import Callable, Sequence

from engine.campaign.plan import CampaignPlan
from engine.campaign.steps import ActStep, IdleStep, LeafStep, ResetFrom, ResetStep, WaitStep
from engine.conduct.campaign.real_tools import injection_targets
from engine.conduct.campaign.waiting import check_condition
from engine.conduct.endpoint import errors_as_planned, state_or_none
from engine.conduct.fault_tools import check_faults, check_injection, check_no_secret
from engine.conduct.idle_watts import meters_of
from engine.conduct.leasing import place_of
from engine.conduct.load_machines import check_load_machines
from engine.conduct.machines import read_machines
from engine.conduct.preflight import check_store
from engine.conduct.targets import Targets
from engine.databases.database import StoreState
from engine.databases.progress import IsCancelled, ReportProgress
from engine.errors import BadInput, Cancelled, ErrorClass, TargetError, UserError
from engine.faults.injection_text import injection_text
from engine.figure_text import capitalised
from engine.library.library import Library
from engine.plan.plan import RunPlan
from engine.target.target import EMBEDDED, Target


def check_campaign(
    plan: CampaignPlan,
    library: Library,
    targets: Targets,
    *,
    notify: Callable[[str], None],
    report_progress: ReportProgress,
    cancelled: IsCancelled,
    is_resumed: bool = False,
) -> None:
    """Look at the configuration, every store, machine, action and condition of a campaign.

    A server that does not answer is an error, unless an action comes before it, which may be what starts it, or any
    action in a campaign that ``is_resumed``; then ``notify`` gets a sentence. Raises ``UserError`` that names the step,
    and ``Cancelled``.
    """
    if plan.configuration:
        library.configurations.get(plan.configuration)
    _ask_for_secrets(plan, targets)
    checks = _Checks(plan, targets, notify, report_progress)
    if is_resumed:
        checks.expect_restarts()
    for number, step, run_plan in plan.leaves():
        if cancelled():
            raise Cancelled
        try:
            checks.check(step, run_plan)
        except UserError as error:
            kind = BadInput if isinstance(error, BadInput) else UserError
            raise kind(f"step {number} ({step.kind}): {error.cause}", remedy=error.remedy) from error


def _ask_for_secrets(plan: CampaignPlan, targets: Targets) -> None:
    """Look up every target's password once, so that nothing is asked for in the middle of the night."""
    for _, _, run_plan in plan.leaves():
        for store in run_plan.stores():
            if store.takes_password and store.kind != EMBEDDED:
                targets.secret(store.secret_name)


class _Checks:
    """Checks steps in their order, each store, action and condition once."""

    def __init__(
        self, plan: CampaignPlan, targets: Targets, notify: Callable[[str], None], report_progress: ReportProgress
    ) -> None:
        self._plan = plan
        self._targets = targets
        self._notify = notify
        self._report_progress = report_progress
        self._checked: set[object] = set()
        self._may_be_down = False
        self._resets = any(isinstance(step, ResetStep) for _, step, _ in plan.leaves())

    def expect_restarts(self) -> None:
        """From now on, servers may be down if the campaign has any action."""
        self._may_be_down = any(isinstance(step, ActStep) for _, step, _ in self._plan.leaves())

    def check(self, step: LeafStep, plan: RunPlan) -> None:
        match step:
            case ActStep(injection=injection):
                if self._is_new((injection, plan.stores())):
                    targets = injection_targets(plan, self._targets)
                    check_no_secret(injection_text(injection), "an action", targets.secrets())
                    check_injection(injection, targets)
                self._may_be_down = True
            case WaitStep(condition=condition):
                if self._is_new((condition, plan.stores())):
                    targets = injection_targets(plan, self._targets)
                    check_no_secret(condition.text, "a condition", targets.secrets())
                    check_condition(condition, targets)
            case IdleStep(watts_of=machines):
                self._check_meters(machines)
            case _:
                if plan.machines and self._is_new(plan.machines):
                    read_machines(plan.machines, self._targets.inventory, self._targets.secret, notify=self._notify)
                check_load_machines(plan, self._targets.inventory)
                needs_backup = isinstance(step, ResetStep) and step.source is ResetFrom.BACKUP
                for load, store in ((each, store) for each in plan.loads for store in each.stores()):
                    if self._is_new((store, load.workload, str(load.scale), needs_backup)):
                        self._check_store(load, store, needs_backup=needs_backup)
                if plan.faults and self._is_new((plan.faults, plan.stores())):
                    check_faults(plan.faults, injection_targets(plan, self._targets))

    def _check_meters(self, machines: Sequence[str]) -> None:
        for each in machines:
            for meter in meters_of(self._targets.inventory().machine(each)):
                if meter.secret_name:
                    self._targets.secret(meter.secret_name)

    def _is_new(self, key: object) -> bool:
        is_new = key not in self._checked
        self._checked.add(key)
        return is_new

    def _check_store(self, plan: RunPlan, planned: Target, *, needs_backup: bool) -> None:
        try:
            self._look_at(plan, planned, needs_backup=needs_backup)
        except UserError as error:
            lost = isinstance(error.__cause__, TargetError) and error.__cause__.error_class in (
                ErrorClass.CONNECTION_LOST,
                ErrorClass.TIMEOUT,
            )
            if not (lost and self._may_be_down):
                raise
            self._notify(f"{capitalised(place_of(planned))} can't be checked yet: {error}")

    def _look_at(self, plan: RunPlan, planned: Target, *, needs_backup: bool) -> None:
        endpoint = self._targets.resolve(planned)
        with errors_as_planned(planned, endpoint, plan.workload):
            state = state_or_none(endpoint.store(endpoint.timeouts, plan.workload))
            if needs_backup and (state is None or not state.has_backup):
                raise BadInput(
                    f"from is 'backup', and {place_of(planned)} has no backup of its store as built; leave from out, or"
                    " build the store with a backup folder."
                )
            if not self._is_made_whole(planned, state, plan):
                check_store(plan, planned, endpoint, endpoint.timeouts, self._report_progress)

    def _is_made_whole(self, planned: Target, state: StoreState | None, plan: RunPlan) -> bool:
        """Whether a store that is not whole will be, before its run: built on the embedded server, or reset."""
        if state is None or not (state.complete or state.is_reset_interrupted):
            return planned.kind == EMBEDDED
        return state.is_reset_interrupted and (self._resets or bool(plan.reset))
