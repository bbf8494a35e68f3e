"""What a fault will do, in sentences to be shown before it is armed; and whether it can harm systems other than ours.

Called by the command line, the wizard and the live page.
"""

import shlex
from collections.abc import Iterable

from engine.faults.injections import (
    CommandInjection,
    Injection,
    LabInjection,
    RedfishInjection,
    SqlInjection,
    SshInjection,
)
from engine.faults.lab_actions import sentence_of
from engine.faults.planned import PlannedFault
from engine.machines.machine import WORKSTATION
from engine.parameters.typed_text import duration_text, time_text
from engine.target.target import EMBEDDED, STORAGE, Target


def fault_sentence(fault: PlannedFault) -> str:
    """All that is to happen, and when: ``At 0:40 of measuring: Freeze all processes of the primary (SIGSTOP).``"""
    return f"At {time_text(fault.at_seconds)} of measuring{_once(fault)}: {what_sentence(fault)}"


def what_sentence(fault: PlannedFault) -> str:
    """What is to happen, without its moment."""
    if fault.injection is None:
        return f"Mark “{fault.label}”; Spindle takes no action."
    sentences = [injection_sentence(fault.injection)]
    if fault.end is not None and fault.end_after_seconds is not None:
        sentences.append(f"After {_duration_text(fault.end_after_seconds)}: {injection_sentence(fault.end)}")
    if fault.repeat > 1:
        sentences.append(f"Repeated: {fault.repeat} times in all, every {_duration_text(fault.every_seconds)}.")
    return " ".join(sentences)


def injection_sentence(injection: Injection) -> str:
    """What one injection does, and to what."""
    at_most = f"for at most {_duration_text(injection.timeout_seconds)}"
    match injection:
        case LabInjection():
            return sentence_of(injection.action, node=injection.node, value=injection.value)
        case CommandInjection():
            how = "In a shell on this machine, run" if injection.shell else "On this machine, run"
            done = injection.arguments[0] if injection.shell else shlex.join(injection.arguments)
            return f"{how} {_line(done)} ({at_most})."
        case SshInjection():
            where = f"the machine {injection.machine}" if injection.machine else injection.place
            return f"On {where}, over ssh, run {_line(injection.command)} ({at_most})."
        case SqlInjection():
            host = f"host {injection.host}" + (f" of target {injection.target}" if injection.target > 1 else "")
            return f"On {host}, execute {_line(injection.statement)} ({at_most})."
        case RedfishInjection():
            system = f" {injection.system}" if injection.system else ""
            where = f"of the machine {injection.machine}" if injection.machine else f"at {injection.url}"
            return f"Have the management controller {where} reset its server{system}: {injection.reset_type}."


def can_hurt(fault: PlannedFault) -> bool:
    """Whether it reaches beyond marks and the embedded lab, so that its target's name has to be typed first."""
    done = (fault.injection, fault.end)
    return any(each is not None and not isinstance(each, LabInjection) for each in done)


def names_to_type(faults: Iterable[PlannedFault], stores: tuple[Target, ...]) -> tuple[str, ...]:
    """The names that have to be typed before these faults are armed, each once: what each can hurt."""
    done = (injection for fault in faults for injection in (fault.injection, fault.end) if injection is not None)
    return hurt_names(done, stores)


def hurt_names(injections: Iterable[Injection], stores: tuple[Target, ...]) -> tuple[str, ...]:
    """What these injections can hurt, each once; the embedded lab is no harm.

    A machine's name for ssh, a controller's for Redfish, a host's or ``embedded`` for SQL; and for a command, of which
    nobody knows what it reaches, the host of the plan's first store, or the machine of a file (``workstation``: this).
    """
    harmful = (each for each in injections if not isinstance(each, LabInjection))
    return tuple(dict.fromkeys(_hurt_name(each, stores) for each in harmful))


def _hurt_name(injection: Injection, stores: tuple[Target, ...]) -> str:
    match injection:
        case SshInjection():
            return injection.machine or injection.host
        case RedfishInjection():
            return injection.machine or injection.url.removeprefix("https://")
        case SqlInjection() if injection.target <= len(stores):
            return _host_name(stores[injection.target - 1], injection.host)
        case _:
            return _host_name(stores[0], "1")


def _host_name(store: Target, host: str) -> str:
    if store.kind == EMBEDDED:
        return EMBEDDED
    if store.kind == STORAGE:
        return store.storage.machine or WORKSTATION
    if host.isdecimal():
        return store.hosts[min(max(int(host), 1), len(store.hosts)) - 1].name
    return host


def _once(fault: PlannedFault) -> str:
    if fault.steady_by_seconds is None:
        return ""
    latest = time_text(fault.steady_by_seconds)
    return f" or later, once the baseline is steady (skipped if it is not steady by {latest})"


def _line(text: str) -> str:
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def _duration_text(seconds: float) -> str:
    return f"{duration_text(seconds)[:-1]} s"
