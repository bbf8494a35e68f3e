r"""One server of a target, and its form in a URL: ``db1``, ``db1:5433``, ``[::1]:1433``, ``db1\prod``.

Called by ``engine.target.target``, from which ``Host`` is imported.
"""

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from engine.errors import BadInput
from engine.target.kinds import EMBEDDED, MSSQL, KindFacts

_PLACE = re.compile(
    r"(?:\[(?P<ipv6>[^\[\]\s]+)\]|(?P<name>[^\[\]:\s\\]+))(?:\\(?P<instance>[^\[\]:]*))?(?::(?P<port>.*))?"
)
_INSTANCE = re.compile(r"[^\W\d][\w$#]{0,15}")
_BACKSLASH = re.compile("%5C", re.IGNORECASE)


@dataclass(frozen=True)
class Host:
    """One server of a target.

    ``instance`` is SQL Server's named instance. Its ``port`` is 0 if none was given, and the server's browser service
    is asked for it; other hosts always have a port.
    """

    name: str
    port: int
    instance: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            raise BadInput("a target's host is empty; name the server, such as db1.")
        check_printable("a target's host", self.name)
        if "\\" in self.name:
            raise BadInput(f"host {self.name!r} has a backslash in its name; only an instance name follows one.")
        if self.instance and not _INSTANCE.fullmatch(self.instance):
            raise BadInput(
                f"instance {self.instance!r} of host {self.name} is not a valid name; give at most 16 letters,"
                " digits, _, $ and #."
            )
        if not (self.instance and self.port == 0) and not 1 <= self.port <= 65_535:
            raise BadInput(f"port {self.port} of host {self.name} is out of range; give one from 1 to 65535.")

    def __str__(self) -> str:
        name = f"[{self.name}]" if ":" in self.name else self.name
        instance = f"\\{self.instance}" if self.instance else ""
        return f"{name}{instance}" if self.port == 0 else f"{name}{instance}:{self.port}"

    @property
    def url_text(self) -> str:
        """The host in a URL, without characters that a shell interprets; ``read_host`` reads it back."""
        name = f"[{quote(self.name, safe=':')}]" if ":" in self.name else quote(self.name, safe="")
        instance = f"%5C{quote(self.instance, safe='')}" if self.instance else ""
        return f"{name}{instance}" if self.port == 0 else f"{name}{instance}:{self.port}"


def read_host(place: str, facts: KindFacts) -> Host:
    """The host in that form in a URL of a kind; raises ``BadInput``."""
    if not place:
        raise BadInput(f"a target's host is empty; write {facts.url_form}.")
    match = _PLACE.fullmatch(_BACKSLASH.sub(r"\\", place))
    if match is None:
        raise BadInput(f"target host '{place}' can't be read; write host:port, and an IPv6 address in brackets.")
    name, port, instance = unquote(match["name"] or match["ipv6"]), match["port"], unquote(match["instance"] or "")
    if facts.kind == EMBEDDED:
        raise BadInput(f"host {name} of an embedded target is not allowed; write embedded:///ds2.")
    if match["instance"] is not None:
        _check_instance(name, instance, facts)
    if facts.kind == MSSQL and match["name"] and name.isdecimal():
        raise BadInput(f"host '{name}' looks like a port; write it after a colon, such as db1:{name}.")
    if not port:
        return Host(name, 0 if instance else facts.port, instance)
    if not re.fullmatch("[0-9]{1,9}", port):  # not repeated: without an @, it may be a password
        raise BadInput(
            f"the port of host {name} is not a number; give one from 1 to 65535, and put an IPv6 host in brackets."
        )
    if int(port) == 0:
        raise BadInput(f"port 0 of host {name} is out of range; give one from 1 to 65535.")
    return Host(name, int(port), instance)


def _check_instance(name: str, instance: str, facts: KindFacts) -> None:
    if facts.kind != MSSQL:
        raise BadInput(f"host {name} is given with an instance, which only SQL Server has; write {facts.url_form}.")
    if not instance:
        raise BadInput(f"the instance of host {name} is empty; write mssql://user@{name}\\instance/database.")


def check_printable(field: str, value: str) -> None:
    """Raises ``BadInput`` for a text with non-printable characters."""
    if not value.isprintable():
        raise BadInput(f"{field} is {value!r}; give a name without control characters.")
