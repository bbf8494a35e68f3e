"""Where a database is, without its password: the plain type, and the URL that people write for it."""

import difflib
import re
from dataclasses import dataclass, replace
from typing import Self, TypedDict
from urllib.parse import parse_qsl, quote, unquote

from engine.errors import BadInput
from engine.secrets import Secret

EMBEDDED = "embedded"
POSTGRESQL = "postgresql"
DEFAULT_DATABASE = "ds2"
_SCHEMES = {"embedded": EMBEDDED, "postgresql": POSTGRESQL, "postgres": POSTGRESQL}
_DEFAULT_PORTS = {POSTGRESQL: 5432}
_DEFAULT_USERS = {POSTGRESQL: "postgres"}
MANUAL, FAST, PROBE = "manual", "fast", "probe"
FAILOVER_MODES = (MANUAL, FAST, PROBE)
MOST_NODES = 3
_SWITCH = {"on": True, "off": False}
_LAB_OPTIONS = ("nodes", "sync", "failover")
TLS_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
_LONGEST_DATABASE = 55
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_AUTHORITY_END = re.compile(r"[/?#]")
_PLACE = re.compile(r"(?:\[(?P<ipv6>[^\[\]\s]+)\]|(?P<name>[^\[\]:\s]+))(?::(?P<port>.*))?")


@dataclass(frozen=True)
class Host:
    """One server that may answer for a target."""

    name: str
    port: int

    def __post_init__(self) -> None:
        if not self.name:
            raise BadInput("a target's host is empty; write postgresql://user@host:port/database.")
        _check_text("a target's host", self.name)
        if not 1 <= self.port <= 65_535:
            raise BadInput(f"port {self.port} of host {self.name} is out of range; give one from 1 to 65535.")

    def __str__(self) -> str:
        name = f"[{self.name}]" if ":" in self.name else self.name
        return f"{name}:{self.port}"


@dataclass(frozen=True, kw_only=True)
class Target:
    """A database under test: its kind, the hosts that may answer for it, database, user and TLS mode.

    The embedded server's target has neither hosts nor user; both are known once it runs. A password is never part
    of a target: it is looked up under ``secret_name``.

    Of the embedded server alone there may be several ``nodes``: a primary and its standbys. With ``sync`` the primary
    answers a commit only when a standby has it too. ``failover`` says who promotes a standby when the primary is gone:
    ``manual`` somebody else, ``fast`` the lab as soon as the primary's process has ended, ``probe`` the lab when the
    primary has not answered several times.
    """

    kind: str
    hosts: tuple[Host, ...] = ()
    database: str = DEFAULT_DATABASE
    user: str = ""
    tls: str = "prefer"
    label: str = ""
    nodes: int = 1
    sync: bool = False
    failover: str = MANUAL

    def __post_init__(self) -> None:
        if self.kind not in _SCHEMES.values():
            raise BadInput(_unknown_scheme(self.kind))
        if self.kind != EMBEDDED and not self.hosts:
            raise BadInput(
                f"target {self.label or self.database} names no host; write {self.kind}://user@host/database."
            )
        _check_text("database", self.database)
        _check_text("user", self.user)
        _check_text("label", self.label)
        if not 1 <= len(self.database.encode()) <= _LONGEST_DATABASE:
            raise BadInput(
                f"database is '{self.database}'; give a name of 1 to {_LONGEST_DATABASE} bytes, such as ds2."
            )
        if self.tls not in TLS_MODES:
            raise BadInput(f"sslmode is '{self.tls}'; give one of {', '.join(TLS_MODES)}.")
        self._check_lab()

    def _check_lab(self) -> None:
        if not 1 <= self.nodes <= MOST_NODES:
            raise BadInput(f"nodes is {self.nodes}; give 1, 2 or {MOST_NODES}.")
        if self.failover not in FAILOVER_MODES:
            raise BadInput(f"failover is '{self.failover}'; give one of {', '.join(FAILOVER_MODES)}.")
        if self.kind != EMBEDDED and (self.nodes, self.sync, self.failover) != (1, False, MANUAL):
            raise BadInput(
                f"nodes, sync and failover are the embedded server's; leave them out of a {self.kind} target."
            )
        if self.nodes == 1 and self.sync:
            raise BadInput("sync is on with nodes=1; a synchronous standby needs nodes=2 or nodes=3.")
        if self.nodes == 1 and self.failover != MANUAL:
            raise BadInput(f"failover is {self.failover} with nodes=1; a failover needs nodes=2 or nodes=3.")

    @classmethod
    def parse(cls, url: str) -> tuple[Self, Secret | None]:
        """Read a target's URL; a password in it is handed back apart, for use and never for keeping.

        Raises ``BadInput`` with a text that does not repeat the password.
        """
        scheme, colon, rest = url.strip().partition("://")
        if not colon or not _SCHEME.fullmatch(scheme):
            raise BadInput(f"target '{_without_password(url)}' is no URL; write postgresql://user@host:port/database.")
        kind = _SCHEMES.get(scheme.lower())
        if kind is None:
            raise BadInput(_unknown_scheme(scheme))
        authority = _AUTHORITY_END.split(rest, maxsplit=1)[0]
        if "#" in rest or "@" in rest[len(authority) :]:
            raise BadInput(
                "the target's URL has a special character where none can stand; "
                "in user, password and database write @ as %40, : as %3A, / as %2F, ? as %3F and # as %23."
            )
        path, _, query = rest[len(authority) :].partition("?")
        credentials, _, places = authority.rpartition("@")
        user, has_password, password = credentials.partition(":")
        target = cls(
            kind=kind,
            hosts=tuple(_host(place, kind) for place in places.split(",")) if places else (),
            database=unquote(path.removeprefix("/")) or DEFAULT_DATABASE,
            user=unquote(user) or _DEFAULT_USERS.get(kind, ""),
            **_options_of(query, kind),
        )
        return target, Secret(unquote(password)) if has_password else None

    @property
    def url(self) -> str:
        """The URL that reads back as this target, but for its label; it holds no password."""
        user = f"{quote(self.user, safe='')}@" if self.user and self.kind != EMBEDDED else ""
        places = ",".join(_quoted(host) for host in self.hosts)
        options = [f"sslmode={self.tls}"] if self.tls != "prefer" else []
        if self.nodes > 1:
            options += [f"nodes={self.nodes}", f"sync={'on' if self.sync else 'off'}", f"failover={self.failover}"]
        query = f"?{'&'.join(options)}" if options else ""
        return f"{self.kind}://{user}{places}/{quote(self.database, safe='')}{query}"

    @property
    def secret_name(self) -> str:
        """The name under which this target's password is kept: one for all databases of a server and user."""
        return f"{self.kind}://{self.user}@{','.join(str(host) for host in self.hosts)}"

    def with_database(self, database: str) -> Self:
        """The same server and user with another database."""
        return replace(self, database=database)

    def with_label(self, label: str) -> Self:
        """The same target under another label."""
        return replace(self, label=label)


def _host(place: str, kind: str) -> Host:
    if not place:
        raise BadInput(f"a target's host is empty; write {kind}://user@host:port/database.")
    match = _PLACE.fullmatch(place)
    if match is None:
        raise BadInput(f"target host '{place}' can't be read; write host:port, and an IPv6 address in brackets.")
    name, port = unquote(match["name"] or match["ipv6"]), match["port"]
    if not port:
        if kind not in _DEFAULT_PORTS:
            raise BadInput(f"host {name} of an {kind} target has no port; write {kind}:///{DEFAULT_DATABASE}.")
        return Host(name, _DEFAULT_PORTS[kind])
    if not re.fullmatch("[0-9]{1,9}", port):  # not repeated: without an @, it may be a password
        raise BadInput(f"the port of host {name} is no number; give one from 1 to 65535, and brackets to an IPv6 host.")
    return Host(name, int(port))


def _quoted(host: Host) -> str:
    name = f"[{quote(host.name, safe=':')}]" if ":" in host.name else quote(host.name, safe="")
    return f"{name}:{host.port}"


class _Options(TypedDict):
    tls: str
    nodes: int
    sync: bool
    failover: str


def _options_of(query: str, kind: str) -> _Options:
    """What stands behind the URL's question mark, as the target's fields."""
    options = dict(parse_qsl(query, keep_blank_values=True))
    known = ("sslmode", *_LAB_OPTIONS) if kind == EMBEDDED else ("sslmode",)
    for name in options:
        if name not in known:
            others = f"{', '.join(known)} are the only ones" if len(known) > 1 else f"{known[0]} is the only one"
            raise BadInput(f"target option '{name}' is not known; {others}.")
    return {
        "tls": options.get("sslmode", "prefer"),
        "nodes": read_nodes(options.get("nodes", "1")),
        "sync": read_switch(options.get("sync", "off")),
        "failover": options.get("failover", MANUAL),
    }


def read_nodes(text: str) -> int:
    """A number of nodes as it is written; raises ``BadInput`` for one that a lab can't have."""
    if text not in [str(number) for number in range(1, MOST_NODES + 1)]:
        raise BadInput(f"nodes is '{text}'; give 1, 2 or {MOST_NODES}.")
    return int(text)


def read_switch(text: str) -> bool:
    """``on`` or ``off`` as it is written for ``sync``; raises ``BadInput`` for anything else."""
    if text not in _SWITCH:
        raise BadInput(f"sync is '{text}'; give on or off.")
    return _SWITCH[text]


def _check_text(field: str, value: str) -> None:
    if not value.isprintable():
        raise BadInput(f"{field} is {value!r}; give a name without control characters.")


def _unknown_scheme(scheme: str) -> str:
    near = difflib.get_close_matches(scheme.lower(), _SCHEMES, n=1)
    hint = f"did you mean {near[0]}://" if near else f"Spindle drives {POSTGRESQL}:// and {EMBEDDED}:// targets"
    return f"target scheme '{scheme}' is not known; {hint}."


def _without_password(url: str) -> str:
    credentials, at, rest = url.rpartition("@")
    return f"…@{rest}" if at and credentials else url
