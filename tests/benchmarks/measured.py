"""What several sections do with a store: build it, reset it, and wait until its server is idle."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import psutil

from engine.conduct.endpoint import Endpoint
from engine.databases.database import BuildReport, Store, Timeouts
from engine.databases.postgresql.admin import opened
from engine.lab.server import EmbeddedServer
from engine.secrets import Secret
from engine.target.target import Target
from engine.workload.registry import DVD_STORE
from engine.workloads.dvdstore.sizing import DbSize
from tests.benchmarks.driven import cpu_of_all

_MB = 1_000_000
_LOOK_SECONDS, _MOST_WAIT_SECONDS = 0.02, 60.0


class Server(Protocol):
    """A server of any DBMS that runs for the benchmarks."""

    @property
    def secret(self) -> Secret: ...

    def target(self, database: str) -> Target: ...


def never() -> bool:
    return False


def build(server: Server, database: str, scale: object, workload: str = DVD_STORE) -> BuildReport:
    store = _store(server, database, workload)
    return store.build(str(scale), 1, replace=True, report_progress=lambda _: None, cancelled=never)


def print_builds(server: Server, database: str, sizes: Sequence[DbSize]) -> None:
    """Build stores one after the other in the same database, and print a row for each; the last one stays."""
    print(f"{'build':<6} {'rows':>10} {'MB':>7} {'load s':>7} {'load MB/s':>10} {'index s':>8} {'whole MB/s':>11}")
    for size in sizes:
        report = build(server, database, size)
        megabytes = report.bytes_streamed / _MB
        whole = report.load_seconds + report.index_seconds
        print(
            f"{size!s:<6} {sum(report.rows.values()):>10,} {megabytes:>7.1f} {report.load_seconds:>7.2f}"
            f" {megabytes / report.load_seconds:>10.1f} {report.index_seconds:>8.2f} {megabytes / whole:>11.1f}"
        )


def reset(server: Server, database: str, workload: str = DVD_STORE) -> None:
    _store(server, database, workload).reset(report_progress=lambda _: None, cancelled=never)


def settle(server: EmbeddedServer, databases: Sequence[str], workload: str = DVD_STORE) -> None:
    """Take the stores back to what was built and write everything out, so that no measurement pays for another.

    A server goes on with what a driver asked for that has ended; such a purchase could wait for a reset to be over, and
    be placed after it. So the driver's sessions are waited for. Raises ``TimeoutError`` when they stay.
    """
    _wait_until_left(server, databases)
    for database in databases:
        reset(server, database, workload)
    checkpoint(server)


def _wait_until_left(server: EmbeddedServer, databases: Sequence[str]) -> None:
    sessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = ANY(%s)"
    deadline = time.monotonic() + _MOST_WAIT_SECONDS
    with opened(server.target("postgres"), server.secret, Timeouts()) as connection:
        while (left := connection.execute(sessions, [list(databases)]).fetchone()) != (0,):
            if time.monotonic() > deadline:
                raise TimeoutError(f"sessions of a driver that has ended are still there: {left}")
            time.sleep(_LOOK_SECONDS)


def checkpoint(server: EmbeddedServer) -> None:
    with opened(server.target("postgres"), server.secret, Timeouts()) as connection:
        connection.execute("CHECKPOINT")


def server_cpu_seconds(server: EmbeddedServer) -> float:
    """The processor time of a server's processes since it was started, also of sessions that have ended."""
    with opened(server.target("postgres"), server.secret, Timeouts()) as connection:
        row = connection.execute("SELECT pg_backend_pid()").fetchone()
        assert row is not None, "a session has a process"
        main = psutil.Process(int(str(row[0]))).parent()
        assert main is not None, "a session is a child of the server's main process"
        ended = main.cpu_times()
        return ended.children_user + ended.children_system + cpu_of_all([main, *main.children()]).total


def enterable(folder: str) -> Path:
    """A temporary folder that the server's own account can enter when this runs as root."""
    path = Path(folder)
    path.chmod(0o755)
    return path


def _store(server: Server, database: str, workload: str) -> Store:
    return Endpoint(server.target(database), server.secret).store(Timeouts(), workload)
