"""What the server itself says of the load: the mean times of pg_stat_statements, and what they leave out.

The server measures a statement from the beginning of its execution to its end, and the client from the sending of its
parameters to the arrival of its result: the way over the loopback, the binding, and the commit with its write to disk
are the client's alone. A trivial statement, timed by pgbench beside the load and by the server as well, tells how much
that is: one that reads, and one that writes and commits.
"""

import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from engine.databases.database import Timeouts
from engine.databases.postgresql.admin import opened
from engine.lab.server import EmbeddedServer
from engine.places import Places
from tests.benchmarks.pgbench import Pgbench
from tests.benchmarks.pgbench_log import times_by_script

STATEMENTS = {
    "login": "%FROM login(%",
    "new_customer": "%new_customer(%",
    "browse": "%FROM browse_by_%",
    "read": "SELECT % AS loopback",
    "write": "INSERT INTO loopback %",
}
LOOPBACK = {"login": "read", "new_customer": "write", "browse": "read", "purchase": "write"}
"""What is added to the server's time of each step."""

_DATABASE = "postgres"
_SCRIPTS = {"read": ("SELECT 1 AS loopback;\n", 1), "write": ("INSERT INTO loopback VALUES (1);\n", 1)}
_PROBES_PER_SECOND = 60


def enable(places: Places) -> None:
    """Have the embedded server gather these statistics from its next start on; it must be held by nobody."""
    with (
        EmbeddedServer.attach(places.lab, tell=lambda _: None) as server,
        opened(server.target(_DATABASE), server.secret, Timeouts()) as connection,
    ):
        connection.execute("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'")
        connection.execute("ALTER SYSTEM SET track_functions = 'pl'")


def install(server: EmbeddedServer) -> None:
    """Make what the view and the probe need, in a database that no store is in."""
    with opened(server.target(_DATABASE), server.secret, Timeouts()) as connection:
        connection.execute("CREATE EXTENSION pg_stat_statements")
        connection.execute("CREATE TABLE loopback (number integer)")


@dataclass
class ServerView:
    """Mean times in milliseconds: ``server`` by statement, ``loopback`` what a client's time has beyond it."""

    server: dict[str, float] = field(default_factory=dict)
    loopback: dict[str, float] = field(default_factory=dict)

    def expected(self, step: str) -> float:
        """What a client should see of a step."""
        return self.server[step] + self.loopback[LOOPBACK[step]]


@contextmanager
def watching(server: EmbeddedServer, store: str, *, after_seconds: float, seconds: float) -> Iterator[ServerView]:
    """Watch what goes on inside in a database ``store``, from so many seconds after its beginning and for at most so
    many; the view is filled at its end.
    """
    view = ServerView()
    again = threading.Timer(after_seconds, _forget, (server, store))
    with tempfile.TemporaryDirectory(prefix="spindle-probe-") as folder:
        rate = ("--rate", str(_PROBES_PER_SECOND), "-l")
        probe = Pgbench(
            server.target(_DATABASE), server.secret, Path(folder), _SCRIPTS,
            users=1, threads=1, seconds=round(after_seconds + seconds), more=rate,
        )  # fmt: skip
        again.start()
        try:
            yield view
        finally:
            again.join()
            probe.wait()
        round_trips = times_by_script(lines_of(Path(folder)), list(_SCRIPTS), after_seconds)
    view.server = _means(server) | {"purchase": _purchase(server, store)}
    view.loopback = {name: round_trips[name].mean_ms - view.server[name] for name in _SCRIPTS}


def lines_of(folder: Path) -> Iterator[str]:
    """The lines of all logs that a pgbench has written, one of each of its threads."""
    for file in sorted(folder.glob("pgbench_log.*")):
        yield from file.read_text().splitlines()


def _forget(server: EmbeddedServer, store: str) -> None:
    with opened(server.target(store), server.secret, Timeouts()) as connection:
        connection.execute("SELECT pg_stat_reset_single_function_counters(funcid) FROM pg_stat_user_functions")
    with opened(server.target(_DATABASE), server.secret, Timeouts()) as connection:
        connection.execute("SELECT pg_stat_statements_reset()")


def _means(server: EmbeddedServer) -> dict[str, float]:
    with opened(server.target(_DATABASE), server.secret, Timeouts()) as connection:
        return {name: _mean(connection.execute(_MEAN, (pattern,)).fetchone()) for name, pattern in STATEMENTS.items()}


def _purchase(server: EmbeddedServer, store: str) -> float:
    with opened(server.target(store), server.secret, Timeouts()) as connection:
        return _mean(connection.execute(_PURCHASE).fetchone())


_PURCHASE = "SELECT total_time / nullif(calls, 0) FROM pg_stat_user_functions WHERE funcname = 'purchase'"
_MEAN = "SELECT sum(total_exec_time) / sum(calls) FROM pg_stat_statements WHERE query LIKE %s"


def _mean(row: tuple[object, ...] | None) -> float:
    if row is None or not isinstance(row[0], float):
        raise RuntimeError("the server has no statistics of a statement of the load")
    return row[0]
