"""Spindle beside pgbench and psycopg's cursors: the same orders on the same server, in turn.

Server and drivers share the machine's processors, so processor time of a driver is not available for orders; then
pgbench and Spindle are compared again with server and drivers on separate processors. Each measurement begins on a
store that was just reset, with a warm-up that is not counted.
"""

import tempfile
from collections.abc import Callable
from dataclasses import asdict

from engine.lab.binaries import server_version
from engine.lab.server import EmbeddedServer
from engine.places import Places, find_places
from engine.plan.plan import RunPlan
from engine.target.target import EMBEDDED, Target
from engine.workloads.dvdstore.sizing import DbSize
from engine.workloads.dvdstore.user import Mix
from tests.benchmarks import child, measured, pgbench, pgbench_script, spindle
from tests.benchmarks.apart import compared_apart, embedded_processes
from tests.benchmarks.comparison import SPINDLE, Comparison, in_turns
from tests.benchmarks.driven import Driven
from tests.benchmarks.figures import Figure, figure
from tests.benchmarks.section import Choices, Section

DATABASE = "bench"
SIZE = DbSize(100, "MB")
USERS = (8, 32, 128)
# As long as 128 users of pgbench take until all their statements are planned.
WARMUP_SECONDS = 5
_PGBENCH, _SINGLE, _CURSORS = "pgbench", "pgbench -j 1", "cursors"

Measure = Callable[[], Driven]


def mix_of(plan: RunPlan, size: DbSize) -> Mix:
    return Mix(
        size=size,
        think_time_ms=plan.think_time_ms,
        pct_new_customers=plan.parameters["pct_new_customers"],
        n_searches=plan.parameters["n_searches"],
        search_batch_size=plan.parameters["search_batch_size"],
        n_line_items=plan.parameters["n_line_items"],
    )


def run(chosen: Choices) -> list[Figure]:
    print(
        f"PostgreSQL {server_version()} on the same machine, {SIZE} store; {chosen.rounds} rounds of {chosen.seconds} s"
        f" after {WARMUP_SECONDS} s of warm-up, in turn; medians [least–most]\n"
    )
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder:
        places = find_places(measured.enterable(folder))
        with EmbeddedServer.attach(places.lab, notify=lambda _: None) as server:
            measured.build(server, DATABASE, SIZE)

            def compare(*, apart: bool) -> list[Figure]:
                loads = chosen.users or USERS
                return [each for users in loads for each in _compare(places, server, users, chosen, apart=apart)]

            processes = embedded_processes(server)
            return compare(apart=False) + compared_apart(processes, lambda: compare(apart=True))


def _compare(places: Places, server: EmbeddedServer, users: int, chosen: Choices, *, apart: bool) -> list[Figure]:
    """All drivers in turn, several rounds; those that are ``apart`` from the server without the yardsticks.

    These are psycopg's cursors, and pgbench with one thread, as a client of Spindle's has, instead of one a processor.
    """
    plan = RunPlan(
        targets=(Target(kind=EMBEDDED, database=DATABASE),),
        threads=users,
        ramp_rate=1_000,
        warmup_minutes=WARMUP_SECONDS / 60,
    )
    mix = mix_of(plan, SIZE)
    target = server.target(DATABASE)
    exact: list[str] = []
    client_cpu_us: list[float] = []

    def by_spindle() -> Driven:
        done = spindle.drive(places, plan, seconds=chosen.seconds, as_from_elsewhere=apart)
        exact.append(spindle.check_exactness(done, [target], server.secret))
        client_cpu_us.append(done.client_cpu_us)
        return done.driven

    def by_pgbench(threads: int | None = None) -> Driven:
        load = pgbench.Load(
            script=pgbench_script.order_script(mix, seed=1),
            users=users,
            warmup_seconds=WARMUP_SECONDS,
            seconds=chosen.seconds,
            variables=pgbench_script.VARIABLES,
            threads=threads,
        )
        return pgbench.drive([target], server.secret, load)

    def by_cursors() -> Driven:
        return child.driven_from_plain(
            child.ask(
                "cursor_driver",
                {
                    "target": child.target_to_plain(target),
                    "secret": server.secret.reveal(),
                    "mix": {**asdict(mix), "size": str(mix.size)},
                    "users": users,
                    "warmup_seconds": WARMUP_SECONDS,
                    "seconds": chosen.seconds,
                },
            )
        )

    drivers: dict[str, Measure] = {_PGBENCH: by_pgbench, SPINDLE: by_spindle}
    if not apart:
        drivers |= {_SINGLE: lambda: by_pgbench(threads=1), _CURSORS: by_cursors}
    done: dict[str, list[Driven]] = {name: [] for name in drivers}
    for name, measure in in_turns(drivers, chosen.rounds):
        measured.settle(server, [DATABASE])
        done[name].append(measure())
    comparison = Comparison(_PGBENCH, done)
    comparison.print_drivers(users)
    print(f"      exactness: {'; '.join(exact)}\n")
    load = f"{users} users, own processors" if apart else f"{users} users"
    return [
        *comparison.figures(load),
        figure(f"{load}: Spindle, clients alone, CPU per order", "µs", client_cpu_us),
    ]


SECTION = Section("speed", "Orders beside pgbench's and psycopg's cursors", run)
