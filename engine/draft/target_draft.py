"""One target as it is typed, and the kinds of targets to choose from."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self
from urllib.parse import quote

from engine.draft.lab_choices import LAB_CHOICES, SINGLE, lab_choice, lab_choice_of
from engine.draft.sql_server_draft import SqlServerDraft, on_screen
from engine.errors import BadInput
from engine.figure_text import capitalised
from engine.target.host import check_printable
from engine.target.kinds import DISABLE, VERIFYING_TLS, kind_facts
from engine.target.mail_options import SUBMISSION
from engine.target.sql_server_options import INTEGRATED, SqlServerOptions
from engine.target.target import (
    DEFAULT_DATABASE,
    EMBEDDED,
    FAILOVER_MODES,
    FAST,
    MAIL,
    MANUAL,
    MARIADB,
    MSSQL,
    MYSQL,
    POSTGRESQL,
    STORAGE,
    Host,
    MailOptions,
    StorageOptions,
    Target,
)


@dataclass(frozen=True, kw_only=True)
class TargetKind:
    """A kind of target to choose: what a plan calls it, what the screen calls it, and whether it is on a server.

    ``port`` and ``user`` are what is taken when none is typed, ``hosts_example`` shows how hosts are typed.
    ``is_odbc``: an ODBC driver can be chosen; ``takes_ca_file``: a file of certificate authorities. ``tls_modes`` are
    empty where encryption is chosen otherwise.
    """

    kind: str
    title: str
    has_server: bool
    port: int = 0
    user: str = ""
    hosts_example: str = ""
    is_odbc: bool = False
    takes_ca_file: bool = False
    tls_modes: tuple[str, ...] = ()


def _server_kind(kind: str, *, hosts_example: str = "") -> TargetKind:
    facts = kind_facts(kind)
    return TargetKind(
        kind=kind,
        title=capitalised(facts.product),
        has_server=True,
        port=facts.port,
        user=facts.user,
        hosts_example=hosts_example or f"db1:{facts.port}, db2",
        is_odbc=facts.is_odbc,
        takes_ca_file=facts.takes_ca_file,
        tls_modes=() if kind == MSSQL else facts.tls_modes,
    )


KINDS = (
    TargetKind(kind=EMBEDDED, title="Embedded server", has_server=False),
    _server_kind(POSTGRESQL),
    _server_kind(MSSQL, hosts_example="db1, db1:1433 or db1\\instance"),
    _server_kind(MARIADB),
    _server_kind(MYSQL),
    TargetKind(kind=STORAGE, title="Storage: a file", has_server=False),
    _server_kind(MAIL, hosts_example="mail1, or mail1:143"),
)


def kind_of(kind: str) -> TargetKind:
    """The entry of the table of kinds; raises ``BadInput`` for a kind that is not in it."""
    for each in KINDS:
        if each.kind == kind:
            return each
    raise BadInput(f"target kind '{kind}' is not known; give one of {', '.join(each.kind for each in KINDS)}.")


@dataclass
class TargetDraft:
    """The fields of one target. A password is not among them, and one that was typed as a host is never kept.

    ``tls`` is PostgreSQL's, MariaDB's and MySQL's; of SQL Server it is part of ``sql_server``. An empty ``driver`` is
    the best ODBC driver that is installed. ``shape`` is the name of a ``LabChoice``; it and ``failover``, which one
    server alone has none of, are the embedded server's. Of a mail server, ``delivery`` is how messages are sent
    (``lmtp``, ``lmtp:24`` or ``lmtp:host:24``), ``accounts`` the file of its users, and ``trust_certificate`` says that
    its certificate is not checked. Of storage, ``file`` is the path, ``machine`` the one of the inventory that it is
    on, and ``device`` the name of a device that may be overwritten.
    """

    kind: str = EMBEDDED
    hosts: str = ""
    database: str = DEFAULT_DATABASE
    user: str = ""
    tls: str = "prefer"
    label: str = ""
    shape: str = SINGLE.name
    failover: str = FAST
    driver: str = ""
    ca_file: str = ""
    delivery: str = SUBMISSION
    accounts: str = ""
    trust_certificate: bool = False
    file: str = ""
    machine: str = ""
    device: str = ""
    sql_server: SqlServerDraft = field(default_factory=SqlServerDraft)

    @classmethod
    def from_target(cls, target: Target) -> Self:
        return cls(
            kind=target.kind,
            hosts=", ".join(_host_text(host) for host in target.hosts),
            database=target.database if target.kind != STORAGE else DEFAULT_DATABASE,
            user=target.user,
            tls=target.tls if target.kind != MSSQL else kind_facts(POSTGRESQL).tls,
            label=target.label,
            driver=target.driver,
            ca_file=target.ca_file,
            delivery=_delivery_text(target.mail),
            accounts=target.mail.accounts,
            trust_certificate=target.mail.trusts_certificate,
            file=target.database if target.kind == STORAGE else "",
            machine=target.storage.machine,
            device=target.storage.device,
            sql_server=SqlServerDraft.from_target(target),
            shape=lab_choice_of(target.nodes, sync=target.sync).name,
            failover=target.failover if target.nodes > 1 else FAST,
        )

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Read a kept draft; what is missing or no text has its default."""
        kinds = {each.name: type(each.default) for each in fields(cls) if each.name != "sql_server"}
        draft = cls(**{name: plain[name] for name, kind in kinds.items() if isinstance(plain.get(name), kind)})
        if isinstance(plain.get("sql_server"), Mapping):
            draft.sql_server = SqlServerDraft.from_dict(plain["sql_server"])
        if draft.kind not in {each.kind for each in KINDS}:
            draft.kind = EMBEDDED
        if draft.shape not in {choice.name for choice in LAB_CHOICES}:
            draft.shape = SINGLE.name
        if draft.failover not in FAILOVER_MODES:
            draft.failover = FAST
        draft.suit_kind()
        return draft

    def to_dict(self) -> dict[str, Any]:
        """The fields for keeping, without what may be a password: a URL as hosts, or what stands there before an @."""
        hosts = "" if "://" in self.hosts else self.hosts.rpartition("@")[2]
        return vars(self) | {"hosts": hosts, "sql_server": dict(vars(self.sql_server))}

    def copy(self) -> Self:
        return replace(self, sql_server=replace(self.sql_server))

    def suit_kind(self) -> None:
        """A TLS mode that the kind does not have becomes its usual one: called when the kind was changed."""
        if self.tls not in (kind_of(self.kind).tls_modes or (self.tls,)):
            self.tls = kind_facts(self.kind).tls

    def validate(self) -> dict[str, str]:
        """Field → sentence for each field that can't be used as it is."""
        errors: dict[str, str] = {}
        for name, read in self._readers().items():
            try:
                read()
            except BadInput as error:
                errors[name] = capitalised(on_screen(str(error)))
        return errors

    def target(self) -> Target:
        """The target; raises ``BadInput``."""
        for read in self._readers().values():
            read()
        if self.kind == STORAGE:
            return self._storage()
        if self.kind == EMBEDDED:
            return self._embedded()
        is_mssql = self.kind == MSSQL
        return Target(
            kind=self.kind,
            hosts=self._read_hosts(),
            database=self.database,
            user=self.user if self.takes_password else "",
            tls=self.sql_server.tls() if is_mssql else self.tls,
            label=self.label,
            driver=self.driver if kind_of(self.kind).is_odbc else "",
            ca_file=self.ca_file.strip() if self.takes_ca_file else "",
            sql_server=self.sql_server.options() if is_mssql else SqlServerOptions(),
            mail=self._read_mail() if self.kind == MAIL else MailOptions(),
        )

    @property
    def takes_password(self) -> bool:
        """Whether user and password are asked for: neither of the embedded server nor with an integrated login."""
        is_integrated = self.kind == MSSQL and self.sql_server.authentication == INTEGRATED
        return self.kind not in (EMBEDDED, STORAGE) and not is_integrated

    @property
    def takes_ca_file(self) -> bool:
        """Whether a file of certificate authorities is asked for: where the certificate is checked with one."""
        if self.kind == MAIL:
            return self.tls != DISABLE and not self.trust_certificate
        return kind_of(self.kind).takes_ca_file and self.tls in VERIFYING_TLS

    @property
    def nodes(self) -> int:
        """How many servers the embedded one is; one for any other kind."""
        return lab_choice(self.shape).nodes if self.kind == EMBEDDED else 1

    def _storage(self) -> Target:
        if not self.file.strip():
            raise BadInput("file is empty; give its path from the root on, such as /data/spindle-file.")
        options = StorageOptions(machine=self.machine.strip(), device=self.device.strip())
        return Target(kind=STORAGE, database=self.file.strip(), label=self.label, storage=options)

    def _embedded(self) -> Target:
        choice = lab_choice(self.shape)
        return Target(
            kind=self.kind,
            database=self.database,
            label=self.label,
            nodes=choice.nodes,
            sync=choice.sync,
            failover=self.failover if choice.nodes > 1 else MANUAL,
        )

    def _readers(self) -> dict[str, Callable[[], object]]:
        """What each field is checked with: a target of which only that field is as typed."""
        probe = Target(kind=EMBEDDED)
        always: dict[str, Callable[[], object]] = {
            "kind": lambda: kind_of(self.kind),
            "database": lambda: replace(probe, database=self.database),
            "label": lambda: replace(probe, label=self.label),
        }
        if self.kind == EMBEDDED:
            named = replace(self, database=probe.database, label="")
            return always | {"shape": lambda: lab_choice(self.shape), "failover": named._embedded}
        if self.kind == STORAGE:
            return always | {"database": lambda: None, "file": replace(self, label="", machine="", device="")._storage}
        always |= {"hosts": self._read_hosts, "user": lambda: replace(probe, user=self.user)}
        if self.kind == MSSQL:
            return always | self.sql_server.readers(self._read_hosts, self.driver)
        always |= {"tls": self._read_tls}
        if self.kind == MAIL:
            always |= {"delivery": self._read_mail}
        if self.takes_ca_file:
            always["ca_file"] = lambda: check_printable("CA file", self.ca_file)
        return always

    def _read_tls(self) -> None:
        modes = kind_of(self.kind).tls_modes
        if modes and self.tls not in modes:
            raise BadInput(f"TLS is '{self.tls}'; give one of {', '.join(modes)}.")

    def _read_mail(self) -> MailOptions:
        protocol, _, place = self.delivery.strip().partition(":")
        match = re.fullmatch(r"(?:(?P<host>[^:\s]*[^:\s\d][^:\s]*)(?::|$))?(?P<port>[0-9]{1,5})?", place)
        if match is None:
            raise BadInput(f"delivery is '{self.delivery}'; write it as lmtp, lmtp:24 or lmtp:mail1:24.")
        return MailOptions(
            delivery=protocol,
            delivery_host=match["host"] or "",
            delivery_port=int(match["port"] or 0),
            accounts=self.accounts.strip(),
            trusts_certificate=self.trust_certificate and self.tls != DISABLE,
        )

    def _read_hosts(self) -> tuple[Host, ...]:
        if not self.hosts.strip():
            raise BadInput(f"hosts is empty; name the server, such as {kind_of(self.kind).hosts_example}.")
        if "@" in self.hosts:
            raise BadInput("hosts holds an @; give only names and ports here, user and password below.")
        places = ",".join(quote(place.strip(), safe="[]:% ") for place in self.hosts.split(","))
        if ",," in f",{places},":
            raise BadInput("hosts has an empty entry between two commas; write db1, db2:5433.")
        target, _ = Target.parse(f"{self.kind}://{places}/{DEFAULT_DATABASE}")
        return target.hosts


def _delivery_text(mail: MailOptions) -> str:
    port = str(mail.delivery_port) if mail.delivery_port else ""
    return ":".join(filter(None, (mail.delivery, mail.delivery_host, port)))


def _host_text(host: Host) -> str:
    name = f"[{quote(host.name, safe=':')}]" if ":" in host.name else quote(host.name, safe="/")
    instance = f"\\{quote(host.instance, safe='')}" if host.instance else ""
    return f"{name}{instance}:{host.port}" if host.port else f"{name}{instance}"
