"""PostgreSQL over psqlODBC: a second DBMS on which the common ODBC code is tried.

Its targets are of the kind ``mariadb`` with the driver named, for a PostgreSQL target has no ODBC driver.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from engine.databases.database import Timeouts
from engine.databases.failure import TIMEOUT_STATE, Failure
from engine.errors import ErrorClass, TargetError
from engine.lab.server import EmbeddedServer
from engine.secrets import Secret
from engine.target.target import MARIADB, Host, Target

_CLASSES = {"57014": ErrorClass.TIMEOUT, TIMEOUT_STATE: ErrorClass.TIMEOUT, "28P01": ErrorClass.REJECTED}


class PostgreSQLDialect:
    """Fulfils ``engine.databases.odbc.dialect.Dialect``."""

    kind = MARIADB
    product = "PostgreSQL"
    session_statements: tuple[str, ...] = ("SET application_name = 'spindle-odbc'",)

    def attributes(
        self, target: Target, host: Host, secret: Secret | None, timeouts: Timeouts, driver: str
    ) -> dict[str, str]:
        return {
            "DRIVER": driver,
            "SERVER": host.name,
            "PORT": str(host.port),
            "DATABASE": target.database,
            "UID": target.user,
            "PWD": secret.reveal() if secret else "",
        }

    def connect_attributes(self) -> dict[int, int | bytes]:
        return {}

    def refuses_writes(self, query: Callable[[str], Sequence[Sequence[Any]]]) -> bool:
        ((read_only,),) = query("SHOW transaction_read_only")
        return bool(read_only == "on")

    def error(self, failure: Failure, *, usable: bool) -> TargetError:
        error_class = _CLASSES.get(failure.sqlstate, ErrorClass.OTHER if usable else ErrorClass.CONNECTION_LOST)
        return TargetError(error_class, failure.message, code=failure.sqlstate, usable=usable)

    def connect_error(self, failure: Failure, host: Host, target: Target) -> TargetError:
        error_class = _CLASSES.get(failure.sqlstate, ErrorClass.CONNECTION_LOST)
        return TargetError(error_class, f"{host}: {failure.message}", code=failure.sqlstate, usable=False)

    def refined(
        self, refusal: TargetError, host: Host, target: Target, secret: Secret | None, timeouts: Timeouts
    ) -> TargetError:
        return refusal


def odbc_target(server: EmbeddedServer) -> Target:
    """The embedded server through psqlODBC."""
    native = server.target("postgres")
    return Target(kind=MARIADB, hosts=native.hosts, database="postgres", user=native.user, driver="PostgreSQL Unicode")


def on(target: Target, *hosts: Host) -> Target:
    """The same target on other hosts."""
    return replace(target, hosts=hosts)
