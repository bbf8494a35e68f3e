"""What a campaign waits for, as plain values and as people type it: ``load below 0.5 on root@r630``.

``engine.conduct.campaign.waiting`` finds out whether a condition is met. What can't be read raises ``BadInput``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from engine.errors import BadInput
from engine.faults.injection_text import named_machine, parse_injection, ssh_injection
from engine.faults.injections import MACHINE_PREFIX, SqlInjection
from engine.faults.typed_words import Word, quoted, split_words, whole_text
from engine.machines.addresses import bracketed
from engine.parameters.parameter import did_you_mean

SQL_PING = "SELECT 1"
_WORDS = frozenset(("on", "below", "within", "of"))
_NAME = re.compile(r"[\w@.:\-\\]{1,200}", re.ASCII)
_HOST = re.compile(r"[^\s\-@/\"'\[\]:][^\s@/\"'\[\]]{0,254}")
_PLACE = re.compile(rf"(?:\[(?P<ipv6>[^\]]+)\]|(?P<host>(?:{MACHINE_PREFIX})?[^:\s]+)):(?P<port>\d{{1,5}})", re.ASCII)
_NUMBER = re.compile(r"\d{1,6}(?:\.\d{1,3})?", re.ASCII)
_MOST_LAG_SECONDS = 86_400.0


@dataclass(frozen=True)
class Ping:
    """The host, or a machine of the inventory (``machine:db1``), answers the system's ``ping``."""

    verb: ClassVar = "ping"
    host: str

    @property
    def text(self) -> str:
        return f"ping {self.host}"


@dataclass(frozen=True)
class PortOpen:
    """A TCP connection to the port is accepted, by a host or a machine of the inventory."""

    verb: ClassVar = "port"
    host: str
    port: int

    @property
    def text(self) -> str:
        host = self.host if named_machine(self.host) else bracketed(self.host)
        return f"port {host}:{self.port}"


@dataclass(frozen=True)
class ServiceActive:
    """systemd says that the service is active: here, or over SSH on the machine ``place`` (``root@r630``)."""

    verb: ClassVar = "service"
    service: str
    place: str = ""

    @property
    def text(self) -> str:
        return f"service {self.service}{_on(self.place)}"


@dataclass(frozen=True)
class SqlAnswers:
    """The statement succeeds: on one host of a target, or without ``host`` on one of the hosts of every store."""

    verb: ClassVar = "sql"
    statement: str = SQL_PING
    host: str = ""
    target: int = 1

    @property
    def text(self) -> str:
        if not self.host:
            return "sql" if self.statement == SQL_PING else f"sql {quoted(self.statement, _WORDS)}"
        host = f"host{self.host}" if self.host.isdecimal() else quoted(self.host, _WORDS)
        of_target = "" if self.target == 1 else f" of target {self.target}"
        return f"sql {quoted(self.statement, _WORDS)} on {host}{of_target}"


@dataclass(frozen=True)
class LoadBelow:
    """The load average of one minute is below a number: here, or over SSH on the machine ``place``."""

    verb: ClassVar = "load"
    below: float
    place: str = ""

    @property
    def text(self) -> str:
        return f"load below {self.below:g}{_on(self.place)}"


@dataclass(frozen=True)
class ReplicationCaughtUp:
    """Every replica of every store has replayed what its primary has written, at most ``within_seconds`` behind."""

    verb: ClassVar = "replication"
    within_seconds: float = 0.0

    @property
    def text(self) -> str:
        return "replication" + (f" within {self.within_seconds:g}" if self.within_seconds else "")


Condition = Ping | PortOpen | ServiceActive | SqlAnswers | LoadBelow | ReplicationCaughtUp
_VERBS = tuple(each.verb for each in (Ping, PortOpen, ServiceActive, SqlAnswers, LoadBelow, ReplicationCaughtUp))


def in_words(condition: Condition) -> str:
    """The condition in a sentence: as it is typed, but for the spelling of SQL."""
    is_sql = isinstance(condition, SqlAnswers)
    return f"SQL{condition.text.removeprefix(condition.verb)}" if is_sql else condition.text


def parse_condition(text: str) -> Condition:
    """Read a condition as it is typed; ``text`` of what is returned reads back as an equal one."""
    words = split_words(text)
    verb, rest = (words[0].value.lower(), words[1:]) if words else ("", [])
    match verb:
        case "ping":
            return Ping(_host(rest, "ping r630"))
        case "port":
            return _port(rest)
        case "service":
            return _service(rest)
        case "sql":
            return _sql(text, rest)
        case "load":
            return _load(rest)
        case "replication":
            return _replication(rest)
        case _:
            raise BadInput(f"for is '{text}'; {did_you_mean(verb, _VERBS, 'begin it with one of')}.")


def _on(place: str) -> str:
    return f" on {place}" if place else ""


def _host(words: Sequence[Word], example: str) -> str:
    if len(words) != 1 or not _HOST.fullmatch(words[0].value):
        raise BadInput(f"for names no host behind '{example.split()[0]}'; write {example}.")
    return words[0].value


def _port(words: Sequence[Word]) -> PortOpen:
    match = _PLACE.fullmatch(words[0].value) if len(words) == 1 else None
    if match is None or not 1 <= int(match["port"]) <= 65_535:
        raise BadInput("for names no host and port behind 'port'; write port r630:5432.")
    return PortOpen(match["ipv6"] or match["host"], int(match["port"]))


def _placed(words: Sequence[Word]) -> tuple[Sequence[Word], str]:
    """The words before ``on PLACE``, and the place as ssh takes it."""
    if len(words) < 2 or not words[-2].is_word("on"):
        return words, ""
    return words[:-2], ssh_injection(words[-1].value, "true").place


def _service(words: Sequence[Word]) -> ServiceActive:
    words, place = _placed(words)
    if len(words) != 1 or not _NAME.fullmatch(words[0].value) or words[0].value.startswith("-"):
        raise BadInput("for names no service; write service postgresql on root@r630, or without on for this machine.")
    return ServiceActive(words[0].value, place)


def _sql(text: str, words: list[Word]) -> SqlAnswers:
    if not words:
        return SqlAnswers()
    if not any(word.is_word("on") for word in words):
        return SqlAnswers(whole_text(text, words))
    injection = parse_injection(text)
    assert isinstance(injection, SqlInjection)
    return SqlAnswers(injection.statement, injection.host, injection.target)


def _load(words: Sequence[Word]) -> LoadBelow:
    words, place = _placed(words)
    if len(words) != 2 or not words[0].is_word("below") or not _NUMBER.fullmatch(words[1].value):
        raise BadInput("for names no load; write load below 0.5 on root@r630, or without on for this machine.")
    below = float(words[1].value)
    if below <= 0:
        raise BadInput("for is load below 0, which no machine comes to; give a number above 0, such as 0.5.")
    return LoadBelow(below, place)


def _replication(words: Sequence[Word]) -> ReplicationCaughtUp:
    if not words:
        return ReplicationCaughtUp()
    if len(words) != 2 or not words[0].is_word("within") or not _NUMBER.fullmatch(words[1].value):
        raise BadInput(
            "for has more behind 'replication' than can be read; write replication, or replication within 2."
        )
    return ReplicationCaughtUp(min(float(words[1].value), _MOST_LAG_SECONDS))
