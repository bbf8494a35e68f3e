"""What Spindle itself can do to a target during a run, as plain values: part of a plan, stored with the run.

One class for each kind; each is checked when it is made and raises ``BadInput`` that names the field, the value and the
mend. None holds a password. ``engine.faults.injector`` executes them.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace
from enum import StrEnum
from typing import Any, ClassVar

from engine.errors import BadInput
from engine.faults.lab_actions import WORDS, LabAction, check_action, read_action
from engine.machines.access import RedfishAccess, SshAccess
from engine.machines.addresses import HostName, OneLine
from engine.machines.inventory import Inventory
from engine.machines.machine import checked_name
from engine.parameters.typed_text import checked_duration
from engine.parameters.values import did_you_mean

LONGEST_TIMEOUT_SECONDS = 3_600.0
RESET_TYPES = (
    "On",
    "ForceOff",
    "GracefulShutdown",
    "GracefulRestart",
    "ForceRestart",
    "Nmi",
    "ForceOn",
    "PushPowerButton",
    "PowerCycle",
    "Suspend",
    "Pause",
    "Resume",
)
"""The values of ``ResetType`` in DMTF's Redfish schema Resource (DSP8010)."""
MACHINE_PREFIX = "machine:"
"""What stands before the name of a machine of the inventory where a host may be typed."""
_LONGEST_ACT = 60
_MOST_NODES = 3


class FaultKind(StrEnum):
    """What a fault does; a mark only says that something else happens then."""

    MARK = "mark"
    LAB = "lab"
    COMMAND = "command"
    SSH = "ssh"
    SQL = "sql"
    REDFISH = "redfish"


@dataclass(frozen=True, kw_only=True)
class LabInjection:
    """An action of the embedded lab, on the node of a number unless the action determines the node."""

    kind: ClassVar = FaultKind.LAB
    action: LabAction
    node: int | None = None
    value: float | None = None
    timeout_seconds: float = 60.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "action", read_action(_text("action", self.action)))
        if self.node is not None and type(self.node) is not int:
            raise BadInput(f"node is {self.node!r}; give its number from 1.")
        if self.value is not None:
            object.__setattr__(self, "value", checked_duration("value", self.value, most=100_000))
        check_action(self.action, nodes=_MOST_NODES, node=self.node, value=self.value)
        _check_timeout(self)

    @property
    def ended_by(self) -> LabAction | None:
        """The action that undoes this one; ``None`` when nothing has to be undone."""
        return WORDS[self.action].ends_with

    @property
    def act(self) -> str:
        """What is done, in a few words, for a label."""
        return action_text(self.action).capitalize() + ("" if self.node is None else f" of node {self.node}")


@dataclass(frozen=True, kw_only=True)
class CommandInjection:
    """A program on this machine with its arguments; with ``shell``, one text that the system's shell reads."""

    kind: ClassVar = FaultKind.COMMAND
    arguments: tuple[str, ...]
    shell: bool = False
    timeout_seconds: float = 60.0

    def __post_init__(self) -> None:
        given = self.arguments
        if not isinstance(given, list | tuple) or not given or not all(isinstance(each, str) for each in given):
            raise BadInput(
                'arguments is not a list of texts; give the program and arguments, such as ["/path/tool", "--x"].'
            )
        object.__setattr__(self, "arguments", tuple(_text("arguments", each) for each in given))
        if not self.arguments[0].strip():
            raise BadInput("arguments begins with an empty text; give the program's path first.")
        if not isinstance(self.shell, bool):
            raise BadInput(f"shell is {self.shell!r}; give true or false.")
        if self.shell and len(self.arguments) > 1:
            raise BadInput(f"arguments has {len(self.arguments)} texts; a shell takes one: the whole command.")
        _check_timeout(self)

    @property
    def act(self) -> str:
        return _short(f"Run {' '.join(self.arguments)}")


@dataclass(frozen=True, kw_only=True)
class SshInjection:
    """A command on another machine, over the system's ssh with its keys, agent, known hosts and configuration.

    The machine is one of the inventory, or a host.
    """

    kind: ClassVar = FaultKind.SSH
    host: str = ""
    command: str
    user: str = ""
    port: int | None = None
    machine: str = ""
    timeout_seconds: float = 60.0

    def __post_init__(self) -> None:
        if not _is_of_machine(self, ("host", "user", "port")):
            self._own_access()
        if not _text("command", self.command).strip():
            raise BadInput("command is empty; give the command to run there.")
        _check_timeout(self)

    def access(self, inventory: Inventory) -> SshAccess:
        """How the machine is reached; raises ``BadInput`` when it is not in the inventory, or has no SSH access."""
        return inventory.access_of(self.machine, SshAccess) if self.machine else self._own_access()

    @property
    def place(self) -> str:
        """``root@r630:22`` or ``machine:db1`` as it is typed; user and port only when they are given."""
        return machine_place(self.machine) if self.machine else self._own_access().place

    @property
    def act(self) -> str:
        return _short(f"{self.machine or self.place}: {self.command}")

    def _own_access(self) -> SshAccess:
        return SshAccess(host=self.host, user=self.user, port=self.port)


@dataclass(frozen=True, kw_only=True)
class SqlInjection:
    """A statement on one host of a target, by the target's user, whatever role the host has.

    ``target`` counts from 1 in the plan's stores; ``host`` is a host's number from 1 in that target, or its name.
    """

    kind: ClassVar = FaultKind.SQL
    statement: str
    host: str = "1"
    target: int = 1
    timeout_seconds: float = 30.0

    def __post_init__(self) -> None:
        if not _text("statement", self.statement).strip():
            raise BadInput("statement is empty; give one, such as SELECT pg_promote().")
        HostName("a host's number from 1 in its target, or its name").checked("host", self.host)
        if type(self.target) is not int or self.target < 1:
            raise BadInput(f"target is {self.target!r}; give the target's number from 1.")
        _check_timeout(self)

    @property
    def act(self) -> str:
        return _short(self.statement)


@dataclass(frozen=True, kw_only=True)
class RedfishInjection:
    """A reset of a server by its management controller: Redfish's action ``ComputerSystem.Reset`` over HTTPS.

    The controller is that of a machine of the inventory, or given by ``url`` and ``user``: then its certificate is
    checked against the system's authorities, or against ``ca_file``, or it is the one whose SHA-256 is ``fingerprint``.
    ``system`` is needed when the controller manages several.
    """

    kind: ClassVar = FaultKind.REDFISH
    reset_type: str
    url: str = ""
    user: str = ""
    system: str = ""
    fingerprint: str = ""
    ca_file: str = ""
    machine: str = ""
    timeout_seconds: float = 30.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "reset_type", _reset_type(_text("reset_type", self.reset_type)))
        if _is_of_machine(self, ("url", "user", "fingerprint", "ca_file")):
            OneLine().checked("system", self.system)
        else:
            access = self._own_access()
            object.__setattr__(self, "url", access.url)
            object.__setattr__(self, "fingerprint", access.fingerprint)
        _check_timeout(self)

    def access(self, inventory: Inventory) -> RedfishAccess:
        """How the controller is reached; raises ``BadInput`` when the inventory has no such machine or controller."""
        if not self.machine:
            return self._own_access()
        access = inventory.access_of(self.machine, RedfishAccess)
        return replace(access, system=self.system) if self.system else access

    @property
    def secret_name(self) -> str:
        """The name under which the controller's password is kept; empty for that of a machine, which its access has."""
        return "" if self.machine else self._own_access().secret_name

    @property
    def place(self) -> str:
        """``https://bmc`` or ``machine:db1`` as it is typed."""
        return machine_place(self.machine) if self.machine else self.url

    @property
    def act(self) -> str:
        return f"{self.reset_type} by {self.machine or self.url.removeprefix('https://')}"

    def _own_access(self) -> RedfishAccess:
        return RedfishAccess(
            url=self.url, user=self.user, system=self.system, ca_file=self.ca_file, fingerprint=self.fingerprint
        )


Injection = LabInjection | CommandInjection | SshInjection | SqlInjection | RedfishInjection
_BY_KIND: dict[FaultKind, type[Injection]] = {
    each.kind: each for each in (LabInjection, CommandInjection, SshInjection, SqlInjection, RedfishInjection)
}


def action_text(action: LabAction) -> str:
    """The action as it is typed and shown: ``kill primary``."""
    return action.value.replace("_", " ")


def injection_keys(kind: FaultKind) -> tuple[str, ...]:
    """The keys that an injection of a kind has in a plan, besides its kind; a mark has none."""
    return tuple(field.name for field in fields(_BY_KIND[kind])) if kind in _BY_KIND else ()


def injection_to_dict(injection: Injection) -> dict[str, Any]:
    """The injection as plain values for JSON and TOML, without what has its default."""
    plain: dict[str, Any] = {"kind": injection.kind.value}
    for field in fields(injection):
        value = getattr(injection, field.name)
        if field.default is MISSING or value != field.default:
            plain[field.name] = _plain(value)
    return plain


def injection_from_dict(plain: Any) -> Injection:
    """Read an injection; raises ``BadInput`` that names an unknown key, a missing one or a wrong value."""
    if not isinstance(plain, Mapping):
        raise BadInput('an injection is a table, such as {kind = "lab", action = "thaw"}.')
    kind = checked_kind(plain.get("kind"))
    if kind is FaultKind.MARK:
        raise BadInput("kind is 'mark', which does nothing; give lab, command, ssh, sql or redfish.")
    known = injection_keys(kind)
    for key in plain:
        if key != "kind" and key not in known:
            raise BadInput(f"fault key '{key}' is not known; {did_you_mean(str(key), ('kind', *known))}.")
    for field in fields(_BY_KIND[kind]):
        if field.default is MISSING and field.name not in plain:
            raise BadInput(f"a fault of kind {kind} has no {field.name}; give it one.")
    return _BY_KIND[kind](**{key: value for key, value in plain.items() if key != "kind"})


def checked_kind(kind: object) -> FaultKind:
    """The kind; raises ``BadInput`` when there is none of that name."""
    try:
        return FaultKind(str(kind))
    except ValueError as error:
        raise BadInput(f"kind is {kind!r}; give one of {', '.join(FaultKind)}.") from error


def machine_place(machine: str) -> str:
    """A machine of the inventory as it is typed where a host may stand: ``machine:db1``."""
    return f"{MACHINE_PREFIX}{machine}"


def _is_of_machine(injection: SshInjection | RedfishInjection, keys: tuple[str, ...]) -> bool:
    """Whether the place is a machine of the inventory, and not given by these keys; raises ``BadInput`` for both or
    none."""
    given = [key for key in keys if getattr(injection, key) not in ("", None)]
    if not injection.machine:
        if not given:
            raise BadInput(f"a fault of kind {injection.kind} has no {keys[0]}; give it one, or a machine.")
        return False
    checked_name("machine", injection.machine)
    if given:
        raise BadInput(f"machine and {given[0]} say two ways where; give one of them.")
    return True


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return value.value if isinstance(value, StrEnum) else value


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise BadInput(f"{name} is {value!r}; give a text in quotes.")
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise BadInput(f"{name} is {value!r}; remove the control characters.")
    return value


def _check_timeout(injection: Injection) -> None:
    seconds = checked_duration("timeout_seconds", injection.timeout_seconds, least=0.1, most=LONGEST_TIMEOUT_SECONDS)
    object.__setattr__(injection, "timeout_seconds", seconds)


def _reset_type(typed: str) -> str:
    for known in RESET_TYPES:
        if known.lower() == typed.lower():
            return known
    raise BadInput(f"reset_type is '{typed}'; {did_you_mean(typed, RESET_TYPES, 'give one of')}.")


def _short(text: str) -> str:
    """A text in one line for a label: blanks instead of what can't be shown, and the beginning of a long one."""
    shown = " ".join("".join(each if each.isprintable() else " " for each in text).split())
    return shown if len(shown) <= _LONGEST_ACT else f"{shown[: _LONGEST_ACT - 1]}…"
