"""Spindle beside pgbench and psycopg's cursors: the same orders on the same server, in turn.

The server shares the machine's processors with whoever drives it, so what a driver spends is lost to the orders; then
pgbench and Spindle are compared once more with server and drivers on processors of their own. Each measurement begins
on a store that was just reset, with a warm-up that counts for nobody.
"""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

from engine.dvdstore.sizing import DbSize
from engine.dvdstore.user import Mix
from engine.lab.binaries import server_version
from engine.lab.server import EmbeddedServer
from engine.places import Places, find_places
from engine.plan import RunPlan
from engine.target import EMBEDDED, Target
from tests.benchmarks import child, measured, pgbench, pgbench_script, spindle
from tests.benchmarks.apart import compared_apart
from tests.benchmarks.driven import Driven
from tests.benchmarks.figures import Figure, Goal, figure, ratios, spread
from tests.benchmarks.section import Choices, Section

DATABASE = "bench"
SIZE = DbSize(100, "MB")
USERS = (8, 32, 128)
# As long as 128 users of pgbench take until all their statements are planned.
WARMUP_SECONDS = 5
RATE_GOAL = Goal(limit=1.0, at_least=True, first_step=0.95)
CPU_GOAL = Goal(limit=1.5, first_step=2.0)
_PGBENCH, _SPINDLE, _SINGLE, _CURSORS = "pgbench", "Spindle", "pgbench -j 1", "cursors"
_HEAD = (
    f"{'users':>5} {'driver':<12} {'orders/s':>20} {'× pgbench':>18} {'CPU µs/order':>14} {'user':>5} {'system':>6}"
    f" {'× pgbench':>18} {'MB':>5} {'retries':>7}"
)

Measure = Callable[[], Driven]


def mix_of(plan: RunPlan, size: DbSize) -> Mix:
    return Mix(
        size=size,
        think_time_ms=plan.think_time_ms,
        pct_new_customers=plan.pct_new_customers,
        n_searches=plan.n_searches,
        search_batch_size=plan.search_batch_size,
        n_line_items=plan.n_line_items,
    )


def run(chosen: Choices) -> list[Figure]:
    print(
        f"PostgreSQL {server_version()} on the same machine, {SIZE} store; {chosen.rounds} rounds of {chosen.seconds} s"
        f" after {WARMUP_SECONDS} s of warm-up, in turn; medians [least–most]\n"
    )
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder:
        places = find_places(measured.enterable(folder))
        with EmbeddedServer.attach(places.lab, tell=lambda _: None) as server:
            measured.build(server, DATABASE, SIZE)

            def compare(*, apart: bool) -> list[Figure]:
                loads = chosen.users or USERS
                return [each for users in loads for each in _compare(places, server, users, chosen, apart=apart)]

            return compare(apart=False) + compared_apart(server, lambda: compare(apart=True))


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

    drivers: dict[str, Measure] = {_PGBENCH: by_pgbench, _SPINDLE: by_spindle}
    if not apart:
        drivers |= {_SINGLE: lambda: by_pgbench(threads=1), _CURSORS: by_cursors}
    done: dict[str, list[Driven]] = {name: [] for name in drivers}
    for _ in range(chosen.rounds):
        for name, measure in drivers.items():
            measured.settle(server, [DATABASE])
            done[name].append(measure())
    print_drivers(users, done)
    print(f"      exactness: {'; '.join(exact)}\n")
    load = f"{users} users, own processors" if apart else f"{users} users"
    return [
        *figures_of(load, done),
        figure(f"{load}: Spindle, clients alone, CPU per order", "µs", client_cpu_us),
    ]


def figures_of(load: str, done: Mapping[str, Sequence[Driven]]) -> list[Figure]:
    """Every driver's figures of one load, and Spindle's in relation to pgbench's with the goals."""
    figures = []
    for name, runs in done.items():
        figures += [
            figure(f"{load}: {name}, orders per second", "1/s", [each.orders_per_second for each in runs]),
            figure(f"{load}: {name}, CPU per order", "µs", [each.cpu_us for each in runs]),
            figure(f"{load}: {name}, user CPU per order", "µs", [each.user_us for each in runs]),
            figure(f"{load}: {name}, system CPU per order", "µs", [each.system_us for each in runs]),
            figure(f"{load}: {name}, peak memory", "MB", [each.peak_memory_mb for each in runs]),
            figure(f"{load}: {name}, deadlock victims", "", [each.retries for each in runs]),
        ]
        if name != _PGBENCH:
            rate, cpu = _relations(runs, done[_PGBENCH])
            is_ours = name == _SPINDLE
            figures += [
                figure(f"{load}: {name}, orders per second × pgbench", "×", rate, RATE_GOAL if is_ours else None),
                figure(f"{load}: {name}, CPU per order × pgbench", "×", cpu, CPU_GOAL if is_ours else None),
            ]
    return figures


def _relations(runs: Sequence[Driven], theirs: Sequence[Driven]) -> tuple[list[float], list[float]]:
    return (
        ratios([each.orders_per_second for each in runs], [each.orders_per_second for each in theirs]),
        ratios([each.cpu_us for each in runs], [each.cpu_us for each in theirs]),
    )


def print_drivers(users: int, done: Mapping[str, Sequence[Driven]]) -> None:
    """The table of one load, and below it whether Spindle's goals are met."""
    print(_HEAD)
    for name, runs in done.items():
        rate, cpu = _relations(runs, done[_PGBENCH])
        print(
            f"{users:>5} {name:<12} {spread([each.orders_per_second for each in runs], ',.0f'):>20}"
            f" {spread(rate, '.2f'):>18} {spread([each.cpu_us for each in runs], '.0f'):>14}"
            f" {_median([each.user_us for each in runs]):>5} {_median([each.system_us for each in runs]):>6}"
            f" {spread(cpu, '.2f'):>18} {_median([each.peak_memory_mb for each in runs]):>5}"
            f" {sum(each.retries for each in runs):>7}"
        )
    rate, cpu = _relations(done[_SPINDLE], done[_PGBENCH])
    judged = ((figure("", "", rate, RATE_GOAL), "orders/s"), (figure("", "", cpu, CPU_GOAL), "CPU per order"))
    for each, what in judged:
        assert each.goal is not None
        step = f", first step {each.goal.first_step:g}" if each.goal.first_step is not None else ""
        print(f"      {what} {each.median:.2f} × pgbench's; goal {each.goal}{step}: {each.verdict}")


def _median(values: Sequence[float]) -> str:
    return format(figure("", "", values).median, ",.0f")


SECTION = Section("speed", "Orders beside pgbench's and psycopg's cursors", run)
