"""The probe of a MariaDB or MySQL host: whether it commits writes, and which server it is.

A server whose disk or replica delays commits still answers other queries: so the probe commits a change to a row that
nothing else uses.
"""

from engine.databases.database import ProbeAnswer
from engine.databases.mariadb.dialect import dialect_of
from engine.databases.mariadb.errors import MAY_NOT, NO_SUCH_SCHEMA_TABLE, NO_SUCH_TABLE
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.prober import OdbcProber
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Host, Target

# SHOW, because a Galera node that has lost its cluster answers little else.
_SWITCHES = """
    SHOW GLOBAL VARIABLES WHERE Variable_name IN
    ('read_only', 'super_read_only', 'innodb_read_only', 'wsrep_on', 'server_uid', 'server_uuid', 'hostname', 'port')
"""
_STATES = "SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_ready', 'Slaves_running')"
_STARTED = "SELECT unix_timestamp() - variable_value FROM {}.global_status WHERE variable_name = 'UPTIME'"
_MYSQL_FOLLOWS = """
    SELECT count(*) FROM performance_schema.replication_connection_status
    WHERE service_state = 'ON' AND channel_name NOT LIKE 'group_replication%'
"""
# A session that the network has swallowed in the middle of its commit must not keep the row from all later ones.
_SESSION_LIMITS = "SET SESSION wait_timeout = 10, SESSION innodb_lock_wait_timeout = 1"
_COMMIT = "UPDATE spindle_probe SET commits = commits + 1"
_NOT_OURS = frozenset(map(str, MAY_NOT | {NO_SUCH_TABLE, NO_SUCH_SCHEMA_TABLE}))


def prober_of(target: Target, host: Host, secret: Secret | None) -> OdbcProber:
    """The prober of one of the target's hosts; implements ``engine.databases.database.Prober``."""
    return OdbcProber(dialect_of(target.kind), target, host, secret, HostProbe())


class HostProbe:
    """One host's question; it remembers which server its connection leads to, which stays the same."""

    def __init__(self) -> None:
        self._connection: OdbcConnection | None = None
        self._server = ""
        self._is_mysql = False

    def __call__(self, connection: OdbcConnection) -> ProbeAnswer:
        """Ask over a connection in autocommit. Raises ``TargetError``."""
        switches = dict(map(tuple, connection.query(_SWITCHES)))
        if connection is not self._connection:
            self._identify(connection, switches)
        states = dict(map(tuple, connection.query(_STATES)))
        takes_writes = _takes_writes(switches, states)
        # A commit on a server that follows another one would be one too many there.
        if takes_writes and not self._follows(connection, states):
            _commit(connection)
        return ProbeAnswer(takes_writes=takes_writes, server=self._server)

    def _identify(self, connection: OdbcConnection, switches: dict[str, str]) -> None:
        connection.query(_SESSION_LIMITS)
        self._is_mysql = "server_uuid" in switches
        ((started,),) = connection.query(
            _STARTED.format("performance_schema" if self._is_mysql else "information_schema")
        )
        identity = switches.get("server_uuid") or switches.get("server_uid", "")
        self._server = f"{identity} {switches['hostname']}:{switches['port']} {int(started)}"
        self._connection = connection

    def _follows(self, connection: OdbcConnection, states: dict[str, str]) -> bool:
        if not self._is_mysql:
            return int(states.get("Slaves_running", "0")) > 0
        try:
            ((channels,),) = connection.query(_MYSQL_FOLLOWS)
        except TargetError as error:
            if error.code in _NOT_OURS:
                return False
            raise
        return int(channels) > 0


def _takes_writes(switches: dict[str, str], states: dict[str, str]) -> bool:
    """What a host says of itself; of newer MariaDB's four values of read_only, only one lets everybody write."""
    if any(switches.get(name, "OFF") != "OFF" for name in ("read_only", "super_read_only", "innodb_read_only")):
        return False
    return switches.get("wsrep_on", "OFF") != "ON" or states.get("wsrep_ready") == "ON"


def _commit(connection: OdbcConnection) -> None:
    """Commit a change. Where there is no row for it, or no right to change it, what the host says of itself counts."""
    try:
        connection.query(_COMMIT)
    except TargetError as error:
        # A deadlock: two nodes of one cluster have changed the row at once. This one did all that a commit takes.
        if not error.usable or (error.code not in _NOT_OURS and error.error_class is not ErrorClass.DEADLOCK):
            raise
