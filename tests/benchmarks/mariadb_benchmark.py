"""Builds of stores, and Spindle's orders, on MariaDB over ODBC: it shares the machine's processors.

No other driver is beside it: pgbench does not speak to MariaDB. The same plan on PostgreSQL is the section before.
"""

import tempfile
from pathlib import Path

from engine.dvdstore.sizing import DbSize
from engine.places import Places, find_places
from engine.plan import RunPlan
from tests.benchmarks import measured, spindle
from tests.benchmarks.driven import Driven
from tests.benchmarks.figures import Figure, figure, spread
from tests.benchmarks.section import Choices, Section
from tests.doubles.mariadb_server import MariaDBServer, running_server

_DATABASE = "bench"
_SIZE = DbSize(100, "MB")
_USERS = (8, 32)
# As large as the store, as the embedded PostgreSQL's cache is by what the system keeps of its files.
_OPTIONS = ("--innodb-buffer-pool-size=512M", "--innodb-log-file-size=512M")


def run(chosen: Choices) -> list[Figure]:
    figures = []
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder, running_server(*_OPTIONS) as server:
        print(f"MariaDB {server.version} on the same machine; {chosen.rounds} rounds of {chosen.seconds} s, medians\n")
        measured.print_builds(server, _DATABASE, (DbSize(10, "MB"), _SIZE))
        print(f"\n{'users':>5} {'orders/s':>20} {'CPU µs/order':>16}")
        for users in _USERS:
            figures += _drive(find_places(Path(folder)), server, users, chosen)
    return figures


def _drive(places: Places, server: MariaDBServer, users: int, chosen: Choices) -> list[Figure]:
    plan = RunPlan(
        targets=(server.target(_DATABASE),),
        threads=users,
        ramp_rate=1_000,
        warmup_minutes=2 / 60,
    )
    runs: list[Driven] = []
    exact: list[str] = []
    for _ in range(chosen.rounds):
        measured.reset(server, _DATABASE)
        done = spindle.drive(places, plan, seconds=chosen.seconds, secret=server.secret)
        exact.append(spindle.check_exactness(done, plan.targets, server.secret))
        runs.append(done.driven)
    rate, cpu = [each.orders_per_second for each in runs], [each.cpu_us for each in runs]
    print(f"{users:>5} {spread(rate, ',.0f'):>20} {spread(cpu, '.0f'):>16}")
    print(f"      exactness: {'; '.join(exact)}")
    return [
        figure(f"MariaDB, {users} users: orders per second", "1/s", rate),
        figure(f"MariaDB, {users} users: CPU per order", "µs", cpu),
    ]


SECTION = Section("mariadb", "Builds and orders on MariaDB", run)
