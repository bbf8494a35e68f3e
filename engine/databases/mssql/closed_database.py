"""Why a database can't be opened. SQL Server returns error 4060 for a database that does not exist, that this user may
not open, or that is being recovered after a restart or a failover; querying master distinguishes these.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.databases.database import Timeouts
from engine.databases.mssql.errors import CANT_OPEN
from engine.databases.mssql.scripts import identifier
from engine.databases.odbc.connecting import connect_any
from engine.errors import ErrorClass, Remedy, RemedyKind, TargetError
from engine.secrets import Secret
from engine.target.target import Host, Target

if TYPE_CHECKING:
    from engine.databases.odbc.dialect import Dialect

_ONLINE = "ONLINE"
_LOOK_SECONDS = 2.0
# Who may use a database with replicas depends on its group as well: that says nothing of this user's rights.
_STATE = """\
SELECT HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW ANY DATABASE'), d.state_desc,
    CASE WHEN d.state_desc = 'ONLINE' AND d.replica_id IS NULL THEN HAS_DBACCESS(d.name) ELSE 1 END
FROM (SELECT 1 AS one) AS x LEFT JOIN sys.databases AS d ON d.name = ?
"""


def refined_error(
    refusal: TargetError, host: Host, target: Target, secret: Secret | None, timeouts: Timeouts, master: "Dialect"
) -> TargetError:
    """The error of a refused connection with the database's state according to master; any other error unchanged.

    ``master`` is the dialect for that query. A database that is temporarily unavailable is a lost connection: users
    wait for it and reconnect.
    """
    if refusal.code not in CANT_OPEN or target == target.with_maintenance_database():
        return refusal
    try:
        sees_all, state, may_open = _state_of(host, target, secret, timeouts, master)
    except TargetError as error:
        if error.error_class not in (ErrorClass.CONNECTION_LOST, ErrorClass.TIMEOUT):
            return refusal
        text = f"Database '{target.database}' on {host} can't be opened: the server is starting or failing over."
        return _error(ErrorClass.CONNECTION_LOST, text, refusal)
    if state is not None:
        error_class = ErrorClass.CONNECTION_LOST if may_open else ErrorClass.REJECTED
        return _error(error_class, reason_closed(target, state, may_open=may_open), refusal)
    if not sees_all:
        return refusal
    return TargetError(
        ErrorClass.MISSING_DATABASE,
        f"Database '{target.database}' does not exist on {host}",
        code=refusal.code,
        usable=False,
        remedy=Remedy(kind=RemedyKind.BUILD_STORE, target=target.url),
    )


def reason_closed(target: Target, state: str, *, may_open: bool) -> str:
    """Why nobody, or not this user, is let in to a database that is there, with the remedy."""
    name = f"Database '{target.database}'"
    if state == "RECOVERING" or (state == _ONLINE and may_open):
        return f"{name} is being recovered after a start or a failover of its server; it can be used when that is done."
    if state == _ONLINE:
        return (
            f"{name} is there, but {who(target)} may not open it; make that account its owner, with:"
            f" ALTER AUTHORIZATION ON DATABASE::{identifier(target.database)} TO {login_of(target)}"
        )
    return (
        f"{name} is there, but its state is {state}; bring it online, or drop it with:"
        f" DROP DATABASE {identifier(target.database)}"
    )


def who(target: Target) -> str:
    """Whoever connects to a target, in words."""
    return f"user '{target.user}'" if target.user else "the account that runs Spindle"


def login_of(target: Target) -> str:
    """Whoever connects to a target, as T-SQL names the login."""
    return identifier(target.user) if target.user else "[domain\\account]"


def _state_of(
    host: Host, target: Target, secret: Secret | None, timeouts: Timeouts, master: "Dialect"
) -> tuple[bool, str | None, bool]:
    """Whether this user sees every database, the database's state where it is seen, and whether it may be opened."""
    elsewhere = replace(target, hosts=(host,)).with_maintenance_database()
    brief = replace(timeouts, connect_seconds=min(_LOOK_SECONDS, timeouts.connect_seconds))
    connection, _ = connect_any(master, elsewhere, secret, brief, writes=False)
    try:
        rows = connection.query(_STATE, target.database)
    finally:
        connection.close()
    sees_all, state, may_open = rows[0] if rows else (0, None, 0)
    return bool(sees_all), None if state is None else str(state), bool(may_open)


def _error(error_class: ErrorClass, text: str, refusal: TargetError) -> TargetError:
    return TargetError(error_class, text, code=refusal.code, usable=False)
