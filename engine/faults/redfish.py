"""Resetting a server through its management controller: DMTF's Redfish (DSP0266) over HTTPS.

Called by the injector's doers and by the check before a run. The way is the specification's: service root, collection
of systems, the system, its action ``#ComputerSystem.Reset``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import UserError
from engine.faults.injections import RedfishInjection
from engine.faults.outcome import Outcome, shortened
from engine.machines.access import RedfishAccess
from engine.machines.redfish import SERVICE_ROOT, RedfishConnection, linked_path
from engine.secrets import Secret

_MOST_SYSTEMS_NAMED = 8
_DONE = (200, 202, 204)


@dataclass(frozen=True, kw_only=True)
class SystemToReset:
    """A system as its controller describes it: where it is reset, and what it allows (empty: unknown)."""

    path: str
    name: str
    power_state: str
    reset_path: str
    allowed: tuple[str, ...]


def reset(injection: RedfishInjection, access: RedfishAccess, password: Secret | None) -> Outcome:
    """Find the system and reset it; the outcome has its power state before and the controller's answer."""
    try:
        system = find_system(injection, access, password)
    except UserError as error:
        return Outcome.not_begun(str(error))
    connection = RedfishConnection(access, password, timeout_seconds=injection.timeout_seconds)
    try:
        status, answer = connection.post(system.reset_path, {"ResetType": injection.reset_type})
    except UserError as error:
        return Outcome(output=f"{system.name} was {system.power_state}", failure=str(error))
    finally:
        connection.close()
    output = shortened(f"{system.name} was {system.power_state}; HTTP {status}\n{_message(answer)}")
    if status not in _DONE:
        return Outcome(output=output, failure=f"the controller refused with HTTP {status}", never_began=True)
    return Outcome(output=output)


def find_system(injection: RedfishInjection, access: RedfishAccess, password: Secret | None) -> SystemToReset:
    """Look the system up, and whether it allows the reset; nothing is changed. Raises ``UserError``."""
    connection = RedfishConnection(access, password, timeout_seconds=injection.timeout_seconds)
    try:
        root = connection.get(SERVICE_ROOT)
        members = connection.get(linked_path(root.get("Systems"), "Systems")).get("Members")
        paths = [linked_path(each, "Members") for each in members] if isinstance(members, list) else []
        system = _system_of(connection.get(_chosen(paths, access)))
    finally:
        connection.close()
    if system.allowed and injection.reset_type not in system.allowed:
        raise UserError(f"{system.name} allows no {injection.reset_type}; it allows {', '.join(system.allowed)}.")
    return system


def _chosen(paths: list[str], access: RedfishAccess) -> str:
    wanted = access.system
    if wanted:
        for path in paths:
            if wanted in (path, path.rstrip("/").rpartition("/")[2]):
                return path
    elif len(paths) == 1:
        return paths[0]
    names = ", ".join(path.rstrip("/").rpartition("/")[2] for path in paths[:_MOST_SYSTEMS_NAMED]) or "none"
    asked = f"no system '{wanted}'" if wanted else f"{len(paths)} systems"
    raise UserError(f"the management controller at {access.url} manages {asked}; name one of: {names}.")


def _system_of(plain: Mapping[str, Any]) -> SystemToReset:
    actions = plain.get("Actions")
    action = actions.get("#ComputerSystem.Reset") if isinstance(actions, Mapping) else None
    target = action.get("target") if isinstance(action, Mapping) else None
    name = str(plain.get("Name") or plain.get("Id") or "the system")
    if not isinstance(target, str) or not target.startswith("/") or target.startswith("//"):
        raise UserError(f"{name} can't be reset through its management controller.")
    allowed = action.get("ResetType@Redfish.AllowableValues") if isinstance(action, Mapping) else None
    return SystemToReset(
        path=str(plain.get("@odata.id", "")),
        name=name,
        power_state=str(plain.get("PowerState", "in an unknown power state")),
        reset_path=target,
        allowed=tuple(str(each) for each in allowed) if isinstance(allowed, list) else (),
    )


def _message(answer: Mapping[str, Any]) -> str:
    """The controller's own words in an answer: of an error, or of what it did."""
    error = answer.get("error")
    parts = error if isinstance(error, Mapping) else answer
    infos = parts.get("@Message.ExtendedInfo")
    if isinstance(infos, list):
        messages = [str(each["Message"]) for each in infos if isinstance(each, Mapping) and each.get("Message")]
        if messages:
            return "\n".join(messages)
    return str(parts.get("message", ""))
