"""How far the replicas of a MariaDB or MySQL server have applied its transactions, by their GTIDs.

The primary does not know it, so each host of the target is asked; of hosts that the target does not name nothing is
known. ``Seconds_Behind_Master`` is not asked for: it is unknown while replication stands still, and 0 for a replica
that has applied what little it has received.
"""

import re
import threading
import time
from dataclasses import replace

from engine.databases.activity import ANSWER_SECONDS, CONNECT_SECONDS
from engine.databases.database import Timeouts
from engine.databases.log_positions import Position
from engine.databases.mariadb.dialect import dialect_of
from engine.databases.odbc.connecting import connect_any
from engine.databases.odbc.connection import OdbcConnection
from engine.errors import TargetError
from engine.secrets import Secret
from engine.target.target import MYSQL, Host, Target

_INTERVAL_SECONDS = 1.0
_MOST_AGE_SECONDS = 2.5
# What a server has written itself, and what it has applied; that is empty on a MariaDB that never was a replica.
_WRITTEN = {True: "SELECT @@GLOBAL.gtid_executed", False: "SELECT @@GLOBAL.gtid_binlog_pos"}
_APPLIED = {
    True: "SELECT @@GLOBAL.gtid_executed",
    False: "SELECT if(@@GLOBAL.gtid_slave_pos = '', '', @@GLOBAL.gtid_current_pos)",
}
_INTERVAL = re.compile(r"(\d+)(?:-(\d+))?")


def written_position(connection: OdbcConnection, kind: str) -> Position:
    """How far the log of a server has got; empty without a binary log with GTIDs. Raises ``TargetError``."""
    ((gtids,),) = connection.query(_WRITTEN[kind == MYSQL])
    return transactions(str(gtids))


def transactions(gtids: str) -> dict[str, float]:
    """The number of transactions by who wrote them: MariaDB's ``domain-server-sequence``, which grow in each domain, or
    MySQL's ``server:1-5:7``, with a tag behind the server since 8.3."""
    found: dict[str, float] = {}
    for member in gtids.replace("\n", "").split(","):
        source, *parts = member.strip().split(":")
        if not parts:
            domain, _, sequence = source.partition("-")
            if domain:
                found[domain] = float(sequence.rpartition("-")[2])
            continue
        tag = ""
        for part in parts:
            interval = _INTERVAL.fullmatch(part)
            if interval is None:
                tag = part
                continue
            first, last = interval[1], interval[2] or interval[1]
            found[source + tag] = found.get(source + tag, 0.0) + int(last) - int(first) + 1
    return found


class Replicas:
    """The read-only hosts of a target, each asked by a thread of its own: one that is silent delays no other."""

    def __init__(self, target: Target, secret: Secret | None) -> None:
        self._target, self._secret = target, secret
        self._ended = threading.Event()
        self._applied: dict[str, tuple[float, Position]] = {}

    def start(self) -> None:
        """Begin to ask; a target with one host has no replica."""
        self.close()
        self._ended, self._applied = threading.Event(), {}
        for host in self._target.hosts if len(self._target.hosts) > 1 else ():
            watched = self._ended, self._applied, host
            threading.Thread(target=self._watch, args=watched, name=f"replica-{host}", daemon=True).start()

    def close(self) -> None:
        """Ask no more; the threads end by themselves, as one may wait for its host."""
        self._ended.set()

    def applied(self) -> dict[str, tuple[float, Position]]:
        """What each replica had applied at a moment of the monotonic clock, a few seconds ago at most."""
        earliest = time.monotonic() - _MOST_AGE_SECONDS
        return {name: known for name, known in dict(self._applied).items() if known[0] >= earliest}

    def _watch(self, ended: threading.Event, applied: dict[str, tuple[float, Position]], host: Host) -> None:
        target = replace(self._target, hosts=(host,))
        dialect = dialect_of(target.kind)
        timeouts = Timeouts(connect_seconds=CONNECT_SECONDS, statement_seconds=ANSWER_SECONDS)
        connection: OdbcConnection | None = None
        while not ended.is_set():
            try:
                if connection is None:
                    connection, _ = connect_any(dialect, target, self._secret, timeouts)
                at_seconds = time.monotonic()
                if dialect.refuses_writes(connection.query):
                    ((gtids,),) = connection.query(_APPLIED[target.kind == MYSQL])
                    if position := transactions(str(gtids)):
                        applied[str(host)] = at_seconds, position
            except TargetError:
                if connection is not None:
                    connection.discard()
                connection = None
            ended.wait(_INTERVAL_SECONDS)
        if connection is not None:
            connection.discard()
