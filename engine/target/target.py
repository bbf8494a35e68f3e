"""The location of a database, without its password: a plain type that rejects invalid combinations."""

import shlex
from dataclasses import dataclass, replace
from typing import Self

from engine.errors import BadInput
from engine.secrets import Secret
from engine.target.host import Host, check_printable
from engine.target.kinds import (
    DISABLE,
    EMBEDDED,
    MAIL,
    MARIADB,
    MSSQL,
    MYSQL,
    POSTGRESQL,
    STORAGE,
    VERIFYING_TLS,
    kind_facts,
)
from engine.target.mail_options import MailOptions
from engine.target.sql_server_options import INTEGRATED, SQL_LOGIN, SqlServerOptions
from engine.target.storage_options import StorageOptions
from engine.target.url import DEFAULT_DATABASE, MANUAL, MOST_NODES, Options, UrlParts, read_url, write_url

__all__ = [
    "DEFAULT_DATABASE",
    "EMBEDDED",
    "FAILOVER_MODES",
    "FAST",
    "MAIL",
    "MANUAL",
    "MARIADB",
    "MOST_NODES",
    "MSSQL",
    "MYSQL",
    "POSTGRESQL",
    "PROBE",
    "STORAGE",
    "Host",
    "MailOptions",
    "SqlServerOptions",
    "StorageOptions",
    "Target",
]

FAST, PROBE = "fast", "probe"
FAILOVER_MODES = (MANUAL, FAST, PROBE)
_LONGEST_DATABASE = 55
_LONGEST_PATH = 1_000
_NO_OPTIONS = SqlServerOptions()
_NO_MAIL_OPTIONS = MailOptions()
_NO_STORAGE_OPTIONS = StorageOptions()


@dataclass(frozen=True, kw_only=True)
class Target:
    """A database under test: its kind, the hosts that may answer for it, database, user and TLS mode.

    The embedded server's target has neither hosts nor user; both are known once it runs. An empty ``user`` or ``tls``
    becomes the kind's default. A password is never part of a target: it is looked up under ``secret_name``.

    ``tls`` is one of the kind's modes. ``require`` encrypts without looking at the certificate; of SQL Server that is
    trusting the server's certificate, and ``strict`` is TDS 8. ``ca_file`` holds the certificates of the authorities
    that MariaDB's and MySQL's certificates are checked with, in PEM; empty are the system's. ``driver`` names an ODBC
    driver; empty is the best that is installed. ``sql_server`` is what only SQL Server's targets have, and ``mail``
    what only those of mail servers have: there ``database`` is the domain of the users' addresses, and ``user`` what
    their names begin with.

    Of storage, ``database`` is the path of the file; ``storage`` says on which machine it is.

    Of the embedded server alone there may be several ``nodes``: a primary and its standbys. With ``sync`` the primary
    answers a commit only when a standby has it too. ``failover`` says who promotes a standby when the primary is gone:
    ``manual`` somebody else, ``fast`` the lab as soon as the primary's process has ended, ``probe`` the lab when the
    primary has not answered several times.
    """

    kind: str
    hosts: tuple[Host, ...] = ()
    database: str = DEFAULT_DATABASE
    user: str = ""
    tls: str = ""
    label: str = ""
    nodes: int = 1
    sync: bool = False
    failover: str = MANUAL
    driver: str = ""
    ca_file: str = ""
    sql_server: SqlServerOptions = _NO_OPTIONS
    mail: MailOptions = _NO_MAIL_OPTIONS
    storage: StorageOptions = _NO_STORAGE_OPTIONS

    def __post_init__(self) -> None:
        facts = kind_facts(self.kind)
        if not self.tls:
            object.__setattr__(self, "tls", facts.tls)
        self._check_place()
        for name in ("database", "user", "label", "driver", "ca_file"):
            check_printable(name, getattr(self, name))
        longest = _LONGEST_PATH if self.kind == STORAGE else _LONGEST_DATABASE
        if not 1 <= len(self.database.encode()) <= longest:
            raise BadInput(f"database is '{self.database}'; give a name of 1 to {longest} bytes, such as ds2.")
        if self.tls not in facts.tls_modes:
            field = {MSSQL: "encryption", MAIL: "tls"}.get(self.kind, "sslmode")
            raise BadInput(f"{field} is '{self.tls}'; give one of {', '.join(facts.tls_modes)}.")
        if self.kind != MAIL and self.mail != _NO_MAIL_OPTIONS:
            raise BadInput(f"delivery and accounts are a mail server's; leave them out of a {self.kind} target.")
        if self.driver and not facts.is_odbc:
            raise BadInput(f"driver is '{self.driver}', and {facts.product} needs no ODBC driver; leave it out.")
        if self.ca_file:
            self._check_ca_file()
        self._check_sql_server()
        if not self.user and self.sql_server.authentication != INTEGRATED:
            object.__setattr__(self, "user", facts.user)
        self._check_lab()

    def _check_place(self) -> None:
        """Check that there is a host, or of storage the path of a file from the root on; both are looked up later."""
        if self.kind != STORAGE:
            if self.storage != _NO_STORAGE_OPTIONS:
                raise BadInput(f"device is an option of storage; leave it out of a {self.kind} target.")
            if self.kind != EMBEDDED and not self.hosts:
                raise BadInput(
                    f"target {self.label or self.database} names no host; write {self.kind}://user@host/database."
                )
            return
        if not self.database.startswith("/") or self.database.endswith("/"):
            raise BadInput(
                f"the path of target {self.database} is not one of a file from the root on; write"
                " storage:///path/of/file."
            )
        if self.hosts:
            raise BadInput("a target on storage has no hosts; name a machine of the inventory, storage://machine/path.")

    def _check_ca_file(self) -> None:
        """Check the file's path; its content is checked when connecting."""
        if not kind_facts(self.kind).takes_ca_file:
            raise BadInput(
                f"sslrootcert is MariaDB's, MySQL's and a mail server's; leave it out of a {self.kind} target."
            )
        if self.kind == MAIL:
            if self.tls == DISABLE or self.mail.trusts_certificate:
                raise BadInput("sslrootcert is given, and no certificate is checked; leave one of the two out.")
        elif self.tls not in VERIFYING_TLS:
            raise BadInput(
                f"sslrootcert is given with sslmode={self.tls}, which checks no certificate; give"
                f" sslmode={' or '.join(VERIFYING_TLS)}."
            )

    def _check_sql_server(self) -> None:
        if self.kind == MSSQL:
            if self.user and self.sql_server.authentication == INTEGRATED:
                raise BadInput(
                    f"user is '{self.user}' with authentication=integrated, which logs in as the account that runs"
                    " Spindle; leave one of them out."
                )
            self.sql_server.check_hosts(self.hosts)
            self.sql_server.check_driver(self.driver, self.tls)
            return
        if self.sql_server != _NO_OPTIONS:
            raise BadInput(
                "authentication, multi_subnet_failover and failover_partner are SQL Server's; leave them out of a"
                f" {self.kind} target."
            )
        for host in self.hosts:
            if host.instance:
                raise BadInput(f"host {host} is given with an instance, which only SQL Server has; give host:port.")

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
        """Read a target's URL; a password in it is returned separately, to be used but not stored.

        Raises ``BadInput`` with a text that does not contain the password.
        """
        parts = read_url(url)
        target = cls(kind=parts.kind, hosts=parts.hosts, database=parts.database, user=parts.user, **parts.options)
        return target, parts.secret

    @property
    def url(self) -> str:
        """The URL from which ``parse`` returns this target, except its label; it contains no password."""
        options = Options(
            tls=self.tls,
            nodes=self.nodes,
            sync=self.sync,
            failover=self.failover,
            driver=self.driver,
            ca_file=self.ca_file,
            sql_server=self.sql_server,
            mail=self.mail,
            storage=self.storage,
        )
        return write_url(
            UrlParts(kind=self.kind, hosts=self.hosts, database=self.database, user=self.user, options=options)
        )

    @property
    def argument(self) -> str:
        """The URL as an argument of a command line, quoted if a shell would interpret it."""
        return shlex.quote(self.url)

    @property
    def secret_name(self) -> str:
        """The name under which this target's password is stored: one for all databases of a server and user."""
        return f"{self.kind}://{self.user}@{','.join(str(host) for host in self.hosts)}"

    @property
    def takes_password(self) -> bool:
        """Whether a password is asked for: not with integrated authentication, and not for a file."""
        return self.kind != STORAGE and self.sql_server.authentication != INTEGRATED

    def with_database(self, database: str) -> Self:
        """The same server and user with another database."""
        return replace(self, database=database)

    def with_maintenance_database(self) -> Self:
        """The same server and user with the database that exists on every server of the kind."""
        return self.with_database(kind_facts(self.kind).maintenance_database)

    def with_user(self, user: str) -> Self:
        """The same server and database for another user, who logs in with a password."""
        return replace(self, user=user, sql_server=replace(self.sql_server, authentication=SQL_LOGIN))

    def with_label(self, label: str) -> Self:
        """The same target with another label."""
        return replace(self, label=label)
