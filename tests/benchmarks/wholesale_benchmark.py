"""Wholesale beside pgbench: the same five procedures on the same server, in turn.

Both drive the specified mix without think time, each user at its home warehouse, with server and drivers on the same
processors. Each measurement begins on a store that was just reset, with a warm-up that counts for nobody. An order is a
New-Order, committed or rolled back on purpose; of pgbench, which counts all transactions together, 45 in 100 of these,
as its script draws them. Processor time is that of all transactions, for each order. Spindle is a whole run with
ledgers, probe and library, whose orders are counted three times and audited.
"""

import os
import tempfile

from engine.lab.binaries import server_version
from engine.lab.server import EmbeddedServer
from engine.places import Places, find_places
from engine.plan.plan import RunPlan
from engine.target.target import EMBEDDED, Target
from engine.workload.registry import WHOLESALE
from engine.workloads.wholesale.picks import MIXES
from engine.workloads.wholesale.sizing import Warehouses
from engine.workloads.wholesale.transactions import NEW_ORDER
from tests.benchmarks import measured, pgbench, pgbench_wholesale, spindle
from tests.benchmarks.comparison import SPINDLE, Comparison
from tests.benchmarks.driven import Driven
from tests.benchmarks.figures import Figure, figure
from tests.benchmarks.section import Choices, Section

_DATABASE = "bench_wholesale"
_SCALE, _QUICK_SCALE = Warehouses(10), Warehouses(2)
_MIX = "specified"
_USERS = (8, 32, 128)
_WARMUP_SECONDS = 5
_PGBENCH = "pgbench"


def run(chosen: Choices) -> list[Figure]:
    scale = _QUICK_SCALE if chosen.quick else _SCALE
    print(
        f"PostgreSQL {server_version()} on the same machine, {scale.count} warehouses; {chosen.rounds} rounds of"
        f" {chosen.seconds} s after {_WARMUP_SECONDS} s of warm-up, in turn; medians [least–most]\n"
    )
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder:
        places = find_places(measured.enterable(folder))
        with EmbeddedServer.attach(places.lab, notify=lambda _: None) as server:
            measured.build(server, _DATABASE, scale, WHOLESALE)
            return [each for users in chosen.users or _USERS for each in _compare(places, server, scale, users, chosen)]


def _compare(places: Places, server: EmbeddedServer, scale: Warehouses, users: int, chosen: Choices) -> list[Figure]:
    plan = RunPlan(
        targets=(Target(kind=EMBEDDED, database=_DATABASE),),
        workload=WHOLESALE,
        parameters={"mix": _MIX},
        threads=users,
        ramp_rate=1_000,
        warmup_minutes=_WARMUP_SECONDS / 60,
    )
    target = server.target(_DATABASE)
    load = pgbench.Load(
        script=pgbench_wholesale.script(scale.count, _MIX),
        users=users,
        warmup_seconds=_WARMUP_SECONDS,
        seconds=chosen.seconds,
        variables=pgbench_wholesale.VARIABLES,
    )
    done: dict[str, list[Driven]] = {_PGBENCH: [], SPINDLE: []}
    exact: list[str] = []
    client_cpu_us: list[float] = []
    busy: list[float] = []
    for _ in range(chosen.rounds):
        measured.settle(server, [_DATABASE], WHOLESALE)
        busy.append(os.getloadavg()[0])
        done[_PGBENCH].append(pgbench.drive([target], server.secret, load).of_share(MIXES[_MIX][NEW_ORDER] / 100))
        measured.settle(server, [_DATABASE], WHOLESALE)
        driven = spindle.drive(places, plan, seconds=chosen.seconds)
        exact.append(spindle.check_exactness(driven, [target], server.secret, WHOLESALE))
        client_cpu_us.append(driven.client_cpu_us)
        done[SPINDLE].append(driven.driven)
    comparison = Comparison(_PGBENCH, done)
    comparison.print_drivers(users)
    print(f"      exactness: {'; '.join(exact)}")
    print(f"      load of the machine before each round: {', '.join(f'{each:.1f}' for each in busy)}\n")
    return [
        *comparison.figures(f"{users} users"),
        figure(f"{users} users: Spindle, clients alone, CPU per order", "µs", client_cpu_us),
        figure(f"{users} users: load of the machine before", "", busy),
    ]


SECTION = Section("wholesale", "New-Orders of Wholesale beside pgbench", run)
