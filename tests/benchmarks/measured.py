"""One measurement of each kind: Spindle, pgbench, a build. Times are seconds, processor time the driver's alone."""

import os
import re
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engine.conductor import Conductor, Targets
from engine.databases import database_of
from engine.databases.database import BuildReport, Store, Timeouts
from engine.dvdstore.sizing import DbSize
from engine.dvdstore.user import Mix
from engine.lab.binaries import client_tool
from engine.lab.server import EmbeddedServer
from engine.library.library import Library
from engine.places import Places
from engine.plan import RunPlan
from engine.secrets import Secret
from engine.target import Target
from tests.benchmarks.pgbench_script import scripts

_MB = 1_000_000
PREPARED = "-c plan_cache_mode=force_generic_plan"


@dataclass(frozen=True)
class Driven:
    """What a driver did: orders per second, and its own processor time per order in microseconds."""

    orders_per_second: float
    cpu_us_per_order: float


class Server(Protocol):
    """A server of any DBMS that runs for the benchmarks."""

    @property
    def secret(self) -> Secret: ...

    def target(self, database: str) -> Target: ...


def never() -> bool:
    return False


def build(server: Server, database: str, size: DbSize) -> BuildReport:
    return _store(server, database).build(size, 1, replace=True, tell=lambda _: None, cancelled=never)


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


def medians(runs: Sequence[Driven]) -> tuple[float, float]:
    """Orders per second and microseconds of the driver's processor time per order."""
    return (
        statistics.median(run.orders_per_second for run in runs),
        statistics.median(run.cpu_us_per_order for run in runs),
    )


def reset(server: Server, database: str) -> None:
    _store(server, database).reset(tell=lambda _: None, cancelled=never)


def _store(server: Server, database: str) -> Store:
    target = server.target(database)
    return database_of(target.kind).store(target, server.secret, Timeouts())


def drive_spindle(places: Places, plan: RunPlan, secret: Secret | None = None) -> Driven:
    """A whole run with its sampling and its library; the warm-up is part of the processor time and of its orders."""
    with Library.open(places.library, tell=print) as library:
        targets = Targets(places, secrets={}, find=lambda _: secret, say=print)
        with targets:
            conductor = Conductor(plan, library=library, targets=targets, say=lambda _: None, timeouts=Timeouts())
            conductor.prepare(tell=lambda _: None, cancelled=never)
            conductor.start([])
            conductor.run.wait()
            totals = conductor.finish().totals
    assert totals is not None
    cpu = sum(each["cpu_user_seconds"] + each["cpu_system_seconds"] for each in totals["driver"])
    orders = totals["since_start"]["orders"]
    return Driven(totals["orders"] / totals["measured_seconds"], cpu / orders * 1e6)


def drive_pgbench(server: EmbeddedServer, target: Target, mix: Mix, *, users: int, seconds: int) -> Driven:
    """pgbench with the same statements, prepared, one thread for each two users at most the processors'."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, text in enumerate(scripts(mix, seed=1)):
            file = Path(folder) / f"order{number}.sql"
            file.write_text(text)
            files += ["-f", str(file)]
        host = target.hosts[0]
        threads = min(users, os.cpu_count() or 1)
        command = [
            str(client_tool("pgbench")), "-n", "-M", "prepared",
            "-c", str(users), "-j", str(threads), "-T", str(seconds),
            "--max-tries", "100",  # a deadlock's victim tries again here as it does in Spindle
            "-h", host.name, "-p", str(host.port), "-U", target.user, *files, target.database,
        ]  # fmt: skip
        environment = {**os.environ, "PGPASSWORD": server.secret.reveal(), "PGOPTIONS": PREPARED}
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    rate = re.search(r"^tps = ([\d.]+)", output, re.MULTILINE)
    count = re.search(r"transactions actually processed: (\d+)", output)
    if process.returncode or rate is None or count is None or "aborted" in output:
        raise RuntimeError(f"pgbench failed: {output[-2000:]}")
    return Driven(float(rate[1]), (usage.ru_utime + usage.ru_stime) / int(count[1]) * 1e6)
