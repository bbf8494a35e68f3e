"""What the server itself says of the load, and what a client's time has beyond that.

pg_stat_statements measures the running of a plan alone, and counts a prepared CALL only the first time. The server's
log says more: of a sample of the messages, how long it worked on the binding (with locks, the check of the plan and its
start) and on the execution. The way over the loopback, and the commit with its write to disk, are in neither. A
trivial statement, timed by pgbench beside the load and by the server as well, tells how much they are: one that reads,
and one that writes and commits.
"""

import re
import statistics
import tempfile
import threading
from collections.abc import Iterable, Iterator
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
    "login": "FROM login(",
    "new_customer": "new_customer(",
    "browse": "FROM browse_by_",
    "purchase": "CALL purchase(",
    "read": "AS loopback",
    "write": "INTO loopback",
}
"""What the text of each statement holds."""

LOOPBACK = {"login": "read", "new_customer": "write", "browse": "read", "purchase": "write"}
"""What is added to the server's time of each step."""

_DATABASE = "postgres"
_SCRIPTS = {"read": ("SELECT 1 AS loopback;\n", 1), "write": ("INSERT INTO loopback VALUES (1);\n", 1)}
_PROBES_PER_SECOND = 60
_SETTINGS = {
    "shared_preload_libraries": "pg_stat_statements",
    "log_min_duration_sample": "0",
    "log_statement_sample_rate": "0.2",
    "log_parameter_max_length": "0",
}
_LOGGED = re.compile(r"duration: ([\d.]+) ms  (bind|execute) [^:]*: (.*)")


def enable(places: Places) -> None:
    """Have the embedded server gather these statistics from its next start on; it must be held by nobody."""
    with (
        EmbeddedServer.attach(places.lab, tell=lambda _: None) as server,
        opened(server.target(_DATABASE), server.secret, Timeouts()) as connection,
    ):
        for name, value in _SETTINGS.items():
            connection.execute(f"ALTER SYSTEM SET {name} = '{value}'".encode())


def install(server: EmbeddedServer) -> None:
    """Make what the view and the probe need, in a database that no store is in."""
    with opened(server.target(_DATABASE), server.secret, Timeouts()) as connection:
        connection.execute("CREATE EXTENSION pg_stat_statements")
        connection.execute("CREATE TABLE loopback (number integer)")


@dataclass
class ServerView:
    """Mean times in milliseconds: ``server`` by statement, of its binding and execution; ``execution`` what
    pg_stat_statements says, where it does; ``loopback`` what a client's time has beyond the server's."""

    server: dict[str, float] = field(default_factory=dict)
    execution: dict[str, float] = field(default_factory=dict)
    loopback: dict[str, float] = field(default_factory=dict)

    def expected(self, step: str) -> float:
        """What a client should see of a step."""
        return self.server[step] + self.loopback[LOOPBACK[step]]


@contextmanager
def watching(places: Places, server: EmbeddedServer, *, after_seconds: float, seconds: float) -> Iterator[ServerView]:
    """Watch what goes on inside, from so many seconds after its beginning and for at most so many; the view is filled
    at its end.
    """
    view = ServerView()
    log = places.lab / "node1" / "server.log"
    begins: list[int] = []
    again = threading.Timer(after_seconds, lambda: begins.append(_begin_anew(server, log)))
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
    with log.open(encoding="utf-8", errors="replace") as lines:
        lines.seek(begins[0])
        view.server = logged_means(lines)
    view.execution = _executions(server)
    view.loopback = {name: round_trips[name].mean_ms - view.server[name] for name in _SCRIPTS}


def logged_means(lines: Iterable[str]) -> dict[str, float]:
    """The mean milliseconds of each statement, binding and execution together, from lines of the server's log."""
    times: dict[tuple[str, str], list[float]] = {}
    for line in lines:
        found = _LOGGED.search(line)
        names = [name for name, text in STATEMENTS.items() if found and text in found[3]]
        if found and names:
            times.setdefault((names[0], found[2]), []).append(float(found[1]))
    return {
        name: statistics.fmean(times[name, "bind"]) + statistics.fmean(times[name, "execute"]) for name in STATEMENTS
    }


def lines_of(folder: Path) -> Iterator[str]:
    """The lines of all logs that a pgbench has written, one of each of its threads."""
    for file in sorted(folder.glob("pgbench_log.*")):
        yield from file.read_text().splitlines()


def _begin_anew(server: EmbeddedServer, log: Path) -> int:
    """Let the statistics begin anew; where the log is now."""
    with opened(server.target(_DATABASE), server.secret, Timeouts()) as connection:
        connection.execute("SELECT pg_stat_statements_reset()")
    return log.stat().st_size


def _executions(server: EmbeddedServer) -> dict[str, float]:
    with opened(server.target(_DATABASE), server.secret, Timeouts()) as connection:
        rows = {
            name: connection.execute(_EXECUTION, (f"%{text}%",)).fetchone()
            for name, text in STATEMENTS.items()
            if name != "purchase"
        }
    return {name: row[0] for name, row in rows.items() if row is not None and isinstance(row[0], float)}


_EXECUTION = "SELECT sum(total_exec_time) / sum(calls) FROM pg_stat_statements WHERE query LIKE %s"
