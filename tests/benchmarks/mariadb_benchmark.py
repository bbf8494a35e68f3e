"""Spindle beside a C program on MariaDB's client library: the same calls on the same server, in turns; and builds.

First server and drivers share the machine's processors, then each has its own half of them. Each measurement begins on
a store that was just reset, with a warm-up that is not counted. Without a C compiler or the client library's headers
Spindle is measured alone.
"""

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from engine.databases.database import Timeouts
from engine.databases.mariadb.build import opened
from engine.places import Places, find_places
from engine.plan.plan import RunPlan
from engine.workloads.dvdstore.sizing import DbSize
from tests.benchmarks import mariadb_driver, measured, spindle
from tests.benchmarks.apart import compared_apart
from tests.benchmarks.comparison import SPINDLE, Comparison, in_turns
from tests.benchmarks.driven import Driven
from tests.benchmarks.figures import Figure, figure, spread
from tests.benchmarks.section import Choices, Section
from tests.benchmarks.speed_benchmark import mix_of
from tests.doubles.mariadb_server import MariaDBServer, running_server

DATABASE = "bench"
SIZE = DbSize(100, "MB")
_USERS = (8, 32, 128)
_WARMUP_SECONDS = 3
_YARDSTICK = "C driver"
# As large as the store, as the embedded PostgreSQL's cache is by what the system keeps of its files.
OPTIONS = ("--innodb-buffer-pool-size=512M", "--innodb-log-file-size=512M")
# What comparing drivers is about is the processors: a disk that is slow today would hold all of them up alike.
DURABILITY = "--innodb-flush-log-at-trx-commit=2"
_LOOK_SECONDS, _MOST_WAIT_SECONDS = 0.02, 60.0


def run(chosen: Choices) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder:
        program = _yardstick(Path(folder))
        with running_server(*OPTIONS, DURABILITY) as server:
            print(
                f"MariaDB {server.version} on the same machine, {DURABILITY[2:]}; {chosen.rounds} rounds of"
                f" {chosen.seconds} s after {_WARMUP_SECONDS} s of warm-up, in turns; medians [least–most]\n"
            )
            measured.print_builds(server, DATABASE, (SIZE,) if chosen.quick else (DbSize(10, "MB"), SIZE))
            print()
            bench = _Bench(find_places(Path(folder)), server, program, chosen)
            return bench.compare(apart=False) + compared_apart(
                lambda: [psutil.Process(server.pid)], lambda: bench.compare(apart=True)
            )


def _yardstick(folder: Path) -> Path | None:
    missing = mariadb_driver.missing()
    if missing:
        print(f"{missing} is not installed: the C driver is left out\n")
        return None
    return mariadb_driver.build(folder)


@dataclass(frozen=True)
class _Bench:
    places: Places
    server: MariaDBServer
    program: Path | None
    chosen: Choices

    def compare(self, *, apart: bool) -> list[Figure]:
        return [each for users in self.chosen.users or _USERS for each in self._compare(users, apart=apart)]

    def _compare(self, users: int, *, apart: bool) -> list[Figure]:
        """The drivers in turns; those that are ``apart`` from the server on processors of their own."""
        plan = RunPlan(
            targets=(self.server.target(DATABASE),),
            threads=users,
            ramp_rate=1_000,
            warmup_minutes=_WARMUP_SECONDS / 60,
        )
        exact: list[str] = []
        client_cpu_us: list[float] = []

        def by_spindle() -> Driven:
            done = spindle.drive(
                self.places, plan, seconds=self.chosen.seconds, secret=self.server.secret, as_from_elsewhere=apart
            )
            exact.append(spindle.check_exactness(done, plan.targets, self.server.secret))
            client_cpu_us.append(done.client_cpu_us)
            return done.driven

        drivers: dict[str, Callable[[], Driven]] = {SPINDLE: by_spindle}
        if self.program is not None:
            drivers = {_YARDSTICK: self._by_c_driver(self.program, plan, users), **drivers}
        done: dict[str, list[Driven]] = {name: [] for name in drivers}
        for name, measure in in_turns(drivers, self.chosen.rounds):
            self._settle()
            done[name].append(measure())
        load = f"MariaDB, {users} users, own processors" if apart else f"MariaDB, {users} users"
        alone = figure(f"{load}: Spindle, clients alone, CPU per order", "µs", client_cpu_us)
        figures = self._table(users, load, done)
        print(f"      exactness: {'; '.join(exact)}\n")
        return [*figures, alone]

    def _by_c_driver(self, program: Path, plan: RunPlan, users: int) -> Callable[[], Driven]:
        load = mariadb_driver.Load(
            mix=mix_of(plan, SIZE), users=users, warmup_seconds=_WARMUP_SECONDS, seconds=self.chosen.seconds
        )
        return lambda: mariadb_driver.drive(program, self.server.target(DATABASE), self.server.secret, load)

    @staticmethod
    def _table(users: int, load: str, done: dict[str, list[Driven]]) -> list[Figure]:
        if _YARDSTICK in done:
            comparison = Comparison(_YARDSTICK, done)
            comparison.print_drivers(users)
            return comparison.figures(load)
        rate, cpu = [each.orders_per_second for each in done[SPINDLE]], [each.cpu_us for each in done[SPINDLE]]
        print(f"{users:>5} users: {spread(rate, ',.0f')} orders/s at {spread(cpu, '.0f')} µs of CPU each")
        return [
            figure(f"{load}: orders per second", "1/s", rate),
            figure(f"{load}: CPU per order", "µs", cpu),
        ]

    def _settle(self) -> None:
        """Reset the store, so that no measurement pays for another.

        The server may still be at work for a driver that has ended: its sessions are waited for, and the purge of what
        the reset has deleted. Raises ``TimeoutError`` when they stay.
        """
        sessions = f"SELECT count(*) FROM information_schema.processlist WHERE db = '{DATABASE}'"
        target = self.server.target("information_schema")
        with opened(target, self.server.secret, Timeouts()) as connection:
            self._wait(lambda: connection.query(sessions)[0][0] == 0, "sessions of a driver are still there")
            measured.reset(self.server, DATABASE)
            status = "SHOW GLOBAL STATUS LIKE 'Innodb_history_list_length'"
            self._wait(lambda: int(connection.query(status)[0][1]) < 100, "the purge goes on")

    @staticmethod
    def _wait(condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + _MOST_WAIT_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(what)
            time.sleep(_LOOK_SECONDS)


SECTION = Section("mariadb", "Orders on MariaDB beside a C program's, and builds", run)
