"""The tools that execute a run's injections: the embedded lab, the targets' databases, programs, ssh and controllers.

Called by the conductor: ``check_faults`` before a run, ``injection_tools`` when it begins.
"""

import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from engine.conduct.endpoint import Endpoint
from engine.databases import database_of
from engine.errors import BadInput, ErrorClass, TargetError, UserError
from engine.faults.commands import run_command, run_ssh
from engine.faults.fault_text import what_text
from engine.faults.fitting import check_injection_fits
from engine.faults.injections import (
    CommandInjection,
    FaultKind,
    Injection,
    LabInjection,
    RedfishInjection,
    SqlInjection,
    SshInjection,
)
from engine.faults.injector import InjectionTools
from engine.faults.lab_actions import LabAction
from engine.faults.outcome import Outcome, shortened
from engine.faults.planned import PlannedFault
from engine.faults.redfish import find_system, reset
from engine.figure_text import counted
from engine.machines.inventory import Inventory
from engine.machines.ssh import check_ssh_host
from engine.secrets import Secret
from engine.target.target import Host, Target


class RunLabAction(Protocol):
    """Does an action in the lab and says what was done; raises ``UserError``."""

    def __call__(self, action: LabAction, *, node: int | None = None, value: float | None = None) -> str: ...


_LEAST_SECRET = 6  # a shorter one is as likely to be a word of the fault
_NEVER_CONNECTED = (ErrorClass.REJECTED, ErrorClass.MISSING_DATABASE)


@dataclass(frozen=True, kw_only=True)
class InjectionTargets:
    """What the injections of a run or a campaign may act on: the plan's stores in order, and the endpoint of each.

    ``run_lab_action`` is the embedded server's, if the run drives it. ``find_secret`` looks up a management
    controller's password by its name; ``inventory`` reads the machines that may be named; ``secrets`` returns all known
    secrets.
    """

    run_lab_action: RunLabAction | None
    stores: Sequence[Target]
    endpoints: Sequence[Endpoint]
    find_secret: Callable[[str], Secret | None]
    inventory: Callable[[], Inventory]
    secrets: Callable[[], Iterable[Secret]]


def injection_tools(targets: InjectionTargets, *, is_steady: Callable[[], bool]) -> InjectionTools:
    """What ``Run`` executes injections with."""

    def run_lab_action(injection: LabInjection) -> Outcome:
        if targets.run_lab_action is None:
            return Outcome.not_begun("the run drives no embedded server")
        done = targets.run_lab_action(injection.action, node=injection.node, value=injection.value)
        return Outcome(output=shortened(done))

    def execute(injection: SqlInjection) -> Outcome:
        endpoint, host = _place(targets, injection)
        try:
            output = database_of(endpoint.target.kind).execute(
                endpoint.target, host, endpoint.secret, injection.statement, timeout_seconds=injection.timeout_seconds
            )
        except TargetError as error:
            never_began = error.undone or error.error_class in _NEVER_CONNECTED
            return Outcome(failure=shortened(str(error)), never_began=never_began)
        return Outcome(output=shortened(output))

    def run_over_ssh(injection: SshInjection) -> Outcome:
        access = injection.access(targets.inventory())
        outcome = run_ssh(access, injection.command, injection.timeout_seconds)
        return replace(outcome, place=access.place if injection.machine else "")

    def reset_server(injection: RedfishInjection) -> Outcome:
        access = injection.access(targets.inventory())
        outcome = reset(injection, access, targets.find_secret(access.secret_name))
        return replace(outcome, place=access.place if injection.machine else "")

    return InjectionTools(
        executors={
            FaultKind.LAB: run_lab_action,
            FaultKind.SQL: execute,
            FaultKind.COMMAND: run_command,
            FaultKind.SSH: run_over_ssh,
            FaultKind.REDFISH: reset_server,
        },
        is_steady=is_steady,
        secrets=targets.secrets,
    )


def check_faults(faults: Iterable[PlannedFault], targets: InjectionTargets) -> None:
    """Raise ``UserError`` for faults that are certain to fail in the run; changes nothing.

    A management controller is queried for its system, which needs its password. A fault must not contain a known
    password, since the plan is stored with its run.
    """
    checked: set[Injection] = set()
    for fault in faults:
        check_no_secret(f"{fault.label} {what_text(fault)}", "a fault", targets.secrets())
        for injection in (fault.injection, fault.end):
            if injection is None or injection in checked:
                continue
            checked.add(injection)
            try:
                check_injection(injection, targets)
            except BadInput as error:
                raise BadInput(f"fault '{fault.label}': {error.cause}", remedy=error.remedy) from error
            except UserError as error:
                raise UserError(f"fault '{fault.label}': {error.cause}", remedy=error.remedy) from error


def check_no_secret(text: str, what: str, secrets: Iterable[Secret]) -> None:
    """Raise ``BadInput`` for the text of ``what`` is to be injected if a known password is in it."""
    if any(len(secret.reveal()) >= _LEAST_SECRET and secret.reveal() in text for secret in secrets):
        raise BadInput(
            f"{what} contains a password, and plans are stored; remove it: a program can read it from its own file."
        )


def check_injection(injection: Injection, targets: InjectionTargets) -> None:
    """Raise ``UserError`` for an injection that is certain to fail; changes nothing."""
    match injection:
        case LabInjection():
            check_injection_fits(injection, targets.stores)
        case SqlInjection():
            _place(targets, injection)
        case CommandInjection():
            _check_program(injection)
        case SshInjection():
            check_ssh_host(injection.access(targets.inventory()))
        case RedfishInjection():
            access = injection.access(targets.inventory())
            find_system(injection, access, targets.find_secret(access.secret_name))


def _check_program(command: CommandInjection) -> None:
    program = command.arguments[0]
    if command.shell or shutil.which(program) is not None:
        return
    if Path(program).is_file():
        raise BadInput(f"{program} can't be executed; make it executable, or name its interpreter first.")
    raise BadInput(f"{program} is not a program on this machine; give its path.")


def _place(targets: InjectionTargets, injection: SqlInjection) -> tuple[Endpoint, Host]:
    """Where a statement goes; raises ``BadInput`` when there is no such target or host."""
    check_injection_fits(injection, targets.stores)
    endpoint = targets.endpoints[injection.target - 1]
    hosts = endpoint.target.hosts
    wanted = injection.host
    if wanted.isdecimal():
        if 1 <= int(wanted) <= len(hosts):
            return endpoint, hosts[int(wanted) - 1]
    else:
        for host in hosts:
            if wanted in (host.name, str(host)):
                return endpoint, host
    known = f"{counted(len(hosts), 'host')} ({', '.join(map(str, hosts))})"
    raise BadInput(f"host is {wanted}, and the target has {known}; give the number of one, from 1, or its name.")
