"""Are the response times true? Those of each step, at half load, beside the server's own and beside pgbench's.

Half load: a short run without think time says what the server can take; the think time is chosen so that the users ask
for half of it. pgbench runs the same orders: as many users, the same think time, the same statements one after the
other, and logs each of them. The server's view is that of a sample of its log during Spindle's run, with what the
loopback and the commit add to it. That is taken from trivial statements under the same load, timed as each of the two
times its calls: pgbench counts the time until it is woken, Spindle until the answer has come.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.dvdstore.sizing import DbSize
from engine.dvdstore.user import Mix
from engine.lab.binaries import server_version
from engine.lab.server import EmbeddedServer
from engine.places import Places, find_places
from engine.plan import RunPlan
from engine.target import EMBEDDED, Target
from tests.benchmarks import measured, pgbench_steps, server_view, spindle, trivial_trips
from tests.benchmarks.figures import Figure, figure
from tests.benchmarks.pgbench import Pgbench
from tests.benchmarks.pgbench_log import Logged, Times, read_logs
from tests.benchmarks.section import Choices, Section
from tests.benchmarks.server_view import ServerView
from tests.benchmarks.speed_benchmark import mix_of
from tests.benchmarks.truth_tables import STEPS, Round, Seen, print_and_judge

_DATABASE = "bench"
_SIZE = DbSize(100, "MB")
_USERS = 16
_WARMUP_SECONDS = 5
# From the start of a run's process to its first order.
_START_SECONDS = 3
# Of the time between two orders at half load, that much is spent on the order itself.
_ORDERS_SHARE = 0.1


def run(chosen: Choices) -> list[Figure]:
    plan = RunPlan(
        targets=(Target(kind=EMBEDDED, database=_DATABASE),),
        threads=_USERS,
        ramp_rate=1_000,
        warmup_minutes=_WARMUP_SECONDS / 60,
    )
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder:
        places = find_places(measured.enterable(folder))
        server_view.enable(places)
        with EmbeddedServer.attach(places.lab, tell=lambda _: None) as server:
            server_view.install(server)
            measured.build(server, _DATABASE, _SIZE)
            most = spindle.drive(places, plan, seconds=min(5, chosen.seconds)).driven.orders_per_second
            think_time_ms = round((1 - _ORDERS_SHARE) * 1000 * _USERS / (most / 2))
            half = replace(plan, think_time_ms=think_time_ms)
            rounds = [_round(places, server, half, chosen.seconds, number) for number in range(chosen.rounds)]
    print(
        f"PostgreSQL {server_version()} on the same machine, {_SIZE} store, {_USERS} users: {most:,.0f} orders/s"
        f" without think time,\nhalf of it with {think_time_ms} ms; {chosen.rounds} rounds of {chosen.seconds} s;"
        " medians [least–most]\n"
    )
    made = [
        figure("orders per second without think time", "/s", [most]),
        figure("orders per second, Spindle", "/s", [each.spindle.orders_per_second for each in rounds]),
        figure("orders per second, pgbench", "/s", [each.pgbench.orders_per_second for each in rounds]),
    ]
    return made + print_and_judge(rounds)


def _round(places: Places, server: EmbeddedServer, plan: RunPlan, seconds: int, number: int) -> Round:
    """One run of each, one after the other, on the store as it was built; who is first changes with each round."""
    if number % 2 == 0:
        ours = _spindles(places, server, plan, seconds)
        return Round(spindle=ours, pgbench=_pgbenchs(places, server, plan, seconds))
    theirs = _pgbenchs(places, server, plan, seconds)
    return Round(spindle=_spindles(places, server, plan, seconds), pgbench=theirs)


def _spindles(places: Places, server: EmbeddedServer, plan: RunPlan, seconds: int) -> Seen:
    measured.settle(server, [_DATABASE])
    target, after_seconds = server.target(_DATABASE), _START_SECONDS + _WARMUP_SECONDS
    with (
        server_view.watching(places, server, after_seconds=after_seconds) as view,
        trivial_trips.sending(
            target,
            server.secret,
            think_time_ms=plan.think_time_ms,
            after_seconds=after_seconds,
            seconds=seconds,
        ) as trips,
    ):
        done = spindle.drive(places, plan, seconds=seconds)
    spindle.check_exactness(done, [target], server.secret)
    return Seen(
        seconds=done.totals["measured_seconds"],
        times=_steps_of(done.totals),
        view=view,
        loopback=_loopback(trips.come, view),
        loopback_woken=_loopback(trips.woken, view),
    )


def _pgbenchs(places: Places, server: EmbeddedServer, plan: RunPlan, seconds: int) -> Seen:
    measured.settle(server, [_DATABASE])
    with server_view.watching(places, server, after_seconds=_WARMUP_SECONDS) as view:
        logged = _by_pgbench(server, mix_of(plan, _SIZE), seconds)
    loopback = _loopback(pgbench_steps.trivial_ms(logged), view)
    times = pgbench_steps.times_by_step(logged)
    return Seen(seconds=seconds, times=times, view=view, loopback=loopback, loopback_woken=loopback)


def _loopback(trips_ms: Mapping[str, list[float]], view: ServerView) -> dict[str, list[float]]:
    return {name: [each - view.server_mean(name) for each in trips] for name, trips in trips_ms.items()}


def _steps_of(totals: Mapping[str, Any]) -> dict[str, Times]:
    steps = {name: totals["steps"][name] for name in STEPS}
    return {
        name: Times(count=each["count"], mean_ms=each["mean_ms"], p50_ms=each["p50_ms"], p99_ms=each["p99_ms"])
        for name, each in steps.items()
    }


def _by_pgbench(server: EmbeddedServer, mix: Mix, seconds: int) -> list[Logged]:
    variables = [part for name, value in pgbench_steps.VARIABLES.items() for part in ("-D", f"{name}={value}")]
    with tempfile.TemporaryDirectory(prefix="spindle-pgbench-") as folder:
        process = Pgbench(
            server.target(_DATABASE), server.secret, Path(folder), {"steps": (pgbench_steps.script(mix, seed=1), 1)},
            users=_USERS, threads=1, seconds=_WARMUP_SECONDS + seconds, more=["-l", *variables],
        )  # fmt: skip
        process.wait()
        return read_logs(Path(folder), lambda client: pgbench_steps.names_of(mix, client), _WARMUP_SECONDS)


SECTION = Section("truth", "Response times beside the server's and pgbench's", run)
