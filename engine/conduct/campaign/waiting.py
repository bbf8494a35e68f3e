"""Whether what a campaign waits for is the case: asked once, within some seconds, without changing anything."""

import os
import shutil
import socket
import sys
from collections.abc import Sequence
from dataclasses import replace

from engine.campaign.conditions import (
    SQL_PING,
    Condition,
    LoadBelow,
    Ping,
    PortOpen,
    ReplicationCaughtUp,
    ServiceActive,
    SqlAnswers,
)
from engine.conduct.campaign.replication import lagging
from engine.conduct.endpoint import Endpoint
from engine.conduct.fault_tools import InjectionTargets, check_injection, injection_tools
from engine.databases import database_of
from engine.errors import BadInput, ErrorClass, TargetError
from engine.faults.commands import run_program, run_ssh
from engine.faults.injection_text import named_machine, ssh_injection
from engine.faults.injections import SqlInjection
from engine.faults.injector import execute_injection
from engine.faults.outcome import Outcome
from engine.machines.lookup import check_host_name
from engine.machines.ssh import FAILED, check_ssh_host, ssh_problem

_ASK_SECONDS = 5.0
_PING = "ping"
_SYSTEMCTL = "systemctl"


def missing(condition: Condition, targets: InjectionTargets) -> str:
    """What a condition lacks to be met, as a clause; empty when it is met."""
    match condition:
        case Ping():
            arguments = _ping_arguments(_host_of(condition, targets))
            return _unless(run_program(arguments, _ASK_SECONDS), "it does not answer")
        case PortOpen():
            return _unopened(_host_of(condition, targets), condition.port)
        case ServiceActive():
            command = (_SYSTEMCTL, "is-active", condition.service)
            return _unless(_run_at(condition.place, command, targets), "it is not active")
        case SqlAnswers():
            return _unanswered(condition, targets)
        case LoadBelow():
            return _overloaded(condition, targets)
        case ReplicationCaughtUp():
            found = (lagging(each, condition.within_seconds) for each in targets.endpoints)
            return next(filter(None, found), "")


def check_condition(condition: Condition, targets: InjectionTargets) -> None:
    """Raise ``BadInput`` for a condition that certainly can't be met on this machine or with these targets."""
    place = getattr(condition, "place", "")
    if place:
        check_ssh_host(ssh_injection(place, "true").access(targets.inventory()))
    if isinstance(condition, Ping | PortOpen):
        check_host_name(_host_of(condition, targets))
    match condition:
        case Ping():
            _check_program(_PING, "give another condition, such as port r630:22")
        case ServiceActive(place=""):
            _check_systemd()
        case SqlAnswers(host=host) if host:
            check_injection(_injection(condition), targets)
        case ReplicationCaughtUp():
            for planned, store in zip(targets.stores, targets.endpoints, strict=True):
                if len(store.target.hosts) < 2:
                    raise BadInput(
                        f"for is 'replication', and target {planned.url} has one host, so no replica is known;"
                        " name all hosts of the group in the target."
                    )
        case LoadBelow(place="") if not hasattr(os, "getloadavg"):
            raise BadInput("this system has no load average; name a machine behind 'on'.")


def _check_program(program: str, remedy: str) -> None:
    if shutil.which(program) is None:
        raise BadInput(f"this machine has no program '{program}'; install it, or {remedy}.")


def _check_systemd() -> None:
    """Its program may be there without it, as in a container; then it calls the system offline."""
    remedy = "name the machine behind 'on', or give another condition, such as port r630:5432"
    _check_program(_SYSTEMCTL, remedy)
    if run_program((_SYSTEMCTL, "is-system-running"), _ASK_SECONDS).output == "offline":
        raise BadInput(f"for is a service of this machine, which systemd does not run; {remedy}.")


def _unless(outcome: Outcome, otherwise: str) -> str:
    """Empty for a program that succeeded; else what it printed, or why it failed."""
    if outcome.exit_code == 0 and not outcome.failure:
        return ""
    return outcome.output or (otherwise if outcome.exit_code is not None else outcome.failure) or otherwise


def _ping_arguments(host: str) -> tuple[str, ...]:
    """One packet, and two seconds for its answer; ``-W`` is in milliseconds on macOS, ``-w`` on Windows."""
    if sys.platform == "win32":
        return (_PING, "-n", "1", "-w", "2000", host)
    return (_PING, "-q", "-c", "1", "-W", "2000" if sys.platform == "darwin" else "2", host)


def _host_of(condition: Ping | PortOpen, targets: InjectionTargets) -> str:
    """The host that is asked; raises ``BadInput`` for a machine that is not known or has no host."""
    machine = named_machine(condition.host)
    return targets.inventory().machine(machine).host if machine else condition.host


def _unopened(host: str, port: int) -> str:
    try:
        with socket.create_connection((host, port), timeout=_ASK_SECONDS):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def _run_at(place: str, command: Sequence[str], targets: InjectionTargets) -> Outcome:
    """Run a program here, or over SSH."""
    if not place:
        return run_program(command, _ASK_SECONDS)
    injection = ssh_injection(place, " ".join(command))
    access = injection.access(targets.inventory())
    outcome = run_ssh(access, injection.command, 2 * _ASK_SECONDS)
    return replace(outcome, output=str(ssh_problem(access, outcome.output))) if outcome.exit_code == FAILED else outcome


def _overloaded(condition: LoadBelow, targets: InjectionTargets) -> str:
    if condition.place:
        outcome = _run_at(condition.place, ("cat", "/proc/loadavg"), targets)
        if failure := _unless(outcome, "its load is not known"):
            return failure
        try:
            load = float(outcome.output.split()[0])
        except (ValueError, IndexError):
            return f"its load can't be read from '{outcome.output}'"
    else:
        load = os.getloadavg()[0]
    return "" if load < condition.below else f"the load is {load:.2f}"


def _unanswered(condition: SqlAnswers, targets: InjectionTargets) -> str:
    if condition.host:
        return execute_injection(_injection(condition), injection_tools(targets, is_steady=lambda: True)).failure
    found = (_first_answer(each, condition.statement) for each in targets.endpoints)
    return next(filter(None, found), "")


def _injection(condition: SqlAnswers) -> SqlInjection:
    return SqlInjection(
        statement=condition.statement, host=condition.host, target=condition.target, timeout_seconds=_ASK_SECONDS
    )


def _first_answer(endpoint: Endpoint, statement: str) -> str:
    """Empty when one of the hosts executes the statement; else why the last one did not."""
    target, failure = endpoint.target, ""
    for host in target.hosts:
        try:
            database_of(target.kind).execute(target, host, endpoint.secret, statement, timeout_seconds=_ASK_SECONDS)
        except TargetError as error:
            if error.error_class is ErrorClass.MISSING_DATABASE and statement == SQL_PING:
                return ""  # the server answers; its database may still have to be built
            failure = str(error).rstrip(".")
        else:
            return ""
    return failure
