"""What Spindle itself can do to a target during a run, as plain values: part of a plan, stored with the run.

One class for each kind; each is checked when it is made and raises ``BadInput`` that names the field, the value and the
mend. None holds a password. ``engine.faults.injector`` executes them.
"""

import difflib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from typing import Any, ClassVar

from engine.errors import BadInput
from engine.faults.lab_actions import WORDS, LabAction, check_action, read_action
from engine.machines.addresses import Fingerprint, HostName, HttpsPlace, UserName, bracketed, redfish_secret_name
from engine.typed_text import checked_duration

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

    Without ``user`` and ``port`` they are what ssh is configured to use.
    """

    kind: ClassVar = FaultKind.SSH
    host: str
    command: str
    user: str = ""
    port: int | None = None
    timeout_seconds: float = 60.0

    def __post_init__(self) -> None:
        HostName().checked("host", self.host)
        UserName(may_be_empty=True).checked("user", self.user)
        if self.port is not None and not (type(self.port) is int and 1 <= self.port <= 65_535):
            raise BadInput(f"port is {self.port!r}; give one from 1 to 65535.")
        if not _text("command", self.command).strip():
            raise BadInput("command is empty; give the command to run there.")
        _check_timeout(self)

    @property
    def place(self) -> str:
        """``root@r630:22`` as it is typed; user and port only when they are given."""
        port = f":{self.port}" if self.port is not None else ""
        return (f"{self.user}@" if self.user else "") + bracketed(self.host) + port

    @property
    def act(self) -> str:
        return _short(f"{self.place}: {self.command}")


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

    The certificate is checked against the system's authorities, or against ``ca_file``, or it is the one whose SHA-256
    is ``fingerprint``. ``system`` is needed when the controller manages several. The password is looked up under
    ``secret_name``.
    """

    kind: ClassVar = FaultKind.REDFISH
    reset_type: str
    url: str
    user: str
    system: str = ""
    fingerprint: str = ""
    ca_file: str = ""
    timeout_seconds: float = 30.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "reset_type", _reset_type(_text("reset_type", self.reset_type)))
        object.__setattr__(self, "url", HttpsPlace().checked("url", self.url))
        UserName("the controller's user, without a password").checked("user", self.user)
        if not _text("system", self.system).isprintable() or not _text("ca_file", self.ca_file).isprintable():
            raise BadInput("system or ca_file contains control characters; remove them.")
        object.__setattr__(self, "fingerprint", Fingerprint().checked("fingerprint", self.fingerprint))
        if self.fingerprint and self.ca_file:
            raise BadInput("fingerprint and ca_file are two ways to check one certificate; give one of them.")
        _check_timeout(self)

    @property
    def secret_name(self) -> str:
        """The name under which the controller's password is kept: ``https://admin@bmc:443``."""
        return redfish_secret_name(self.url, self.user)

    @property
    def act(self) -> str:
        return f"{self.reset_type} by {self.url.removeprefix('https://')}"


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
            raise BadInput(f"fault key '{key}' is not known; {nearest(str(key), ('kind', *known))}.")
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


def nearest(word: str, known: tuple[str, ...]) -> str:
    """The hint for an unknown word: the most similar known one, else all of them."""
    near = difflib.get_close_matches(word.lower(), [each.lower() for each in known], n=1, cutoff=0.4)
    found = [each for each in known if near and each.lower() == near[0]]
    return f"did you mean '{found[0]}'" if found else f"known keys are {', '.join(known)}"


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
    near = difflib.get_close_matches(typed.lower(), [each.lower() for each in RESET_TYPES], n=1, cutoff=0.4)
    hint = next((f"did you mean '{each}'" for each in RESET_TYPES if near and each.lower() == near[0]), "")
    raise BadInput(f"reset_type is '{typed}'; {hint or 'give one of ' + ', '.join(RESET_TYPES)}.")


def _short(text: str) -> str:
    """A text in one line for a label: blanks instead of what can't be shown, and the beginning of a long one."""
    shown = " ".join("".join(each if each.isprintable() else " " for each in text).split())
    return shown if len(shown) <= _LONGEST_ACT else f"{shown[: _LONGEST_ACT - 1]}…"
