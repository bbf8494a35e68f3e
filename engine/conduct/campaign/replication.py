"""Whether the replicas of a store have caught up with its primary, asked in the SQL of its DBMS, host by host."""

from collections.abc import Callable, Mapping

from engine.conduct.endpoint import Endpoint
from engine.databases import database_of
from engine.errors import TargetError
from engine.figure_text import counted
from engine.target.target import EMBEDDED, MARIADB, MSSQL, MYSQL, POSTGRESQL, Host

_ASK_SECONDS = 5.0
_POSTGRESQL_PRIMARY = """\
SELECT NOT pg_is_in_recovery(), CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_flush_lsn() END"""
# Of a replica: whether it is one, whether it has replayed so much, and how old the last commit is that it has replayed.
# The lag in ``pg_stat_replication`` is not asked for: it keeps its last value while a replica is silent.
_POSTGRESQL_REPLICA = """\
SELECT pg_is_in_recovery(), pg_last_wal_replay_lsn() >= '{position}',
    extract(epoch FROM now() - pg_last_xact_replay_timestamp())"""
_YES = "t"
_IS_WRITABLE = "@@read_only IN ('0', 'OFF')"  # a number, or in newer releases of MariaDB a word
_SQL_SERVER = """\
SET NOCOUNT ON; SELECT count(*), sum(CASE WHEN redo_queue_size = 0 THEN 1 ELSE 0 END),
    coalesce(max(secondary_lag_seconds), 0)
FROM sys.dm_hadr_database_replica_states WHERE database_id = DB_ID() AND is_primary_replica = 0"""


class _LaggingError(Exception):
    """What is lacking, as a clause."""


def lagging(endpoint: Endpoint, within_seconds: float) -> str:
    """What replicas lack, as a clause; empty when all hosts of the target but its primary have caught up."""
    try:
        _BY_KIND[endpoint.target.kind](_Asking(endpoint), within_seconds)
    except (_LaggingError, TargetError) as error:
        return str(error).rstrip(".")
    return ""


class _Asking:
    """Executes statements on the hosts of a target."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self.hosts = endpoint.target.hosts

    def values(self, host: Host, statement: str) -> list[str]:
        """The values of the first row; raises ``TargetError``."""
        target = self._endpoint.target
        text = database_of(target.kind).execute(
            target, host, self._endpoint.secret, statement, timeout_seconds=_ASK_SECONDS
        )
        return text.partition("\n")[0].split(", ")

    def primary(self, statement: str, yes: str) -> tuple[Host, list[str]]:
        """The first host whose first value says that it is the primary, and its other values."""
        failures = []
        for host in self.hosts:
            try:
                is_primary, *others = self.values(host, statement)
            except TargetError as error:
                failures.append(str(error).rstrip("."))
            else:
                if is_primary == yes:
                    return host, others
        raise _LaggingError(", ".join(("no host says that it is the primary", *failures)))

    def others(self, primary: Host) -> list[Host]:
        return [host for host in self.hosts if host is not primary]


def _postgresql(asking: _Asking, within_seconds: float) -> None:
    primary, (position,) = asking.primary(_POSTGRESQL_PRIMARY, _YES)
    for host in asking.others(primary):
        is_replica, is_level, behind = asking.values(host, _POSTGRESQL_REPLICA.format(position=position))
        if is_replica != _YES:
            raise _LaggingError(f"host {host} is no replica")
        if is_level != _YES and not _is_within(behind, within_seconds):
            raise _LaggingError(f"replica {host} has not replayed everything")


def _is_within(seconds: str, within_seconds: float) -> bool:
    """Whether so many seconds, of which nothing may be known, are few enough."""
    try:
        return float(seconds) <= within_seconds
    except ValueError:
        return False


def _sql_server(asking: _Asking, within_seconds: float) -> None:
    """The primary alone knows of all replicas."""
    wanted = len(asking.hosts) - 1
    for host in asking.hosts:
        follow, level, behind = asking.values(host, _SQL_SERVER)
        if int(follow) < wanted:
            lacking = f"{follow} of {counted(wanted, 'replica')} follow the primary"
        elif int(level) < wanted and not (within_seconds and _is_within(behind, within_seconds)):
            lacking = f"{level} of {counted(wanted, 'replica')} have replayed everything"
        else:
            return
    raise _LaggingError(lacking)


def _by_gtid(has_positions: str, position: str, wait: str) -> Callable[[_Asking, float], None]:
    """Ask each replica to wait until it has executed what the primary has, for a second or ``within_seconds``.

    A wait of 0 seconds would be one without end on MySQL. Of a primary that has written nothing the position is empty.
    """

    def ask(asking: _Asking, within_seconds: float) -> None:
        primary, (is_comparable, *gtids) = asking.primary(f"SELECT {_IS_WRITABLE}, {has_positions}, {position}", "1")
        if is_comparable != "1":
            raise _LaggingError(
                f"primary {primary} has no GTID positions, so its replicas can't be compared with it; switch its binary"
                " log on, with GTIDs"
            )
        seconds = min(max(within_seconds, 1.0), _ASK_SECONDS - 1)
        statement = wait.format(gtid=",".join(gtids).replace("'", ""), seconds=seconds)
        for host in asking.others(primary):
            if asking.values(host, statement) != ["0"]:
                raise _LaggingError(f"replica {host} has not replayed everything")

    return ask


_BY_KIND: Mapping[str, Callable[[_Asking, float], None]] = {
    EMBEDDED: _postgresql,
    POSTGRESQL: _postgresql,
    MARIADB: _by_gtid("@@log_bin", "@@gtid_binlog_pos", "SELECT MASTER_GTID_WAIT('{gtid}', {seconds:g})"),
    MYSQL: _by_gtid(
        "@@gtid_mode = 'ON'",
        "REPLACE(@@gtid_executed, '\\n', '')",  # it has a line for each server that wrote
        "SELECT WAIT_FOR_EXECUTED_GTID_SET('{gtid}', {seconds:g})",
    ),
    MSSQL: _sql_server,
}
