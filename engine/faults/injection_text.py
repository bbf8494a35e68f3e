"""Injections as people type them, which is what a fault does: ``freeze primary``, ``sql 'SELECT 1' on host2``.

An injection is one of ``LAB ACTION [of node N] [by VALUE]``, ``run PROGRAM ARGUMENT …``, ``shell 'COMMAND'``,
``ssh [USER@]HOST[:PORT] 'COMMAND'``, ``sql STATEMENT [on HOST] [of target N]`` and ``redfish RESETTYPE https://BMC as
USER [system NAME] [pinned SHA256] [ca FILE]``, each with ``[within TIME]``. A machine of the inventory,
``machine:NAME``, stands for the host of ssh, and for URL and user of redfish. What stands in quotation marks is never a
clause. Everything raises ``BadInput`` that names the nearest word known.
"""

import difflib
import re
from dataclasses import replace

from engine.errors import BadInput
from engine.faults.injections import (
    MACHINE_PREFIX,
    CommandInjection,
    Injection,
    LabInjection,
    RedfishInjection,
    SqlInjection,
    SshInjection,
    action_text,
)
from engine.faults.lab_actions import LabAction, read_action
from engine.faults.typed_words import Word, quoted, split_words, whole_text
from engine.parameters.typed_text import duration_of, duration_text

CLAUSES = frozenset(
    ["within", "for", "then", "repeat", "every", "times", "called", "on", "of", "by", "as", "system", "pinned", "ca"]
)
"""The words that begin a clause of a fault or of what it does; as a part of anything else they are quoted."""
_VERBS = ("mark", "run", "shell", "ssh", "sql", "redfish")
_PLACE = re.compile(r"(?:(?P<user>[^@]*)@)?(?:\[(?P<ipv6>[^\]]+)\]|(?P<host>[^:]+))(?::(?P<port>.*))?")
_HOST_NUMBER = re.compile(r"host(\d{1,3})", re.ASCII | re.IGNORECASE)
_VALUE = re.compile(r"(?P<number>\d{1,7}(?:\.\d{1,3})?)(?:ms|mbit/s)?", re.ASCII | re.IGNORECASE)


def parse_injection(text: str) -> Injection:
    """Read what is done alone, without moment and clauses but its time-out: ``sql 'SELECT 1' on host2 within 5s``."""
    text = text.strip()
    return read_injection(text, split_words(text))


def injection_text(injection: Injection) -> str:
    """An injection as it is typed; ``parse_injection`` reads it back."""
    default = type(injection).__dataclass_fields__["timeout_seconds"].default
    within = "" if injection.timeout_seconds == default else f" within {duration_text(injection.timeout_seconds)}"
    return _done_text(injection) + within


def read_injection(text: str, words: list[Word]) -> Injection:
    """Read an injection from its words, which are a part of the whole ``text``."""
    timeout_seconds = None
    if len(words) >= 2 and words[-2].is_word("within"):
        timeout_seconds, words = duration_of(words[-1].value), words[:-2]
    if not any(word.value.strip() for word in words):
        raise BadInput("it has no action; write, for example, T+40s kill primary.")
    injection = _read_injection(text, words)
    return injection if timeout_seconds is None else replace(injection, timeout_seconds=timeout_seconds)


def _read_injection(text: str, words: list[Word]) -> Injection:
    verb, rest = words[0], words[1:]
    if verb.is_word("ssh"):
        return _ssh(rest)
    if verb.is_word("sql"):
        return _sql(text, rest)
    if verb.is_word("redfish"):
        return _redfish(rest)
    if verb.is_word("run", "shell"):
        return _command(text, rest, shell=verb.is_word("shell"))
    return _lab(words)


def _command(text: str, words: list[Word], *, shell: bool) -> CommandInjection:
    if not words:
        raise BadInput("it has no command; write run /path/tool --option, or shell 'one | two'.")
    if shell:
        return CommandInjection(arguments=(whole_text(text, words),), shell=True)  # noqa: S604 - asked for by its word
    return CommandInjection(arguments=tuple(word.value for word in words))


def _lab(words: list[Word]) -> LabInjection:
    value, node = None, None
    if len(words) >= 3 and words[-2].is_word("by"):
        match = _VALUE.fullmatch(words[-1].value)
        if match is None:
            raise BadInput(f"value is '{words[-1].value}'; give a number, such as by 50.")
        value, words = float(match["number"]), words[:-2]
    if len(words) >= 3 and words[-3].is_word("of") and words[-2].is_word("node"):
        if not re.fullmatch(r"\d{1,2}", words[-1].value, re.ASCII):
            raise BadInput(f"node is '{words[-1].value}'; give its number from 1, as in of node 2.")
        node, words = int(words[-1].value), words[:-3]
    return LabInjection(action=_lab_action(" ".join(word.value for word in words)), node=node, value=value)


def _lab_action(typed: str) -> LabAction:
    try:
        return read_action(typed)
    except BadInput as error:
        first = typed.split()[0].lower()
        if first == "mark":
            raise BadInput(
                "a mark is set by a person during a run, and nothing that can be done; give an action, such as"
                " run, shell, ssh, sql or redfish."
            ) from error
        known = [*map(action_text, LabAction), *_VERBS]
        near = difflib.get_close_matches(typed.lower(), known, n=1) or difflib.get_close_matches(first, _VERBS, n=1)
        if not near:
            raise
        raise BadInput(f"'{typed}' is not a known action; did you mean '{near[0]}'?") from error


def ssh_injection(place: str, command: str) -> SshInjection:
    """A command on the machine that ``user@host``, ``host:port``, ``[address]:port`` or ``machine:NAME`` means.

    Raises ``BadInput``.
    """
    if machine := named_machine(place):
        return SshInjection(machine=machine, command=command)
    match = _PLACE.fullmatch(place)
    if match is None:
        raise BadInput("the host behind 'ssh' can't be read; write user@host or user@host:port.")
    user = match["user"] or ""
    if ":" in user:
        raise BadInput("there is a password before the host; remove it: ssh uses its keys and its agent.")
    return SshInjection(host=match["ipv6"] or match["host"], user=user, port=_port(match["port"]), command=command)


def named_machine(place: str) -> str:
    """The machine of the inventory that is typed as ``machine:NAME``; empty for anything else, such as a host and port.

    A machine's name begins with a letter, a port with a digit.
    """
    name = place.removeprefix(MACHINE_PREFIX)
    return name if name != place and not name[:1].isdigit() else ""


def _ssh(words: list[Word]) -> SshInjection:
    if len(words) < 2:
        raise BadInput("'ssh' needs a host and a command; write ssh root@r630 'ip link set eth0 down'.")
    return ssh_injection(words[0].value, " ".join(word.value for word in words[1:]))


def _port(text: str | None) -> int | None:
    if text is None:
        return None
    if not re.fullmatch(r"\d{1,5}", text, re.ASCII):
        raise BadInput(f"port is '{text}'; give one from 1 to 65535.")
    return int(text)


def _sql(text: str, words: list[Word]) -> SqlInjection:
    target, host = 1, "1"
    if len(words) >= 3 and words[-3].is_word("of") and words[-2].is_word("target"):
        if not re.fullmatch(r"\d{1,4}", words[-1].value, re.ASCII):
            raise BadInput(f"target is '{words[-1].value}'; give its number from 1, as in of target 2.")
        target, words = int(words[-1].value), words[:-3]
    if len(words) >= 2 and words[-2].is_word("on"):
        number = _HOST_NUMBER.fullmatch(words[-1].value)
        host, words = number[1] if number else words[-1].value, words[:-2]
    if not words:
        raise BadInput("'sql' names no statement; write sql 'SELECT pg_promote()' on host2.")
    return SqlInjection(statement=whole_text(text, words), host=host, target=target)


def _redfish(words: list[Word]) -> RedfishInjection:
    if len(words) < 2:
        raise BadInput("'redfish' needs a reset type and a controller; write redfish ForceOff https://bmc as admin.")
    given: dict[str, str] = {}
    names = {"as": "user", "system": "system", "pinned": "fingerprint", "ca": "ca_file"}
    clauses = words[2:]
    for at in range(0, len(clauses), 2):
        if not clauses[at].is_word(*names) or at + 1 == len(clauses):
            near = difflib.get_close_matches(clauses[at].value.lower(), names, n=1, cutoff=0.5)
            hint = f"did you mean '{near[0]}'" if near else f"known are {', '.join(names)}, each with its value"
            raise BadInput(f"'{clauses[at].value}' is not known after redfish; {hint}.")
        given[names[clauses[at].value.lower()]] = clauses[at + 1].value
    machine = named_machine(words[1].value)
    if "user" not in given and not machine:
        raise BadInput("'redfish' has no user; write as admin after the URL.")
    return RedfishInjection(
        reset_type=words[0].value,
        url="" if machine else words[1].value,
        machine=machine,
        user=given.get("user", ""),
        system=given.get("system", ""),
        fingerprint=given.get("fingerprint", ""),
        ca_file=given.get("ca_file", ""),
    )


def _done_text(injection: Injection) -> str:
    match injection:
        case LabInjection():
            node = "" if injection.node is None else f" of node {injection.node}"
            value = "" if injection.value is None else f" by {duration_text(injection.value)[:-1]}"
            return action_text(injection.action) + node + value
        case CommandInjection():
            verb = "shell" if injection.shell else "run"
            return " ".join([verb, *(_quoted(word) for word in injection.arguments)])
        case SshInjection():
            return f"ssh {_quoted(injection.place)} {_quoted(injection.command)}"
        case SqlInjection():
            host = f"host{injection.host}" if injection.host.isdecimal() else _quoted(injection.host)
            of_target = "" if injection.target == 1 else f" of target {injection.target}"
            return f"sql {_quoted(injection.statement)} on {host}{of_target}"
        case RedfishInjection():
            return _redfish_text(injection)


def _redfish_text(redfish: RedfishInjection) -> str:
    words = ["redfish", redfish.reset_type, _quoted(redfish.place)]
    for word, value in (
        ("as", redfish.user),
        ("system", redfish.system),
        ("pinned", redfish.fingerprint),
        ("ca", redfish.ca_file),
    ):
        if value:
            words += [word, _quoted(value)]
    return " ".join(words)


def _quoted(text: str) -> str:
    return quoted(text, CLAUSES)
