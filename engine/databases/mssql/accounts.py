"""The login and user of the load, of least privilege: they may connect, and call the store's procedures."""

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from engine.databases.database import Timeouts
from engine.databases.mssql.closed_database import who
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.mssql.replicas import alone, group_of, host_of
from engine.databases.mssql.running import one, query_if_permitted, run_all
from engine.databases.mssql.scripts import LONGEST_IDENTIFIER, batches, binary, identifier, literal
from engine.databases.odbc.admin import opened
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.load_account import load_password
from engine.errors import BadInput, TargetError
from engine.secrets import Secret
from engine.target.target import Host, Target

_PREFIX = "spindle_"
_SID_BYTES = 16
_PURPOSE = b"spindle load account's sid"
# Mixed authentication is needed for a login with a password of its own.
_MAY_MAKE = """\
SELECT
    HAS_PERMS_BY_NAME(NULL, NULL, 'ALTER ANY LOGIN'),
    HAS_PERMS_BY_NAME(QUOTENAME(DB_NAME()), 'DATABASE', 'ALTER ANY USER'),
    CAST(SERVERPROPERTY('IsIntegratedSecurityOnly') AS int)
"""
# Only who has CONTROL SERVER sees the hash; to others it is null, and nobody knows.
_COMPARED = "SELECT PWDCOMPARE(?, password_hash) FROM sys.sql_logins WHERE name = ? AND sid = ?"
_NAME_TAKEN_BY_ANOTHER = "SELECT COUNT(*) FROM sys.server_principals WHERE name = ? AND sid <> ?"


@dataclass(frozen=True)
class LoadAccount:
    """The account of the store in a target's database; it may call the
    ``procedures``; ``salt`` is the store's own."""

    target: Target
    secret: Secret | None
    timeouts: Timeouts
    procedures: Sequence[str]
    salt: bytes

    @property
    def name(self) -> str:
        """``spindle_`` and the database, as far as a name goes."""
        return f"{_PREFIX}{self.target.database}"[:LONGEST_IDENTIFIER]

    @property
    def sid(self) -> bytes:
        """The login's security identifier: the same on every server, so that the database's user is its own there."""
        return hashlib.sha256(_PURPOSE + self.salt).digest()[:_SID_BYTES]

    def make(self, connection: OdbcConnection) -> tuple[str, Secret] | None:
        """Make or renew it, from a connection to the store's database; its name and password.

        On every server that the target names or that has a replica of the database, as far as each can be reached;
        on one that can't (it is down, or it listens on a port that the target does not name), the login stays to be
        made by hand with the same SID. ``None`` when this user may make no accounts, the server takes no passwords, or
        somebody else has a login of that name.
        """
        may_log_in, may_use, only_integrated = one(connection, _MAY_MAKE)
        if not (may_log_in and may_use) or only_integrated:
            return None
        if one(connection, _NAME_TAKEN_BY_ANOTHER, self.name, self.sid)[0]:
            return None
        password = load_password(self.secret if self.target.takes_password else None, self.salt)
        self._make_login(connection, password)
        for host in self._other_hosts(connection):
            # A server that is down must not keep a run from the others.
            with suppress(TargetError), opened(SqlServerDialect(), alone(self.target, host), *self._access) as other:
                self._make_login(other, password)
        run_all(connection, batches("load_user", name=identifier(self.name), name_text=literal(self.name)))
        for procedure in self.procedures:
            connection.query(f"GRANT EXECUTE ON OBJECT::dbo.{procedure} TO {identifier(self.name)}")
        return self.name, password

    def warning(self, connection: OdbcConnection) -> str:
        """Why the load will have no account of its own, and what to do; empty where nothing is in the way.

        From a connection to the store's database.
        """
        may_log_in, may_use, only_integrated = one(connection, _MAY_MAKE)
        if not (may_log_in and may_use) or only_integrated:
            return ""
        if not one(connection, _NAME_TAKEN_BY_ANOTHER, self.name, self.sid)[0]:
            return ""
        return (
            f"Login '{self.name}' is there already and is not this store's: it is left over from an earlier database"
            f" of that name, or somebody else's. The users connect as {who(self.target)} instead, whose rights a run is"
            f" not meant to have; drop it on every server with: DROP LOGIN {identifier(self.name)}"
        )

    def remove(self, connection: OdbcConnection) -> None:
        """Remove the user from the database and the login from the servers, as far as possible.

        From a connection to the store's database; a login that is not this store's is kept, and so is one that is in
        use.
        """
        hosts = self._other_hosts(connection)
        with suppress(TargetError):
            connection.query(f"DROP USER IF EXISTS {identifier(self.name)}")
        self._drop_login(connection)
        for host in hosts:
            with suppress(TargetError), opened(SqlServerDialect(), alone(self.target, host), *self._access) as other:
                self._drop_login(other)

    @property
    def _access(self) -> tuple[Secret | None, Timeouts]:
        return self.secret, self.timeouts

    def _make_login(self, connection: OdbcConnection, password: Secret) -> None:
        values = {
            "name": identifier(self.name),
            "name_text": literal(self.name),
            "password": literal(password.reveal()),
            "sid": binary(self.sid),
        }
        run_all(connection, batches("load_login", **values))
        if not self._has_password(connection, password):
            run_all(connection, batches("renew_login", **values))

    def _has_password(self, connection: OdbcConnection, password: Secret) -> bool:
        """Whether the login has the password on the connection's server; where the hash is hidden, it is tried."""
        rows = query_if_permitted(connection, _COMPARED, password.reveal(), self.name, self.sid)
        if rows and rows[0][0] is not None:
            return bool(rows[0][0])
        if not self.target.takes_password:  # it is drawn by chance for each run
            return False
        there = alone(self.target, connection.host).with_user(self.name)
        try:
            with opened(SqlServerDialect(), there, password, self.timeouts):
                return True
        except TargetError:
            return False

    def _drop_login(self, connection: OdbcConnection) -> None:
        with suppress(TargetError):
            found = connection.query("SELECT name FROM sys.sql_logins WHERE name = ? AND sid = ?", self.name, self.sid)
            if found:
                connection.query(f"DROP LOGIN {identifier(self.name)}")

    def _other_hosts(self, connection: OdbcConnection) -> list[Host]:
        hosts = [host for host in self.target.hosts if host != connection.host]
        group = group_of(connection, self.target.database)
        for secondary in group.secondaries if group else ():
            with suppress(BadInput):  # a server's name that no host can have
                host = host_of(secondary, self.target)
                if host not in (connection.host, *hosts):
                    hosts.append(host)
        return hosts
