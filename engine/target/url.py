"""Converts targets to URLs and back.

Called by ``engine.target.target``. The options of the query have the names that users of each kind know.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypedDict, TypeVar
from urllib.parse import parse_qsl, quote, unquote

from engine.errors import BadInput
from engine.secrets import Secret
from engine.target.host import Host, read_host
from engine.target.kinds import (
    ANY_URL_FORM,
    DISABLE,
    EMBEDDED,
    MAIL,
    MSSQL,
    REQUIRE,
    STORAGE,
    STRICT,
    VERIFY_FULL,
    KindFacts,
    kind_facts,
    kind_of_scheme,
)
from engine.target.mail_options import SUBMISSION, MailOptions
from engine.target.sql_server_options import INTEGRATED, READ_WRITE, SQL_LOGIN, SqlServerOptions
from engine.target.storage_options import StorageOptions

DEFAULT_DATABASE = "ds2"
MANUAL = "manual"
MOST_NODES = 3
_ON_OFF = {"on": True, "off": False}
_YES_NO = {"yes": True, "no": False}
_ENCRYPT = {"yes": VERIFY_FULL, "no": DISABLE, "strict": STRICT}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_AUTHORITY_END = re.compile(r"[/?#]")
_Value = TypeVar("_Value")


class Options(TypedDict):
    """The options in the URL's query, as the target's fields."""

    tls: str
    nodes: int
    sync: bool
    failover: str
    driver: str
    ca_file: str
    sql_server: SqlServerOptions
    mail: MailOptions
    storage: StorageOptions


@dataclass(frozen=True, kw_only=True)
class UrlParts:
    """The parts of a target's URL, with the password separately."""

    kind: str
    hosts: tuple[Host, ...]
    database: str
    user: str
    options: Options
    secret: Secret | None = None


def read_url(url: str) -> UrlParts:
    """Read a target's URL; raises ``BadInput`` with a text that does not contain the password."""
    scheme, colon, rest = url.strip().partition("://")
    if not colon or not _SCHEME.fullmatch(scheme):
        raise BadInput(f"target '{_without_password(url)}' is not a URL; write {ANY_URL_FORM}.")
    facts = kind_facts(kind_of_scheme(scheme))
    authority = _AUTHORITY_END.split(rest, maxsplit=1)[0]
    if "#" in rest or "@" in rest[len(authority) :]:
        raise BadInput(
            "the target's URL has a special character in the wrong place; "
            "in user, password and database write @ as %40, : as %3A, / as %2F, ? as %3F and # as %23."
        )
    path, _, query = rest[len(authority) :].partition("?")
    if facts.kind == STORAGE:
        return _read_storage(authority, path, query, facts)
    credentials, _, places = authority.rpartition("@")
    user, has_password, password = credentials.partition(":")
    hosts = tuple(read_host(place, facts) for place in places.split(",")) if places else ()
    options = _options_of(query, facts)
    database = unquote(path.removeprefix("/"))
    if facts.kind == MAIL and not database:
        raise BadInput(f"the mail server's target names no domain; write {facts.url_form}.")
    if options["sql_server"].authentication == INTEGRATED and has_password:
        raise BadInput("authentication is integrated, which takes no password; leave it out of the target's URL.")
    return UrlParts(
        kind=facts.kind,
        hosts=hosts,
        database=database or DEFAULT_DATABASE,
        user=unquote(user),
        options=options,
        secret=Secret(unquote(password)) if has_password else None,
    )


def _read_storage(machine: str, path: str, query: str, facts: KindFacts) -> UrlParts:
    """The parts of ``storage://machine/path``: the machine, if any, is one of the inventory."""
    if "@" in machine or ":" in machine:
        raise BadInput(
            f"target machine '{_without_password(machine)}' is no name of the inventory; write storage://name/path."
        )
    options = _options_of(query, facts)
    options["storage"] = replace(options["storage"], machine=unquote(machine))
    return UrlParts(kind=facts.kind, hosts=(), database=unquote(path), user="", options=options, secret=None)


def write_url(parts: UrlParts) -> str:
    """The URL from which ``read_url`` returns these parts, except the password."""
    if parts.kind == STORAGE:
        storage = parts.options["storage"]
        device = f"?device={quote(storage.device, safe='')}" if storage.device else ""
        return f"{STORAGE}://{quote(storage.machine, safe='')}{quote(parts.database)}{device}"
    user = f"{quote(parts.user, safe='')}@" if parts.user and parts.kind != EMBEDDED else ""
    places = ",".join(host.url_text for host in parts.hosts)
    options = {name: quote(value, safe="") for name, value in _written(parts.kind, parts.options).items()}
    query = f"?{'&'.join(f'{name}={value}' for name, value in options.items())}" if options else ""
    return f"{parts.kind}://{user}{places}/{quote(parts.database, safe='')}{query}"


def read_nodes(text: str) -> int:
    """A number of nodes from text; raises ``BadInput`` for one that the lab does not support."""
    if text not in [str(number) for number in range(1, MOST_NODES + 1)]:
        raise BadInput(f"nodes is '{text}'; give 1, 2 or {MOST_NODES}.")
    return int(text)


def read_switch(text: str) -> bool:
    """``on`` or ``off``, for ``sync``; raises ``BadInput`` for anything else."""
    return _either("sync", text, _ON_OFF)


def _written(kind: str, options: Options) -> dict[str, str]:
    """The options that are not the kind's defaults, by name."""
    if kind == MSSQL:
        written = _written_for_sql_server(options["tls"], options["sql_server"])
    elif kind == MAIL:
        written = _written_for_mail(options["tls"], options["mail"])
    else:
        written = {"sslmode": options["tls"]} if options["tls"] != kind_facts(kind).tls else {}
    if options["ca_file"]:
        written["sslrootcert"] = options["ca_file"]
    if options["driver"]:
        written["driver"] = options["driver"]
    if options["nodes"] > 1:
        written |= {
            "nodes": str(options["nodes"]),
            "sync": "on" if options["sync"] else "off",
            "failover": options["failover"],
        }
    return written


def _written_for_sql_server(tls: str, options: SqlServerOptions) -> dict[str, str]:
    written = {}
    if tls == REQUIRE:
        written["trust_server_certificate"] = "yes"
    elif tls != VERIFY_FULL:
        written["encrypt"] = next(word for word, mode in _ENCRYPT.items() if mode == tls)
    if options.authentication != SQL_LOGIN:
        written["authentication"] = options.authentication
    if options.multi_subnet_failover:
        written["multi_subnet_failover"] = "yes"
    if options.failover_partner:
        written["failover_partner"] = options.failover_partner
    return written


def _written_for_mail(tls: str, mail: MailOptions) -> dict[str, str]:
    written = {"tls": tls} if tls != kind_facts(MAIL).tls else {}
    if mail.trusts_certificate:
        written["trust_server_certificate"] = "yes"
    if mail.delivery != SUBMISSION:
        written["delivery"] = mail.delivery
    if mail.delivery_host:
        written["delivery_host"] = mail.delivery_host
    if mail.delivery_port:
        written["delivery_port"] = str(mail.delivery_port)
    if mail.accounts:
        written["accounts"] = mail.accounts
    return written


def _options_of(query: str, facts: KindFacts) -> Options:
    given = dict(parse_qsl(query, keep_blank_values=True))
    known = _known_options(facts)
    for name in given:
        if name not in known:
            raise BadInput(f"target option '{name}' is not known; {_suggestion(name, known)}.")
    return {
        "tls": _encryption(given) if facts.kind == MSSQL else given.get(_tls_option(facts.kind), facts.tls),
        "nodes": read_nodes(given.get("nodes", "1")),
        "sync": read_switch(given.get("sync", "off")),
        "failover": given.get("failover", MANUAL),
        "driver": given.get("driver", ""),
        "ca_file": given.get("sslrootcert", ""),
        "sql_server": SqlServerOptions(
            authentication=given.get("authentication", SQL_LOGIN),
            multi_subnet_failover=_yes("multi_subnet_failover", given),
            failover_partner=given.get("failover_partner", ""),
            application_intent=given.get("application_intent", READ_WRITE),
        ),
        "mail": MailOptions(
            delivery=given.get("delivery", SUBMISSION),
            delivery_host=given.get("delivery_host", ""),
            delivery_port=_port(given.get("delivery_port", "0")),
            accounts=given.get("accounts", ""),
            trusts_certificate=facts.kind == MAIL and _yes("trust_server_certificate", given),
        ),
        "storage": StorageOptions(device=given.get("device", "")),
    }


def _tls_option(kind: str) -> str:
    return "tls" if kind == MAIL else "sslmode"


def _port(text: str) -> int:
    if not re.fullmatch("[0-9]{1,5}", text):
        raise BadInput(f"delivery_port is '{text}'; give one from 1 to 65535.")
    return int(text)


def _known_options(facts: KindFacts) -> tuple[str, ...]:
    if facts.kind == MSSQL:
        return (
            "encrypt", "trust_server_certificate", "authentication", "multi_subnet_failover", "failover_partner",
            "application_intent", "driver",
        )  # fmt: skip
    if facts.kind == STORAGE:
        return ("device",)
    if facts.kind == EMBEDDED:
        return ("sslmode", "nodes", "sync", "failover")
    if facts.kind == MAIL:
        return (
            "tls", "trust_server_certificate", "sslrootcert", "delivery", "delivery_host", "delivery_port", "accounts",
        )  # fmt: skip
    if facts.takes_ca_file:
        return ("sslmode", "sslrootcert", "driver")
    return ("sslmode",)


def _suggestion(name: str, known: tuple[str, ...]) -> str:
    """A suggestion for an unknown option; the names of connection strings, such as TrustServerCertificate, are
    recognised."""
    for each in known:
        if each.replace("_", "") == name.replace("_", "").replace(" ", "").lower():
            return f"did you mean {each}"
    return f"{', '.join(known)} are the only ones" if len(known) > 1 else f"{known[0]} is the only one"


def _encryption(given: Mapping[str, str]) -> str:
    """The encryption of SQL Server's connections; raises ``BadInput`` for contradictory options."""
    encrypt = given.get("encrypt", "yes")
    tls = _either("encrypt", encrypt, _ENCRYPT)
    if not _yes("trust_server_certificate", given):
        return tls
    if tls == STRICT:
        raise BadInput(
            "trust_server_certificate is yes with encrypt=strict, which always checks the certificate; give"
            " encrypt=yes."
        )
    if tls == DISABLE:
        raise BadInput(
            "trust_server_certificate is yes with encrypt=no, where there is no certificate to trust; give encrypt=yes."
        )
    return REQUIRE


def _yes(name: str, given: Mapping[str, str]) -> bool:
    return _either(name, given.get(name, "no"), _YES_NO)


def _either(name: str, text: str, choices: Mapping[str, _Value]) -> _Value:
    if text not in choices:
        *others, last = choices
        raise BadInput(f"{name} is '{text}'; give {', '.join(others)} or {last}.")
    return choices[text]


def _without_password(url: str) -> str:
    credentials, at, rest = url.rpartition("@")
    return f"…@{rest}" if at and credentials else url
