"""What is done at a planned or an immediate fault, field by field as it is typed, or as one text.

Called by a fault's draft, the form that shows it, and the live page.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from engine.draft.injection_choices import (
    INJECTION_KINDS,
    LAB,
    MARK,
    REDFISH,
    RUN,
    SHELL,
    SQL,
    SSH,
    TEXT,
    injection_kind,
)
from engine.errors import BadInput
from engine.faults.fault_text import parse_what, what_text
from engine.faults.injection_text import named_machine, ssh_injection
from engine.faults.injections import (
    CommandInjection,
    Injection,
    LabInjection,
    RedfishInjection,
    SqlInjection,
    SshInjection,
)
from engine.faults.lab_actions import WORDS, LabAction
from engine.faults.planned import PlannedFault
from engine.faults.typed_words import quoted, split_words
from engine.figure_text import capitalised
from engine.parameters.typed_text import duration_of, read_number, read_whole, time_text, write_number

FIELD_LABELS = {
    "kind": "Kind",
    "typed": "Text",
    "action": "Action",
    "node": "Node",
    "value": "Amount",
    "statement": "Statement",
    "host": "Host",
    "target": "Target",
    "command": "Command",
    "place": "Machine",
    "reset_type": "Reset",
    "url": "Controller",
    "user": "User",
    "system": "System",
    "fingerprint": "Certificate's SHA-256",
    "ca_file": "CA file",
    "timeout_seconds": "Time-out",
    "steady_by": "Wait for a steady baseline until",
    "end_after": "End after",
    "end": "Ended by",
    "repeat": "Repeat",
    "every": "Every",
}
_ENGINE_NAMES = {  # a field by the word with which the engine's sentence about it begins
    "arguments": "command",
    "shell": "command",
    "port": "place",
    "reset_type": "reset_type",
    "system": "system",
    "steady_by_seconds": "steady_by",
    "end_after_seconds": "end_after",
    "every_seconds": "every",
    **{name: name for name in ("action", "node", "value", "statement", "host", "target", "command", "url", "user")},
    **{name: name for name in ("fingerprint", "ca_file", "timeout_seconds", "repeat")},
}
_FIRST_FIELD = {LAB: "value", SQL: "statement", RUN: "command", SHELL: "command", SSH: "place", REDFISH: "url"}
_NO_END = ("say what ends it.", "such as: then rejoin.")
_CREDENTIALS = re.compile(r"[^\s/@]*:[^\s/@]*@")


@dataclass
class InjectionDraft:
    """The fields of every kind at once, so that one that is changed back finds what was typed before.

    An empty one has its default: no node named, no number, no end, no waiting for a steady baseline, the kind's
    time-out. ``end`` is what ends it as it is typed, empty for what undoes a lab action. Of the kind ``text``, all of
    it is in ``typed``. Of the kind ``mark`` there is nothing to do.
    """

    kind: str = LAB
    typed: str = ""
    action: str = LabAction.KILL_PRIMARY.value
    node: str = ""
    value: str = ""
    statement: str = ""
    host: str = "1"
    target: str = "1"
    command: str = ""
    place: str = ""
    reset_type: str = "ForceOff"
    url: str = ""
    user: str = ""
    system: str = ""
    fingerprint: str = ""
    ca_file: str = ""
    timeout_seconds: str = ""
    steady_by: str = ""
    end_after: str = ""
    end: str = ""
    repeat: str = "1"
    every: str = "1:00"

    @classmethod
    def from_fault(cls, fault: PlannedFault) -> Self:
        """The fields that make this fault, without its time and its label."""
        injection = fault.injection
        if injection is None:
            return cls(kind=MARK)
        draft = cls(**_fields_of(injection))
        if injection.timeout_seconds != _default_timeout(injection):
            draft.timeout_seconds = time_text(injection.timeout_seconds)
        if fault.steady_by_seconds is not None:
            draft.steady_by = time_text(fault.steady_by_seconds)
        if fault.end is not None and fault.end_after_seconds is not None:
            draft.end_after = time_text(fault.end_after_seconds)
            draft.end = "" if fault.end == _undoing(injection) else _text_of(fault.end)
        if fault.repeat > 1:
            draft.repeat, draft.every = str(fault.repeat), time_text(fault.every_seconds)
        return draft

    @classmethod
    def from_text(cls, what: str) -> Self:
        """The fields of what was typed as text, such as ``freeze primary for 5s``; the text when it can't be read."""
        try:
            return cls.from_fault(parse_what(what, 0.0))
        except BadInput:
            return cls(kind=TEXT, typed=what)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Read a kept draft; what is missing or of another kind has its default."""
        draft = cls(**{each.name: plain[each.name] for each in fields(cls) if isinstance(plain.get(each.name), str)})
        if draft.kind not in {kind.name for kind in INJECTION_KINDS}:
            draft.kind = MARK
        if draft.action not in {action.value for action in LabAction}:
            draft.action = LabAction.KILL_PRIMARY.value
        return draft

    def fault(self, at_seconds: float = 0.0, label: str = "") -> PlannedFault:
        """The planned fault; raises ``BadInput``, also for a mark, which is nothing but its label."""
        if self.kind == TEXT:
            done = parse_what(self.typed, at_seconds)
            return replace(done, label=label) if label.strip() else done
        steady_by = self._moment("steady_by")
        end_after = self._moment("end_after")
        repeat = read_whole(FIELD_LABELS["repeat"], self.repeat)
        return PlannedFault(
            at_seconds=at_seconds,
            label=label,
            injection=self.injection(),
            end_after_seconds=end_after,
            end=self._end() if end_after is not None else None,
            steady_by_seconds=steady_by,
            repeat=repeat,
            every_seconds=(self._moment("every") or 0.0) if repeat > 1 else 0.0,
        )

    def injection(self) -> Injection:
        """What is done, without when and how often; raises ``BadInput``."""
        makers: dict[str, Callable[[dict[str, Any]], Injection]] = {
            LAB: self._lab,
            SQL: self._sql,
            RUN: self._command,
            SHELL: self._command,
            SSH: self._ssh,
            REDFISH: self._redfish,
        }
        if self.kind not in makers:
            raise BadInput(f"kind is '{injection_kind(self.kind).name}', which does nothing.")
        timeout = self._moment("timeout_seconds")
        return makers[self.kind]({} if timeout is None else {"timeout_seconds": timeout})

    def text(self) -> str:
        """All of it as it is typed; empty for a mark."""
        if self.kind in (MARK, TEXT):
            return self.typed if self.kind == TEXT else ""
        try:
            return what_text(self.fault())
        except BadInput:
            return self._as_typed()

    def validate(self, at_seconds: float = 0.0) -> dict[str, str]:
        """Field → sentence for the first field that is in the way; empty when it can be done."""
        if self.kind == MARK:
            return {}
        try:
            self.fault(at_seconds)
        except BadInput as error:
            name, sentence = self._in_form_words(str(error))
            return {name: sentence}
        return {}

    def _in_form_words(self, sentence: str) -> tuple[str, str]:
        """The field that a sentence is about, and the sentence with the field's name on the screen."""
        for name, label in FIELD_LABELS.items():
            if sentence.startswith(f"{label} is "):
                return name, sentence
        if self.kind == TEXT:
            return "typed", capitalised(sentence)
        if sentence.endswith(_NO_END):
            return "end", capitalised(sentence)
        first, _, rest = sentence.partition(" ")
        name = _ENGINE_NAMES.get(first, _FIRST_FIELD[self.kind])
        if self.kind == SSH and name in ("host", "user"):
            name = "place"
        if first in _ENGINE_NAMES:
            return name, f"{FIELD_LABELS[name]} {rest}"
        return name, capitalised(sentence)

    def to_dict(self) -> dict[str, str]:
        """The fields for keeping, without what may be a password before an @."""
        plain: dict[str, str] = dict(vars(self))
        return plain | {name: _CREDENTIALS.sub("", plain[name]) for name in ("place", "url", "typed")}

    def _moment(self, name: str) -> float | None:
        typed = getattr(self, name).strip()
        if not typed:
            return None
        try:
            return duration_of(typed)
        except BadInput:
            raise BadInput(f"{FIELD_LABELS[name]} is '{typed}'; write seconds such as 40s, or 0:40.") from None

    def _end(self) -> Injection | None:
        if not self.end.strip():
            return None
        try:
            done = parse_what(self.end, 0.0)
        except BadInput as error:
            raise BadInput(f"{FIELD_LABELS['end']} is '{self.end}', which can't be read: {error}") from None
        if done.injection is None or done != PlannedFault(at_seconds=0, injection=done.injection):
            raise BadInput(f"{FIELD_LABELS['end']} is '{self.end}'; give one action, such as rejoin.")
        return done.injection

    def _lab(self, given: dict[str, Any]) -> Injection:
        takes_value = bool(WORDS[LabAction(self.action)].value)
        return LabInjection(
            action=LabAction(self.action),
            node=read_whole(FIELD_LABELS["node"], self.node) if self.node.strip() else None,
            value=float(read_number(FIELD_LABELS["value"], self.value)) if takes_value and self.value.strip() else None,
            **given,
        )

    def _sql(self, given: dict[str, Any]) -> Injection:
        target = read_whole(FIELD_LABELS["target"], self.target)
        return SqlInjection(statement=self.statement, host=self.host.strip(), target=target, **given)

    def _command(self, given: dict[str, Any]) -> Injection:
        if not self.command.strip():
            raise BadInput("command is empty; give a program's path and its arguments.")
        if self.kind == SHELL:
            return CommandInjection(arguments=(self.command,), shell=True, **given)  # noqa: S604 - asked for
        return CommandInjection(arguments=tuple(word.value for word in split_words(self.command)), **given)

    def _ssh(self, given: dict[str, Any]) -> Injection:
        if not self.place.strip() or not self.command.strip():
            name, how = ("place", "name the machine, such as root@r630") if not self.place.strip() else ("command", "")
            raise BadInput(f"{FIELD_LABELS[name]} is empty; {how or 'give the command to run there'}.")
        return replace(ssh_injection(self.place.strip(), self.command), **given)

    def _redfish(self, given: dict[str, Any]) -> Injection:
        system = self.system.strip()
        if machine := named_machine(self.url.strip()):  # whose access has all that follows
            return RedfishInjection(reset_type=self.reset_type, machine=machine, system=system, **given)
        return RedfishInjection(
            reset_type=self.reset_type,
            url=self.url.strip(),
            user=self.user.strip(),
            system=system,
            fingerprint=self.fingerprint.strip(),
            ca_file=self.ca_file.strip(),
            **given,
        )

    def _as_typed(self) -> str:
        """What stands in the fields that can't be read, in the order of the text."""
        words = [self.kind] if self.kind != LAB else [self.action.replace("_", " ")]
        words += [getattr(self, name) for name in injection_kind(self.kind).fields if name != "action"]
        words += [f"for {self.end_after}"] if self.end_after else []
        return " ".join(filter(None, words))


def _fields_of(injection: Injection) -> dict[str, str]:
    match injection:
        case LabInjection(action=action, node=node, value=value):
            number = "" if value is None else write_number(value)
            return {"kind": LAB, "action": action.value, "node": "" if node is None else str(node), "value": number}
        case SqlInjection(statement=statement, host=host, target=target):
            return {"kind": SQL, "statement": statement, "host": host, "target": str(target)}
        case CommandInjection(arguments=arguments, shell=True):
            return {"kind": SHELL, "command": arguments[0]}
        case CommandInjection(arguments=arguments):
            return {"kind": RUN, "command": " ".join(quoted(each) for each in arguments)}
        case SshInjection(command=command):
            return {"kind": SSH, "place": injection.place, "command": command}
        case RedfishInjection():
            names = ("reset_type", "user", "system", "fingerprint", "ca_file")
            return {"kind": REDFISH, "url": injection.place, **{name: getattr(injection, name) for name in names}}


def _default_timeout(injection: Injection) -> float:
    default = type(injection).__dataclass_fields__["timeout_seconds"].default
    assert isinstance(default, float)
    return default


def _undoing(injection: Injection) -> Injection | None:
    """What ends a lab action when nothing else is said."""
    if isinstance(injection, LabInjection) and injection.ended_by is not None:
        return LabInjection(action=injection.ended_by, node=injection.node)
    return None


def _text_of(injection: Injection) -> str:
    return what_text(PlannedFault(at_seconds=0, injection=injection))
