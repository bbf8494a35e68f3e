"""The availability group that a store's database is in, as its administrator handles it: out of it, and in again.

A database can only be restored outside of its group. The group then copies it to the secondaries by itself, where these
are set to automatic seeding (SQL Server 2016 and newer); their old copies have to go before that.
"""

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from engine.databases.database import Timeouts
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.mssql.running import one, query_if_permitted
from engine.databases.mssql.scripts import Sql, identifier, literal
from engine.databases.odbc.admin import opened
from engine.databases.odbc.connection import OdbcConnection
from engine.errors import ErrorClass, TargetError, UserError
from engine.secrets import Secret
from engine.target.target import Host, Target

_DEFAULT_PORT = 1433
_CHECK_EVERY_SECONDS = 1.0
_LEAVE_SECONDS = 60.0
_LONGEST_STANDSTILL_SECONDS = 600.0
_CONFIGURATION_ONLY = "CONFIGURATION_ONLY"
_REPLICAS = """\
SELECT g.name, r.replica_server_name, r.availability_mode_desc, r.seeding_mode_desc,
    CASE WHEN r.replica_id = d.replica_id THEN 1 ELSE 0 END, r.read_only_routing_url, r.endpoint_url
FROM sys.databases AS d
INNER JOIN sys.availability_replicas AS own ON own.replica_id = d.replica_id
INNER JOIN sys.availability_groups AS g ON g.group_id = own.group_id
INNER JOIN sys.availability_replicas AS r ON r.group_id = own.group_id
WHERE d.name = ?
ORDER BY r.replica_server_name
"""
_CONTAINED = "SELECT CAST(g.is_contained AS int) FROM sys.availability_groups AS g WHERE g.name = ?"
# A group is named only to who may see it; that the database is in one is known to everybody who may see the database.
_COPIED = """\
SELECT CASE WHEN d.replica_id IS NULL AND m.mirroring_guid IS NULL THEN 0 ELSE 1 END
FROM sys.databases AS d
LEFT JOIN sys.database_mirroring AS m ON m.database_id = d.database_id
WHERE d.name = ?
"""
# Of the replicas that are to have the database, those that keep up: in step, or on the way where commits do not wait.
_JOINED = """\
SELECT COUNT(*)
FROM sys.dm_hadr_database_replica_states AS s
INNER JOIN sys.databases AS d ON d.group_database_id = s.group_database_id
INNER JOIN sys.availability_replicas AS r ON r.replica_id = s.replica_id
WHERE d.name = ? AND s.is_local = 0 AND (
    s.synchronization_state_desc = 'SYNCHRONIZED'
    OR (s.synchronization_state_desc = 'SYNCHRONIZING' AND r.availability_mode_desc = 'ASYNCHRONOUS_COMMIT')
)
"""
# Only a database whose log is complete since a full backup can be in a group.
_LOG_BEGINS = "SELECT last_log_backup_lsn FROM sys.database_recovery_status WHERE database_id = DB_ID(?)"
_PLATFORM = "SELECT h.host_platform FROM sys.dm_os_host_info AS h"
_NO_SUCH_DEVICE = ("3201", "3203", "3205", "3271")
_MOVED = "SELECT COALESCE(SUM(transferred_size_bytes), 0) FROM sys.dm_hadr_physical_seeding_stats"


@dataclass(frozen=True)
class Secondary:
    """A replica other than the one that answers: its server's name, and whether the group copies databases to it.

    ``routing_url`` leads clients to it, ``endpoint_url`` the other replicas; both are empty where nobody has set them.
    """

    server: str
    seeds_itself: bool
    routing_url: str = ""
    endpoint_url: str = ""


@dataclass(frozen=True)
class Group:
    """The availability group of a database, seen from the replica that answers.

    ``is_contained``: it has system databases of its own (SQL Server 2022), and its listener leads to these.
    """

    name: str
    secondaries: tuple[Secondary, ...]
    is_contained: bool = False


def group_of(connection: OdbcConnection, database: str) -> Group | None:
    """The group that a database is in; ``None`` when it is in none. Asked on the primary, in any database."""
    rows = query_if_permitted(connection, _REPLICAS, database)
    if not rows:
        return None
    secondaries = tuple(
        Secondary(str(server), seeding == "AUTOMATIC", str(routing_url or ""), str(endpoint_url or ""))
        for _, server, mode, seeding, is_here, routing_url, endpoint_url in rows
        if not is_here and mode != _CONFIGURATION_ONLY
    )
    name = str(rows[0][0])
    contained = query_if_permitted(connection, _CONTAINED, name)
    return Group(name, secondaries, is_contained=bool(contained and contained[0][0]))


def is_copied(connection: OdbcConnection, database: str) -> bool:
    """Whether other servers have the database too, in an availability group or as a mirror: then it can't be taken
    offline, restored over or dropped, and has to log everything in full. So it is taken to be where nobody says.
    """
    rows = query_if_permitted(connection, _COPIED, database)
    return not rows or bool(rows[0][0])


def host_of(secondary: Secondary, target: Target) -> Host:
    """Where a replica's server listens: as the target names it, else as the group leads clients to it.

    A group need not do so; then it is where the other replicas find it, or its name does, on the usual port.
    """
    name, _, instance = secondary.server.partition("\\")
    for host in target.hosts:
        if host.name.split(".")[0].lower() == name.lower() and host.instance.lower() == instance.lower():
            return host
    routed, routed_port = _place(secondary.routing_url)
    if routed and routed_port:
        return Host(routed, routed_port)
    found, _ = _place(secondary.endpoint_url)  # its port is that of the replicas among themselves
    return Host(found or name, 0 if instance else _DEFAULT_PORT, instance)


def _back_up_to_nothing(connection: OdbcConnection, database: Sql) -> None:
    """A full backup that nobody keeps; its device's name is the platform's, though one may know that of the other."""
    platform = query_if_permitted(connection, _PLATFORM)
    devices = ["/dev/null", "NUL"] if platform and platform[0][0] == "Linux" else ["NUL", "/dev/null"]
    try:
        connection.query(f"BACKUP DATABASE {database} TO DISK = {literal(devices[0])}")
    except TargetError as error:
        if error.code not in _NO_SUCH_DEVICE:
            raise
        connection.query(f"BACKUP DATABASE {database} TO DISK = {literal(devices[1])}")


def _place(url: str) -> tuple[str, int]:
    """Host and port of a URL such as ``TCP://db2.corp:1433``; empty and 0 where there is none."""
    try:
        name, port = urlsplit(url).hostname, urlsplit(url).port
    except ValueError:
        return "", 0
    return name or "", port or 0


def alone(target: Target, host: Host) -> Target:
    """The maintenance database of one of the servers, whatever part it plays."""
    options = replace(target.sql_server, multi_subnet_failover=False, failover_partner="")
    return replace(target, hosts=(host,), sql_server=options).with_maintenance_database()


class GroupLeave:
    """A database taken out of its group for a while; for the primary's connection to the maintenance database.

    Everything that can be known to fail is looked at before anything is touched: ``open`` raises ``UserError`` then.
    """

    def __init__(self, connection: OdbcConnection, group: Group, database: str) -> None:
        self._connection = connection
        self._group = group
        self._database = database
        self._secondaries: list[OdbcConnection] = []

    def open(self, stack: ExitStack, target: Target, secret: Secret | None, timeouts: Timeouts) -> None:
        """Connect to every secondary, for as long as the stack lasts."""
        if self._group.is_contained:
            raise UserError(f"group '{self._group.name}' is contained, and nothing can be restored inside of it")
        for secondary in self._group.secondaries:
            if not secondary.seeds_itself:
                raise UserError(f"replica {secondary.server} is seeded by hand")
            host = host_of(secondary, target)
            try:
                opening = opened(SqlServerDialect(), alone(target, host), secret, timeouts)
                self._secondaries.append(stack.enter_context(opening))
            except TargetError as error:
                raise UserError(f"replica {secondary.server} can't be reached ({error})") from error

    def leave(self) -> None:
        """Take the database out of the group, and its copies off the secondaries."""
        self._connection.query(f"ALTER AVAILABILITY GROUP {self._name} REMOVE DATABASE {identifier(self._database)}")
        for secondary in self._secondaries:
            self._drop_copy(secondary)
            secondary.query(f"ALTER AVAILABILITY GROUP {self._name} GRANT CREATE ANY DATABASE")

    def rejoin(self, report_progress: Callable[[], None]) -> None:
        """Add the database to its group again, and wait until every secondary is synchronized.

        ``report_progress`` is called often, and may raise to end the waiting.

        Raises ``TargetError`` when the copying stands still for ten minutes.
        """
        name = identifier(self._database)
        if one(self._connection, _LOG_BEGINS, self._database)[0] is None:
            _back_up_to_nothing(self._connection, name)
        self._connection.query(f"ALTER AVAILABILITY GROUP {self._name} ADD DATABASE {name}")
        seen: tuple[int, int] | None = None
        until = time.monotonic() + _LONGEST_STANDSTILL_SECONDS
        while True:
            joined = int(one(self._connection, _JOINED, self._database)[0])
            if joined >= len(self._secondaries):
                return
            now = joined, int(one(self._connection, _MOVED)[0])
            if now != seen:
                seen, until = now, time.monotonic() + _LONGEST_STANDSTILL_SECONDS
            if time.monotonic() > until:
                raise TargetError(
                    ErrorClass.TIMEOUT,
                    f"only {joined} of {len(self._secondaries)} secondary replicas of group '{self._group.name}' keep"
                    f" up with database '{self._database}'; look at sys.dm_hadr_automatic_seeding on the primary",
                )
            report_progress()
            time.sleep(_CHECK_EVERY_SECONDS)

    @property
    def _name(self) -> Sql:
        return identifier(self._group.name)

    def _drop_copy(self, secondary: OdbcConnection) -> None:
        """Drop what the group leaves behind: a database that is restoring, and nothing else. It may take a moment."""
        until = time.monotonic() + _LEAVE_SECONDS
        while rows := secondary.query("SELECT state_desc FROM sys.databases WHERE name = ?", self._database):
            if rows[0][0] == "RESTORING":
                secondary.query(f"DROP DATABASE {identifier(self._database)}")
                return
            if time.monotonic() > until:
                raise TargetError(
                    ErrorClass.TIMEOUT,
                    f"database '{self._database}' has left group '{self._group.name}', but is still {rows[0][0]} on"
                    f" {secondary.host}; drop it there, and add it to the group again",
                )
            time.sleep(_CHECK_EVERY_SECONDS)
