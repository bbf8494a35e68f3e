"""A workload beside pgbench, the same calls on the same server in turn: what the sections of workloads share.

Neither has think times, and server and drivers are on the same processors. Each measurement begins on a store that was
just reset, with a warm-up that is not counted. Spindle is a whole run with ledgers, probe and library, whose orders are
counted three times and audited.
"""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.lab.binaries import server_version
from engine.lab.server import EmbeddedServer
from engine.places import Places, find_places
from engine.plan.plan import RunPlan
from engine.target.target import EMBEDDED, Target
from tests.benchmarks import measured, pgbench, spindle
from tests.benchmarks.comparison import SPINDLE, Comparison, in_turns
from tests.benchmarks.driven import Driven
from tests.benchmarks.figures import Figure, figure
from tests.benchmarks.section import Choices

_USERS = (8, 32, 128)
_PGBENCH = "pgbench"


@dataclass(frozen=True, kw_only=True)
class Contest:
    """What both drive: ``counted`` are the ids of the transactions that are counted as a ``unit``, of which pgbench's
    transactions are a ``share``. The warm-up lasts until sessions have planned their statements. ``look`` gives figures
    of a measurement that has just ended, by their names and units.
    """

    workload: str
    scale: object
    counted: Sequence[str]
    script: str
    variables: Mapping[str, str]
    warmup_seconds: int = 5
    unit: str = "order"
    share: float = 1.0
    parameters: Mapping[str, Any] = field(default_factory=dict)
    look: Callable[[EmbeddedServer, str, Driven], Mapping[tuple[str, str], float]] = lambda *_: {}


def compare_with_pgbench(contest: Contest, chosen: Choices) -> list[Figure]:
    """Build the store, and measure both drivers with each number of users."""
    print(
        f"PostgreSQL {server_version()} on the same machine, store of {contest.scale}; {chosen.rounds} rounds of"
        f" {chosen.seconds} s after {contest.warmup_seconds} s of warm-up, in turn; medians [least–most]\n"
    )
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder:
        places = find_places(measured.enterable(folder))
        with EmbeddedServer.attach(places.lab, notify=lambda _: None) as server:
            bench = _Bench(contest, chosen, places, server)
            measured.build(server, bench.database, contest.scale, contest.workload)
            return [each for users in chosen.users or _USERS for each in bench.compare(users)]


@dataclass(frozen=True)
class _Bench:
    contest: Contest
    chosen: Choices
    places: Places
    server: EmbeddedServer

    @property
    def database(self) -> str:
        return f"bench_{self.contest.workload}"

    def compare(self, users: int) -> list[Figure]:
        contest, target = self.contest, self.server.target(self.database)
        plan = RunPlan(
            targets=(Target(kind=EMBEDDED, database=self.database),),
            workload=contest.workload,
            parameters=dict(contest.parameters),
            threads=users,
            ramp_rate=1_000,
            warmup_minutes=contest.warmup_seconds / 60,
        )
        load = pgbench.Load(
            script=contest.script,
            users=users,
            warmup_seconds=contest.warmup_seconds,
            seconds=self.chosen.seconds,
            variables=contest.variables,
        )
        done: dict[str, list[Driven]] = {_PGBENCH: [], SPINDLE: []}
        looks: dict[tuple[str, str], list[float]] = {}
        exact: list[str] = []
        client_cpu_us: list[float] = []
        busy: list[float] = []

        def by_pgbench() -> Driven:
            return pgbench.drive([target], self.server.secret, load).of_share(contest.share)

        def by_spindle() -> Driven:
            run = spindle.drive(self.places, plan, seconds=self.chosen.seconds, counted=contest.counted)
            exact.append(spindle.check_exactness(run, [target], self.server.secret, contest.workload))
            client_cpu_us.append(run.client_cpu_us)
            return run.driven

        for driver, measure in in_turns({_PGBENCH: by_pgbench, SPINDLE: by_spindle}, self.chosen.rounds):
            measured.settle(self.server, [self.database], contest.workload)
            busy.append(os.getloadavg()[0])
            driven = measure()
            done[driver].append(driven)
            for (name, unit), value in contest.look(self.server, self.database, driven).items():
                looks.setdefault((f"{driver}, {name}", unit), []).append(value)
        comparison = Comparison(_PGBENCH, done, contest.unit)
        comparison.print_drivers(users)
        others = [figure(f"{users} users: {name}", unit, values) for (name, unit), values in looks.items()]
        for each in others:
            print(f"      {each.name}: {each.median:,.4g} {each.unit}".rstrip())
        print(f"      exactness: {'; '.join(exact)}")
        print(f"      load of the machine before each: {', '.join(f'{each:.1f}' for each in busy)}\n")
        return [
            *comparison.figures(f"{users} users"),
            figure(f"{users} users: Spindle, clients alone, CPU per {contest.unit}", "µs", client_cpu_us),
            *others,
            figure(f"{users} users: load of the machine before", "", busy),
        ]
