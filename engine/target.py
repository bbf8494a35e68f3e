"""Where a database is, without its password: the plain type, and the URL that people write for it."""

from dataclasses import dataclass, replace
from typing import Self
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from engine.errors import BadInput
from engine.secrets import Secret

EMBEDDED = "embedded"
POSTGRESQL = "postgresql"
DEFAULT_DATABASE = "ds2"
_SCHEMES = {"embedded": EMBEDDED, "postgresql": POSTGRESQL, "postgres": POSTGRESQL}
_DEFAULT_PORTS = {POSTGRESQL: 5432}
_DEFAULT_USERS = {POSTGRESQL: "postgres"}
_TLS_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")


@dataclass(frozen=True)
class Host:
    """One server that may answer for a target."""

    name: str
    port: int

    def __post_init__(self) -> None:
        if not self.name:
            raise BadInput("a target's host is empty; write postgresql://user@host:port/database.")
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
    """

    kind: str
    hosts: tuple[Host, ...] = ()
    database: str = DEFAULT_DATABASE
    user: str = ""
    tls: str = "prefer"
    label: str = ""

    def __post_init__(self) -> None:
        if self.kind not in _SCHEMES.values():
            raise BadInput(_unknown_scheme(self.kind))
        if self.kind != EMBEDDED and not self.hosts:
            raise BadInput(
                f"target {self.label or self.database} names no host; write {self.kind}://user@host/database."
            )
        if not self.database or len(self.database) > 55 or "\0" in self.database:
            raise BadInput(f"database is '{self.database}'; give a name of 1 to 55 characters, such as ds2.")
        if self.tls not in _TLS_MODES:
            raise BadInput(f"sslmode is '{self.tls}'; give one of {', '.join(_TLS_MODES)}.")

    @classmethod
    def parse(cls, url: str) -> tuple[Self, Secret | None]:
        """Read a target's URL; a password in it is handed back apart, for use and never for keeping.

        Raises ``BadInput`` with a text that does not repeat the password.
        """
        scheme, colon, _ = url.partition("://")
        if not colon:
            raise BadInput(f"target '{_without_password(url)}' is no URL; write postgresql://user@host:port/database.")
        kind = _SCHEMES.get(scheme.lower())
        if kind is None:
            raise BadInput(_unknown_scheme(scheme))
        try:
            parts = urlsplit(url)
        except ValueError as error:
            raise BadInput(
                f"target '{_without_password(url)}' is no URL; write postgresql://user@host/database."
            ) from error
        credentials, _, places = parts.netloc.rpartition("@")
        user, has_password, password = credentials.partition(":")
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        tls = options.pop("sslmode", "prefer")
        if options:
            raise BadInput(f"target option '{next(iter(options))}' is not known; sslmode is the only one.")
        target = cls(
            kind=kind,
            hosts=tuple(_host(place, kind) for place in places.split(",")) if places else (),
            database=unquote(parts.path.lstrip("/")) or DEFAULT_DATABASE,
            user=unquote(user) or _DEFAULT_USERS.get(kind, ""),
            tls=tls,
        )
        return target, Secret(unquote(password)) if has_password else None

    @property
    def url(self) -> str:
        """The URL that reads back as this target; it holds no password."""
        user = f"{quote(self.user, safe='')}@" if self.user and self.kind != EMBEDDED else ""
        places = ",".join(str(host) for host in self.hosts)
        tls = f"?sslmode={self.tls}" if self.tls != "prefer" else ""
        return f"{self.kind}://{user}{places}/{quote(self.database, safe='')}{tls}"

    @property
    def secret_name(self) -> str:
        """The name under which this target's password is kept: one for all databases of a server and user."""
        return f"{self.kind}://{self.user}@{','.join(str(host) for host in self.hosts)}"

    def with_database(self, database: str) -> Self:
        """The same server and user with another database."""
        return replace(self, database=database)


def _host(place: str, kind: str) -> Host:
    name, _, port = place.rpartition(":") if not place.endswith("]") else (place, "", "")
    if not name:
        name, port = port, ""
    name = name.strip("[]")
    if not port:
        return Host(unquote(name), _DEFAULT_PORTS.get(kind, 0))
    if not (port.isascii() and port.isdigit()):
        raise BadInput(f"port '{port}' of host {name} is no number; give one from 1 to 65535.")
    return Host(unquote(name), int(port))


def _unknown_scheme(scheme: str) -> str:
    return f"target scheme '{scheme}' is not known; Spindle drives {POSTGRESQL}:// and {EMBEDDED}:// targets."


def _without_password(url: str) -> str:
    credentials, at, rest = url.rpartition("@")
    return f"…@{rest}" if at and credentials else url
