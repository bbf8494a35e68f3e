"""Whether the replicas of a store have caught up with its primary, asked in the SQL of its DBMS."""

from collections.abc import Callable, Mapping

from engine.conduct.preflight import Endpoint
from engine.databases import database_of
from engine.errors import TargetError
from engine.figure_text import counted
from engine.target.target import EMBEDDED, MARIADB, MSSQL, MYSQL, POSTGRESQL, Host

_ASK_SECONDS = 5.0
# Of the primary: how many follow, how many of them have replayed all, and how far behind the slowest is, in seconds.
_POSTGRESQL = """\
SELECT count(*), count(*) FILTER (WHERE replay_lsn >= pg_current_wal_flush_lsn()),
    coalesce(max(extract(epoch FROM replay_lag)), 0)
FROM pg_stat_replication WHERE state = 'streaming' AND NOT pg_is_in_recovery()"""
_POSTGRESQL_IS_PRIMARY = "SELECT NOT pg_is_in_recovery()"
_IS_WRITABLE = "SELECT @@read_only = 0"
_SQL_SERVER = """\
SET NOCOUNT ON; SELECT count(*), sum(CASE WHEN redo_queue_size = 0 THEN 1 ELSE 0 END),
    coalesce(max(secondary_lag_seconds), 0)
FROM sys.dm_hadr_database_replica_states WHERE database_id = DB_ID() AND is_primary_replica = 0"""


def lagging(endpoint: Endpoint, within_seconds: float) -> str:
    """What replicas lack, as a clause; empty when all hosts of the target but its primary have caught up."""
    return _BY_KIND[endpoint.target.kind](_Asking(endpoint), within_seconds)


class _Asking:
    """Executes statements on the hosts of a target."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self.hosts = endpoint.target.hosts

    def one(self, host: Host, statement: str) -> list[str]:
        """The values of the first row; raises ``TargetError``."""
        target = self._endpoint.target
        text = database_of(target.kind).execute(
            target, host, self._endpoint.secret, statement, timeout_seconds=_ASK_SECONDS
        )
        return text.splitlines()[0].split(", ")

    def primary(self, statement: str, yes: str) -> Host | None:
        """The host on which the statement says so."""
        for host in self.hosts:
            try:
                if self.one(host, statement)[0] == yes:
                    return host
            except TargetError:
                continue
        return None


_NO_PRIMARY = "no host says that it is the primary"


def _counted(asking: _Asking, primary: Host, statement: str, within_seconds: float) -> str:
    wanted = len(asking.hosts) - 1
    try:
        follow, level, behind = asking.one(primary, statement)
    except TargetError as error:
        return str(error)
    if int(follow) < wanted:
        return f"{follow} of {counted(wanted, 'replica')} follow the primary"
    if int(level) < wanted and (not within_seconds or float(behind) > within_seconds):
        return f"{level} of {counted(wanted, 'replica')} have replayed everything"
    return ""


def _postgresql(asking: _Asking, within_seconds: float) -> str:
    primary = asking.primary(_POSTGRESQL_IS_PRIMARY, "t")
    return _NO_PRIMARY if primary is None else _counted(asking, primary, _POSTGRESQL, within_seconds)


def _sql_server(asking: _Asking, within_seconds: float) -> str:
    for host in asking.hosts:
        if not (found := _counted(asking, host, _SQL_SERVER, within_seconds)):
            return ""
    return found


def _by_gtid(position: str, wait: str, reached: str) -> Callable[[_Asking, float], str]:
    """Ask each replica whether it has executed what the primary has, for at most ``within_seconds``."""

    def ask(asking: _Asking, within_seconds: float) -> str:
        primary = asking.primary(_IS_WRITABLE, "1")
        if primary is None:
            return _NO_PRIMARY
        try:
            gtid = ",".join(asking.one(primary, position))
            if not gtid:
                return "the primary has no GTID position, so that its replicas can't be compared with it"
            for host in asking.hosts:
                if host is not primary:
                    statement = wait.format(gtid=gtid.replace("'", ""), seconds=min(within_seconds, _ASK_SECONDS - 1))
                    if asking.one(host, statement)[0] != reached:
                        return f"replica {host} has not replayed everything"
        except TargetError as error:
            return str(error)
        return ""

    return ask


_BY_KIND: Mapping[str, Callable[[_Asking, float], str]] = {
    EMBEDDED: _postgresql,
    POSTGRESQL: _postgresql,
    MARIADB: _by_gtid("SELECT @@gtid_binlog_pos", "SELECT MASTER_GTID_WAIT('{gtid}', {seconds:g})", "0"),
    MYSQL: _by_gtid("SELECT @@gtid_executed", "SELECT WAIT_FOR_EXECUTED_GTID_SET('{gtid}', {seconds:g})", "0"),
    MSSQL: _sql_server,
}
