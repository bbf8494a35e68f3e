"""768 users that think 20 ms: 24 clients of 32 users, each on a small store of its own, beside 24 pgbench processes.

What a workstation must do for runs of the size of published reports: connect all users, sample in time, and use little
processor time. Once with the server on the same processors, and once with server and drivers on processors of their
own, as they are in a lab, where the server is another machine.
"""

import tempfile
from dataclasses import dataclass

from engine.lab.binaries import server_version
from engine.lab.server import EmbeddedServer
from engine.places import Places, find_places
from engine.plan.plan import RunPlan
from engine.target.target import EMBEDDED, Target
from engine.workloads.dvdstore.sizing import DbSize
from tests.benchmarks import measured, pgbench, pgbench_script, spindle
from tests.benchmarks.apart import compared_apart, embedded_processes
from tests.benchmarks.comparison import SPINDLE, Comparison
from tests.benchmarks.driven import Driven
from tests.benchmarks.figures import Figure, Goal, against_goal, spread
from tests.benchmarks.section import Choices, Section
from tests.benchmarks.speed_benchmark import mix_of
from tests.benchmarks.spindle import SpindleRun

_DATABASE = "crowd"
_CLIENTS = 24
_USERS = 32
_SIZE = DbSize(5, "MB")
# pgbench plans each statement in each of 768 connections; the warm-up lasts until most users have executed most
# statements.
_WARMUP_SECONDS = 20
_THINK_TIME_MS = 20.0
_CONNECTED_GOAL = Goal(limit=15.0, in_every_round=True)
_LATE_GOAL = Goal(limit=100.0, in_every_round=True)
_CORES_GOAL = Goal(limit=1.0, in_every_round=True)
_MEMORY_GOAL = Goal(limit=60.0, in_every_round=True)


def run(chosen: Choices) -> list[Figure]:
    print(
        f"PostgreSQL {server_version()} on the same machine, {_CLIENTS} stores of {_SIZE}, {_USERS} users on each,"
        f" {_THINK_TIME_MS:g} ms think time; {chosen.rounds} rounds of {chosen.seconds} s after"
        f" {_WARMUP_SECONDS} s of warm-up, in turn\n"
    )
    plan = RunPlan(
        targets=(Target(kind=EMBEDDED, database=_DATABASE),),
        databases=_CLIENTS,
        threads=_USERS,
        think_time_ms=_THINK_TIME_MS,
        warmup_minutes=_WARMUP_SECONDS / 60,
    )
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder:
        places = find_places(measured.enterable(folder))
        with EmbeddedServer.attach(places.lab, notify=lambda _: None) as server:
            for store in plan.stores():
                measured.build(server, store.database, _SIZE)
            bench = _Bench(places, server, plan, chosen)
            load = f"{_CLIENTS} × {_USERS} users, {_THINK_TIME_MS:g} ms think time"
            together = bench.compare(load)
            print()
            return together + compared_apart(
                embedded_processes(server), lambda: bench.compare(f"{load}, own processors", as_from_elsewhere=True)
            )


@dataclass(frozen=True)
class _Bench:
    places: Places
    server: EmbeddedServer
    plan: RunPlan
    chosen: Choices

    def compare(self, load: str, *, as_from_elsewhere: bool = False) -> list[Figure]:
        """pgbench and Spindle in turn."""
        spindles: list[SpindleRun] = []
        pgbenches: list[Driven] = []
        for _ in range(self.chosen.rounds):
            pgbenches.append(self._by_pgbench())
            spindles.append(self._by_spindle(as_from_elsewhere=as_from_elsewhere))
        done = {"pgbench": pgbenches, SPINDLE: [each.driven for each in spindles]}
        comparison = Comparison("pgbench", done)
        comparison.print_drivers(_CLIENTS * _USERS)
        return [*comparison.figures(load), *_judge(load, spindles, pgbenches)]

    @property
    def _databases(self) -> list[str]:
        return [store.database for store in self.plan.stores()]

    def _by_pgbench(self) -> Driven:
        measured.settle(self.server, self._databases)
        load = pgbench.Load(
            script=pgbench_script.order_script(mix_of(self.plan, _SIZE), seed=1),
            users=_USERS,
            warmup_seconds=_WARMUP_SECONDS,
            seconds=self.chosen.seconds,
            variables=pgbench_script.VARIABLES,
        )
        targets = [self.server.target(database) for database in self._databases]
        return pgbench.drive(targets, self.server.secret, load)

    def _by_spindle(self, *, as_from_elsewhere: bool) -> SpindleRun:
        measured.settle(self.server, self._databases)
        done = spindle.drive(self.places, self.plan, seconds=self.chosen.seconds, as_from_elsewhere=as_from_elsewhere)
        targets = [self.server.target(database) for database in self._databases]
        print(f"      exactness: {spindle.check_exactness(done, targets, self.server.secret)}")
        return done


def _judge(load: str, spindles: list[SpindleRun], pgbenches: list[Driven]) -> list[Figure]:
    def cores(driven: Driven) -> float:
        return driven.cpu.total / driven.seconds

    late = [sum(told["late_ticks"] for told in each.totals["driver"]) for each in spindles]
    print(
        f"\npgbench used {spread([cores(each) for each in pgbenches], '.2f')} processors for its orders;"
        f" {spread(late, '.0f')} of Spindle's samples were later than 100 ms"
    )
    return [
        against_goal(f"{load}: all connected", [each.connected_seconds for each in spindles], _CONNECTED_GOAL, "s"),
        against_goal(f"{load}: latest sample", [each.worst_tick_late_ms for each in spindles], _LATE_GOAL, "ms"),
        against_goal(f"{load}: processors in sum", [cores(each.driven) for each in spindles], _CORES_GOAL, ""),
        against_goal(
            f"{load}: largest client process", [each.client_peak_memory_mb for each in spindles], _MEMORY_GOAL, "MB"
        ),
    ]


SECTION = Section("crowd", "768 users with think time", run)
