"""What MariaDB's and MySQL's connections have of their own: the driver's options, a session's settings, the errors.

Used by ``engine.databases.odbc`` for every connection; ``dialect_of`` gives the one of a target's kind.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.databases.database import Timeouts
from engine.databases.failure import Failure
from engine.databases.mariadb.ca_file import ca_file_of
from engine.databases.mariadb.errors import classified_error, connect_error
from engine.databases.mariadb.settings import NO_LIMIT, SQL_MODE
from engine.errors import TargetError
from engine.secrets import Secret
from engine.target.kinds import MARIADB, MYSQL, kind_facts
from engine.target.target import Host, Target

_MYSQL_TLS = {
    "disable": "DISABLED",
    "prefer": "PREFERRED",
    "require": "REQUIRED",
    "verify-ca": "VERIFY_CA",
    "verify-full": "VERIFY_IDENTITY",
}
# Two rows, and so error 1242, where the connection is not encrypted: MariaDB's driver goes on without TLS when a server
# has none, whatever it was asked for.
_IS_ENCRYPTED = {
    kind: f"SET @spindle_tls = (SELECT 1 FROM {schema}.session_status"  # noqa: S608 - our own names
    " WHERE variable_name = 'Ssl_cipher' AND variable_value = '' UNION ALL SELECT 1)"
    for kind, schema in ((MARIADB, "information_schema"), (MYSQL, "performance_schema"))
}
# The drivers count their time-outs in whole seconds.
_LONGEST_SECONDS = 86_400


@dataclass(frozen=True)
class MariaDBDialect:
    """Implements ``engine.databases.odbc.dialect.Dialect``, for one of the two kinds."""

    kind: str

    @property
    def product(self) -> str:
        return kind_facts(self.kind).product

    @property
    def session_statements(self) -> tuple[str, ...]:
        return f"SET SESSION {SQL_MODE}", f"SET SESSION {NO_LIMIT[self.kind]}"

    def attributes(
        self, target: Target, host: Host, secret: Secret | None, timeouts: Timeouts, driver: str
    ) -> dict[str, str]:
        """The driver's options for one host of a target; they hold the password, so they must never be shown.

        A connection for long work, whose ``timeouts.statement_seconds`` are infinite, waits for its answers for ever.
        """
        common = {
            "DRIVER": driver,
            "SERVER": host.name,
            "PORT": str(host.port),
            "DATABASE": target.database,
            "UID": target.user,
            "PWD": secret.reveal() if secret else "",
            "CHARSET": "utf8mb4",
            "NO_PROMPT": "1",
        }
        if ca_file := ca_file_of(target):
            common["SSLCA"] = ca_file
        return common | (_mysql_options if "mysql" in driver.lower() else _mariadb_options)(target, timeouts)

    def connect_attributes(self) -> dict[int, int | bytes]:
        return {}

    def refuses_writes(self, query: Callable[[str], Sequence[Sequence[Any]]]) -> bool:
        """Whether the server is set to read-only, as a replica is; administrators may write there all the same."""
        ((read_only,),) = query("SELECT @@GLOBAL.read_only OR @@GLOBAL.innodb_read_only")
        return bool(read_only)

    def error(self, failure: Failure, *, usable: bool) -> TargetError:
        return classified_error(failure, usable=usable)

    def connect_error(self, failure: Failure, host: Host, target: Target) -> TargetError:
        return connect_error(failure, host, target)

    def refined(
        self, refusal: TargetError, host: Host, target: Target, secret: Secret | None, timeouts: Timeouts
    ) -> TargetError:
        return refusal


def dialect_of(kind: str) -> MariaDBDialect:
    """The dialect of a target's kind, ``mariadb`` or ``mysql``."""
    return MariaDBDialect(kind)


def _mariadb_options(target: Target, timeouts: Timeouts) -> dict[str, str]:
    """Those of MariaDB Connector/ODBC. It checks a certificate with the host's name or not at all, so that verify-ca
    is as strict as verify-full; and it goes on without TLS when the server has none, unless it has to verify.
    """
    options = {"TCPIP": "1", "CONN_TIMEOUT": _whole(timeouts.connect_seconds)}
    if target.tls == "require":
        options["INITSTMT"] = _IS_ENCRYPTED[target.kind]
    if target.tls != "disable":
        options |= {"FORCETLS": "1", "SSLVERIFY": "1" if target.tls.startswith("verify") else "0"}
    if math.isfinite(timeouts.statement_seconds):
        options |= {"READ_TIMEOUT": _statement_limit(timeouts), "WRITE_TIMEOUT": _statement_limit(timeouts)}
    return options


def _mysql_options(target: Target, timeouts: Timeouts) -> dict[str, str]:
    """Those of MySQL Connector/ODBC; the server's key is fetched where there is no TLS to send a password in."""
    options = {"SSLMODE": _MYSQL_TLS[target.tls], "GET_SERVER_PUBLIC_KEY": "1", "ENABLE_LOCAL_INFILE": "1"}
    if math.isfinite(timeouts.statement_seconds):
        options |= {"READTIMEOUT": _statement_limit(timeouts), "WRITETIMEOUT": _statement_limit(timeouts)}
    return options


def _statement_limit(timeouts: Timeouts) -> str:
    """Longer than the server's own limit: for a server that keeps silent, where the connection can't be cut."""
    return _whole(timeouts.statement_seconds + timeouts.silence_seconds)


def _whole(seconds: float) -> str:
    return str(min(max(1, math.ceil(seconds)), _LONGEST_SECONDS))
