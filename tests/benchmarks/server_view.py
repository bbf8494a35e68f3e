"""What the server itself says of the load.

Its log says of a sample of the transactions how long it worked on the binding (with locks, the check of the plan and
its start) and on the execution. The way over the loopback, the wait for a processor at both ends, and the commit with
its write to disk, are in neither. pg_stat_statements measures the running of a plan alone, and of a prepared CALL with
a generic plan, as Spindle asks for, it counts only the first: so it has no mean of the purchase.
"""

import re
import statistics
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine.databases.database import Timeouts
from engine.databases.postgresql.admin import opened
from engine.lab.server import EmbeddedServer
from engine.places import Places
from tests.benchmarks.pgbench_log import Times

STATEMENTS = {
    "login": "FROM login(",
    "new_customer": "new_customer(",
    "browse": "FROM browse_by_",
    "purchase": "CALL purchase(",
    "first read": "AS first_read",
    "hot read": "AS hot_read",
    "first write": "AS first_write",
    "hot write": "AS hot_write",
}
"""What the text of each statement holds."""

_DATABASE = "postgres"
_SETTINGS = {
    "shared_preload_libraries": "pg_stat_statements",
    "log_transaction_sample_rate": "0.2",
    "log_parameter_max_length": "0",
}
_LOGGED = re.compile(r"\[(\d+)\] LOG:  duration: ([\d.]+) ms  (bind|execute) [^:]*: (.*)")


def enable(places: Places) -> None:
    """Have the embedded server gather these statistics from its next start on; it must be held by nobody."""
    with (
        EmbeddedServer.attach(places.lab, tell=lambda _: None) as server,
        opened(server.target(_DATABASE), server.secret, Timeouts()) as connection,
    ):
        for name, value in _SETTINGS.items():
            connection.execute(f"ALTER SYSTEM SET {name} = '{value}'".encode())


def install(server: EmbeddedServer) -> None:
    """Make what the view needs, in a database that no store is in."""
    with opened(server.target(_DATABASE), server.secret, Timeouts()) as connection:
        connection.execute("CREATE EXTENSION pg_stat_statements")


@dataclass
class ServerView:
    """Times in milliseconds: ``server`` of each statement's sampled calls, binding and execution; ``execution`` the
    mean that pg_stat_statements says, where it does."""

    server: dict[str, list[float]] = field(default_factory=dict)
    execution: dict[str, float] = field(default_factory=dict)

    def server_mean(self, statement: str) -> float:
        return statistics.fmean(self.server[statement])


def expected(server_ms: Sequence[float], loopback_ms: Sequence[float]) -> Times:
    """What a client should see: each of the server's times with each of the loopback's.

    That takes the two as independent, which matters to the percentiles alone.
    """
    sums = np.add.outer(np.array(server_ms), np.array(loopback_ms)).ravel()
    p50, p99 = np.percentile(sums, (50, 99), method="inverted_cdf")
    return Times(count=len(server_ms), mean_ms=float(sums.mean()), p50_ms=float(p50), p99_ms=float(p99))


@contextmanager
def watching(places: Places, server: EmbeddedServer, *, after_seconds: float) -> Iterator[ServerView]:
    """Watch what goes on inside, from so many seconds after its beginning; the view is filled at its end."""
    view = ServerView()
    log = places.lab / "node1" / "server.log"
    begins: list[int] = []
    again = threading.Timer(after_seconds, lambda: begins.append(_begin_anew(server, log)))
    again.start()
    try:
        yield view
    finally:
        again.join()
    with log.open(encoding="utf-8", errors="replace") as lines:
        lines.seek(begins[0])
        view.server = logged_times(lines)
    view.execution = _executions(server)


def logged_times(lines: Iterable[str]) -> dict[str, list[float]]:
    """The milliseconds of each statement's calls, binding and execution together, from lines of the server's log."""
    times: dict[str, list[float]] = {name: [] for name in STATEMENTS}
    bound: dict[str, float] = {}
    for line in lines:
        found = _LOGGED.search(line)
        if found is None:
            continue
        process, milliseconds, doing, text = found.groups()
        if doing == "bind":
            bound[process] = float(milliseconds)
        elif process in bound:
            whole = bound.pop(process) + float(milliseconds)
            for name in [name for name, part in STATEMENTS.items() if part in text]:
                times[name].append(whole)
    return times


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
