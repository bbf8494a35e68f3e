"""SQL Server's part of an ODBC connection: the keywords of each driver, and the settings of a new session.

Microsoft's keywords are those of "DSN and Connection String Keywords and Attributes"; FreeTDS' those of its user
guide, "ODBC connection attributes". A driver is refused for what it would pass over in silence.
"""

import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from engine.databases.database import Timeouts
from engine.databases.failure import Failure
from engine.databases.mssql.closed_database import refined_error
from engine.databases.mssql.errors import call_error, connect_error
from engine.databases.mssql.scripts import Sql, batches, listed, literal
from engine.databases.odbc.drivers import driver_keyword
from engine.errors import TargetError, UserError
from engine.secrets import Secret
from engine.target.kinds import DISABLE, REQUIRE, STRICT, VERIFY_FULL
from engine.target.sql_server_options import TRUSTING
from engine.target.target import MSSQL, Host, Target

APPLICATION = "spindle"
_FREETDS = re.compile(r"freetds|tdsodbc", re.IGNORECASE)
_MICROSOFT = re.compile(r"ODBC Driver (\d+) for SQL Server", re.IGNORECASE)
_FIRST_STRICT_DRIVER = 18
_TDS_VERSION = "7.4"  # SQL Server 2012 and newer
_ENCRYPT = {DISABLE: "no", REQUIRE: "yes", VERIFY_FULL: "yes", STRICT: "strict"}
# 'request' keeps at least the login encrypted, as Microsoft's driver does with Encrypt=no; 'off' would not.
_FREETDS_ENCRYPTION = {DISABLE: "request", REQUIRE: "require"}
# XACT_ABORT: any error, and a call that its client gives up, rolls the whole transaction back.
_SETTINGS = "SET NOCOUNT ON; SET XACT_ABORT ON; SET IMPLICIT_TRANSACTIONS OFF;"
# Converted: pyodbc and comparisons know what to do with a text, and little of a sql_variant.
_UPDATEABILITY = "SELECT CONVERT(nvarchar(128), DATABASEPROPERTYEX(DB_NAME(), 'Updateability'))"


class SqlServerDialect:
    """Implements ``engine.databases.odbc.dialect.Dialect``.

    ``lock_seconds`` is how long the server lets a statement of the new connections wait for a lock: the one time-out
    of a statement that SQL Server keeps by itself. ``procedures`` have to be there for whoever connects.
    """

    kind = MSSQL
    product = "SQL Server"

    def __init__(self, *, lock_seconds: float | None = None, procedures: Sequence[str] = ()) -> None:
        statement = _SETTINGS
        if lock_seconds is not None:
            statement += f" SET LOCK_TIMEOUT {max(1, round(lock_seconds * 1000))};"
        if procedures:
            statement += _requires(procedures)
        self.session_statements: tuple[str, ...] = (statement,)

    def attributes(
        self, target: Target, host: Host, secret: Secret | None, timeouts: Timeouts, driver: str
    ) -> dict[str, str]:
        """The connection string's keywords and values, unescaped; raises ``UserError`` for what a driver can't do.

        The time-out of the login is no keyword: it is an attribute, ``SQL_ATTR_LOGIN_TIMEOUT``.
        """
        own = _freetds if _FREETDS.search(driver) else _microsofts
        return {
            "Driver": driver_keyword(driver),
            "Database": target.database,
            "APP": APPLICATION,
            **_credentials(target, secret),
            **own(target, host, timeouts, driver),
        }

    def connect_attributes(self) -> dict[int, int | bytes]:
        return {}

    def refuses_writes(self, query: Callable[[str], Sequence[Sequence[Any]]]) -> bool:
        """Whether the database can only be read here: it is a readable secondary, or set to read-only."""
        ((updateability,),) = query(_UPDATEABILITY)
        return str(updateability) != "READ_WRITE"

    def error(self, failure: Failure, *, usable: bool) -> TargetError:
        return call_error(failure.sqlstate, failure.native, failure.message, usable=usable)

    def connect_error(self, failure: Failure, host: Host, target: Target) -> TargetError:
        return connect_error(failure.sqlstate, failure.native, failure.message, host, target)

    def refined(
        self, refusal: TargetError, host: Host, target: Target, secret: Secret | None, timeouts: Timeouts
    ) -> TargetError:
        return refined_error(refusal, host, target, secret, timeouts, SqlServerDialect())


def _requires(procedures: Sequence[str]) -> str:
    needed = listed(*(Sql(f"({literal(f'dbo.{name}')})") for name in procedures))
    (batch,) = batches("required", procedures=needed)
    return f" {batch}"


def _credentials(target: Target, secret: Secret | None) -> dict[str, str]:
    if not target.takes_password:
        return {"Trusted_Connection": "yes"}
    return {"UID": target.user, "PWD": secret.reveal() if secret else ""}


def _microsofts(target: Target, host: Host, timeouts: Timeouts, driver: str) -> dict[str, str]:
    known = _MICROSOFT.fullmatch(driver)
    if target.tls == STRICT and known is not None and int(known[1]) < _FIRST_STRICT_DRIVER:
        raise UserError(
            f"encrypt is strict, which driver '{driver}' does not support; install ODBC Driver {_FIRST_STRICT_DRIVER}"
            " for SQL Server, or choose another encryption (encrypt=yes)."
        )
    options = target.sql_server
    attributes = {
        "Server": f"tcp:{_place(host)}",
        "Encrypt": _ENCRYPT[target.tls],
        "TrustServerCertificate": "yes" if target.tls == REQUIRE else "no",
        "ApplicationIntent": options.application_intent,
        "MultiSubnetFailover": "yes" if options.multi_subnet_failover else "no",
        "MARS_Connection": "no",
        # Spindle reconnects by itself, and counts it; the driver's way would hide an outage within a call.
        "ConnectRetryCount": "0",
        "KeepAlive": str(max(1, round(timeouts.silence_seconds / 2))),
        "KeepAliveInterval": "1",
    }
    if options.failover_partner:
        attributes["Failover_Partner"] = _partner(options.failover_partner)
    return attributes


def _freetds(target: Target, host: Host, _timeouts: Timeouts, driver: str) -> dict[str, str]:
    options = target.sql_server
    if options.multi_subnet_failover or options.failover_partner:
        option = "multi_subnet_failover" if options.multi_subnet_failover else "failover_partner"
        raise UserError(
            f"{option} is given, which driver '{driver}' does not support; install Microsoft's ODBC Driver 18 for SQL"
            " Server, or name the servers one after the other as the target's hosts instead."
        )
    if target.tls not in _FREETDS_ENCRYPTION:
        option = "encrypt is strict" if target.tls == STRICT else "the server's certificate is to be checked"
        raise UserError(
            f"{option}, which driver '{driver}' does not support; install Microsoft's ODBC Driver 18 for SQL Server, or"
            f" trust the server's certificate ({TRUSTING}) if the network is yours."
        )
    attributes = {
        "Server": f"{host.name}\\{host.instance}" if _asks_browser(host) else host.name,
        "TDS_Version": _TDS_VERSION,
        "Encryption": _FREETDS_ENCRYPTION[target.tls],
        "ApplicationIntent": options.application_intent,
        "ClientCharset": "UTF-8",
    }
    if not _asks_browser(host):
        attributes["Port"] = str(host.port)
    return attributes


def _place(host: Host) -> str:
    """The server as Microsoft's drivers want it; with a port, an instance's name says nothing more."""
    return f"{host.name}\\{host.instance}" if _asks_browser(host) else f"{host.name},{host.port}"


def _asks_browser(host: Host) -> bool:
    return bool(host.instance) and not host.port


def _partner(partner: str) -> str:
    if sys.platform != "win32":
        raise UserError(
            f"failover_partner is '{partner}', which Microsoft's driver supports on Windows only; name the partner as"
            " the second of the target's hosts."
        )
    return partner
