"""Spindle beside the C program of the MariaDB section, in turns of a second on one running server.

How fast this machine is changes by 10 % and more within a minute, which whole measurements in turns show as noise. Here
all drivers stay connected, and all but one are stopped (``SIGSTOP``): about a second of each is compared with the
seconds of the others just before and after it. Server and drivers have processors of their own, so that the server is
never idle.

The drivers are Spindle and two copies of the C program. What the copies differ by is how exact the comparison can be:
the memory of a server's session depends on what the server did before it connected. So each round connects the drivers
in another order.
"""

import random
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from engine.databases.database import Timeouts
from engine.databases.mariadb.build import opened
from engine.databases.odbc.connection import OdbcConnection
from engine.places import find_places
from engine.plan.plan import RunPlan
from tests.benchmarks import mariadb_driver, measured, spindle
from tests.benchmarks.apart import compared_apart
from tests.benchmarks.comparison import RATE_GOAL, SPINDLE
from tests.benchmarks.figures import Figure, figure, ratios
from tests.benchmarks.mariadb_benchmark import DATABASE, DURABILITY, OPTIONS, SIZE
from tests.benchmarks.section import Choices, Section
from tests.benchmarks.speed_benchmark import mix_of
from tests.doubles.mariadb_server import MariaDBServer, running_server
from tests.waiting import wait_until

_YARDSTICK, _COPY = "C driver", "C driver, second copy"
_USERS = 8
_TURNS, _QUICK_TURNS = 50, 5
_TURN_SECONDS, _SETTLE_SECONDS = 0.8, 0.3
# The drivers connect one after the other; the time of each, beyond its turns, covers the start of the others.
_START_SECONDS = 40
_LAST_ORDER = "SELECT coalesce(max(orderid), 0) FROM orders"


@dataclass
class _Driver:
    """A driver that runs, with all of its processes; and the orders a second of each of its turns."""

    name: str
    ended: Future[Any]
    processes: Sequence[psutil.Process] = ()
    orders_per_second: list[float] = field(default_factory=list)

    def send(self, number: int) -> None:
        for process in self.processes:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)


def run(chosen: Choices) -> list[Figure]:
    missing = mariadb_driver.missing()
    if missing:
        print(f"{missing} is not installed: there is nothing to compare with\n")
        return []
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder, running_server(*OPTIONS, DURABILITY) as server:
        bench = _Bench(Path(folder), server, mariadb_driver.build(Path(folder)), chosen)
        measured.print_builds(server, DATABASE, (SIZE,))
        return compared_apart(lambda: [psutil.Process(server.pid)], bench.compare)


@dataclass(frozen=True)
class _Bench:
    folder: Path
    server: MariaDBServer
    program: Path
    chosen: Choices

    def compare(self) -> list[Figure]:
        found: dict[str, list[float]] = {SPINDLE: [], _COPY: []}
        names = [_YARDSTICK, SPINDLE, _COPY]
        for number in range(self.chosen.rounds):
            first = number % len(names)
            drivers = self._round([*names[first:], *names[:first]])
            print(f"connected in this order: {', '.join(drivers)}")
            for name, relations in found.items():
                both = ratios(drivers[name].orders_per_second, drivers[_YARDSTICK].orders_per_second)
                made = figure(name, "×", both)
                relations.append(made.median)
                print(f"    {name}: {made.median:.3f} × the {_YARDSTICK}'s orders (median of {len(both)} turns)")
        load = f"MariaDB, {_USERS} users, turns of a second"
        goals = {SPINDLE: RATE_GOAL, _COPY: None}
        return [
            figure(f"{load}: {name}, orders per second × {_YARDSTICK}", "×", found[name], goals[name]) for name in goals
        ]

    def _round(self, names: Sequence[str]) -> dict[str, _Driver]:
        measured.reset(self.server, DATABASE)
        with ThreadPoolExecutor(len(names)) as threads, ExitStack() as stack:
            target = self.server.target(DATABASE)
            connection = stack.enter_context(opened(target, self.server.secret, Timeouts()))
            drivers: dict[str, _Driver] = {}
            for name in names:
                drivers[name] = stack.enter_context(self._started(name, threads, connection))
            for _ in range(self._turns):
                # In any order: what comes first after a stop of all could have it easier.
                for name in random.sample(names, len(names)):
                    drivers[name].orders_per_second.append(_turn(drivers[name], connection))
            stack.close()
            for driver in drivers.values():
                driver.ended.result()
        return drivers

    @property
    def _turns(self) -> int:
        return _QUICK_TURNS if self.chosen.quick else _TURNS

    @contextmanager
    def _started(self, name: str, threads: ThreadPoolExecutor, connection: OdbcConnection) -> Iterator[_Driver]:
        """A driver that has begun to place orders and is stopped; after the block it goes on to its end."""
        others, before = set(_children()), _orders(connection)
        driver = _Driver(name, threads.submit(self._drive(name)))
        wait_until(lambda: driver.ended.done() or _orders(connection) > before + 10 * _USERS, f"{name} places orders")
        if driver.ended.done():
            driver.ended.result()
        driver.processes = [child for child in _children() if child not in others]
        driver.send(signal.SIGSTOP)
        try:
            yield driver
        finally:
            driver.send(signal.SIGCONT)

    def _drive(self, name: str) -> Callable[[], object]:
        target, secret = self.server.target(DATABASE), self.server.secret
        plan = RunPlan(targets=(target,), threads=_USERS, ramp_rate=1_000)
        turns_seconds = 3 * self._turns * (_TURN_SECONDS + _SETTLE_SECONDS)
        seconds = round(turns_seconds) + _START_SECONDS
        if name == SPINDLE:
            places = find_places(self.folder)
            return lambda: spindle.drive(places, plan, seconds=seconds, secret=secret, as_from_elsewhere=True)
        load = mariadb_driver.Load(mix=mix_of(plan, SIZE), users=_USERS, warmup_seconds=0, seconds=seconds)
        return lambda: mariadb_driver.drive(self.program, target, secret, load)


def _turn(driver: _Driver, connection: OdbcConnection) -> float:
    """Let a driver alone go on for a moment; its orders a second after the first part of it."""
    driver.send(signal.SIGCONT)
    time.sleep(_SETTLE_SECONDS)
    orders, began = _orders(connection), time.monotonic()
    time.sleep(_TURN_SECONDS)
    placed, seconds = _orders(connection) - orders, time.monotonic() - began
    driver.send(signal.SIGSTOP)
    return placed / seconds


def _orders(connection: OdbcConnection) -> int:
    ((last,),) = connection.query(_LAST_ORDER)
    return int(last)


def _children() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


SECTION = Section("mariadb_turns", "Orders on MariaDB beside a C program's, in turns of a second", run)
