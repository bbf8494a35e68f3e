"""What the server itself says of the load.

Its log says of every call whose it was (by the application's name), how long the server worked on the binding (with
locks, the check of the plan and its start) and on the execution, and when it had ended. All calls are logged: of a
fifth of them, a rare step's mean was not known to 5 % after a quarter of a minute. The end of the transaction, with its
write to disk, is logged where it is asked for by itself (``tests.benchmarks.twins``). The way over the loopback, the
wait for a processor at both ends, and the description of the answer's columns are in neither
(``tests.benchmarks.loopback``). pg_stat_statements knows no applications, and measures the running of a plan alone; of
a prepared CALL with a generic plan, as Spindle asks for, it counts only the first: so it has no mean of the purchase.
"""

import re
import statistics
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.databases.database import Timeouts
from engine.databases.postgresql.admin import opened
from engine.lab.server import EmbeddedServer
from engine.places import Places
from tests.benchmarks import twins
from tests.benchmarks.pgbench_log import Times
from tests.benchmarks.pgbench_steps import CALLS, FIRST_READ, PRICES, SECOND_READ

STATEMENTS = {
    "login": "FROM login(",
    "new_customer": "new_customer(",
    "browse": "FROM browse_by_",
    PRICES: "FROM product_prices(",
    "purchase": "CALL purchase(",
    FIRST_READ: f"/* {FIRST_READ} */ SELECT",
    SECOND_READ: f"/* {SECOND_READ} */ SELECT",
    **{twins.end_of(call): twins.commit(call) for call in CALLS},
}
"""What the text of each statement holds."""

_DATABASE = "postgres"
_SETTINGS = {
    "shared_preload_libraries": "pg_stat_statements",
    "log_line_prefix": "%n %r %a ",
    "log_transaction_sample_rate": "1",
    "log_parameter_max_length": "0",
}
_LOGGED = re.compile(r"([\d.]+) \S+\((\d+)\) (\S*) LOG:  duration: ([\d.]+) ms  (bind|execute) [^:]*: (.*)")
_Array = np.ndarray[Any, np.dtype[np.float64]]
# Percentiles of sums need no more of either side's times than so many, evenly taken from the least to the most.
_MOST_TIMES = 1000


def enable(places: Places) -> None:
    """Have the embedded server gather these statistics from its next start on; it must be held by nobody."""
    with (
        EmbeddedServer.attach(places.lab, notify=lambda _: None) as server,
        opened(server.target(_DATABASE), server.secret, Timeouts()) as connection,
    ):
        for name, value in _SETTINGS.items():
            connection.execute(f"ALTER SYSTEM SET {name} = '{value}'".encode())


def install(server: EmbeddedServer) -> None:
    """Make what the view needs, in a database that no store is in."""
    with opened(server.target(_DATABASE), server.secret, Timeouts()) as connection:
        connection.execute("CREATE EXTENSION pg_stat_statements")


@dataclass(frozen=True)
class LoggedCall:
    """One call in the server's log: whose and which it was, its end by the wall clock, the server's milliseconds.

    ``port`` is the client's.
    """

    application: str
    port: int
    name: str
    ended_at: float
    milliseconds: float


@dataclass(frozen=True)
class ServerView:
    """The milliseconds of one application's calls of each statement, binding and execution, over some seconds."""

    server: Mapping[str, Sequence[float]]

    def server_mean(self, statement: str) -> float:
        return statistics.fmean(self.server[statement])


@dataclass
class Watched:
    """What was watched, there when it has ended: all ``calls`` in the log, and by statement the mean milliseconds that
    pg_stat_statements says of all applications' ``executions``, where it says any."""

    calls: list[LoggedCall] = field(default_factory=list)
    executions: dict[str, float] = field(default_factory=dict)

    def view(self, application: str, begin: float, end: float) -> ServerView:
        """Of the calls of one application that ended in a span of the wall clock."""
        times: dict[str, list[float]] = {name: [] for name in STATEMENTS}
        for call in self.calls:
            if call.application == application and begin <= call.ended_at < end:
                times[call.name].append(call.milliseconds)
        return ServerView(times)


def expected(*parts_ms: Sequence[float]) -> Times:
    """What a client should see of calls that are made of such parts: each one's times with each of the others'.

    That takes them as independent, which matters to the percentiles alone.
    """
    sums: _Array = np.zeros(1)
    for part in parts_ms:
        sums = np.add.outer(_evenly(sums), _evenly(part)).ravel()
    p50, p99 = np.percentile(sums, (50, 99), method="inverted_cdf")
    mean = sum(map(statistics.fmean, parts_ms))
    return Times(count=len(parts_ms[0]), mean_ms=mean, p50_ms=float(p50), p99_ms=float(p99))


def _evenly(values: "Sequence[float] | _Array") -> "_Array":
    parts = (np.arange(_MOST_TIMES) + 0.5) / _MOST_TIMES
    taken: _Array = np.quantile(np.array(values), parts, method="inverted_cdf")
    return taken


@contextmanager
def watching(places: Places, server: EmbeddedServer, *, after_seconds: float) -> Iterator[Watched]:
    """Watch what goes on inside; pg_stat_statements from so many seconds after the beginning."""
    watched = Watched()
    log = places.lab / "node1" / "server.log"
    begin = log.stat().st_size
    again = threading.Timer(after_seconds, lambda: _begin_anew(server))
    again.start()
    try:
        yield watched
    finally:
        again.join()
    with log.open(encoding="utf-8", errors="replace") as lines:
        lines.seek(begin)
        watched.calls = list(logged_calls(lines))
    watched.executions = _executions(server)


def logged_calls(lines: Iterable[str]) -> Iterator[LoggedCall]:
    """The calls of each statement, binding and execution together, from lines of the server's log; twins are none."""
    bound: dict[int, float] = {}
    for line in lines:
        found = _LOGGED.match(line)
        if found is None:
            continue
        moment, client_port, application, milliseconds, doing, text = found.groups()
        port = int(client_port)
        if doing == "bind":
            bound[port] = float(milliseconds)
        elif port in bound:
            whole = bound.pop(port) + float(milliseconds)
            names = [] if text.startswith(twins.MARK) else [name for name, part in STATEMENTS.items() if part in text]
            for name in names:
                yield LoggedCall(application, port, name, float(moment), whole)


def _begin_anew(server: EmbeddedServer) -> None:
    with opened(server.target(_DATABASE), server.secret, Timeouts()) as connection:
        connection.execute("SELECT pg_stat_statements_reset()")


def _executions(server: EmbeddedServer) -> dict[str, float]:
    with opened(server.target(_DATABASE), server.secret, Timeouts()) as connection:
        rows = {
            name: connection.execute(_EXECUTION, (f"%{text}%",)).fetchone()
            for name, text in STATEMENTS.items()
            if name != "purchase"
        }
    return {name: row[0] for name, row in rows.items() if row is not None and isinstance(row[0], float)}


_EXECUTION = "SELECT sum(total_exec_time) / sum(calls) FROM pg_stat_statements WHERE query LIKE %s"
