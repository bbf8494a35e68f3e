"""Are the response times true? Those of each step, at half load, beside the server's own and beside pgbench's.

Half load: a short run without think time says what the server can take; the think time is chosen so that the users ask
for half of it. A third of them are Spindle's and a third are pgbench's, which runs the same orders with the same think
time, the same statements one after the other, and logs each of them. Both work at the same time on the same store, and
the same seconds are counted of both: whatever else the machine does, it does to both.

The server's view is its log of either's calls in these seconds, with what the loopback and the end of the transaction
add to it. That is taken from trivial statements in the same seconds, timed as each of the two times its calls: pgbench
counts until it has taken the answer, Spindle until the answer has come. pgbench's own users send them, in place of the
steps of every second order, which are not timed. A run of Spindle has none, so the last third of the users, in another
process with Spindle's user loop, do.

What passes over the loopback meanwhile is captured where that can be done: how long each call was under way, from the
packet of its question to the last one of its answer, is what a driver's clock should say, whatever the server and the
machine were busy with. Neither yardstick above has all of it: the server's own view lacks its waits for a processor.

Where Spindle's times are judged by pgbench's log, that log is first corrected by what is known to differ: what it has
beyond the packets of its own calls, for pgbench's thread takes one answer after the other (without packets: the
loopback, by the trivial statements), and what the server says that it took for either's calls: it serves pgbench's up
to a tenth slower. What the machine allows to be known is shown beside it: how far one half of pgbench's users is from
the other.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from engine.databases.database import Timeouts
from engine.databases.postgresql.admin import opened
from engine.dvdstore.sizing import DbSize
from engine.dvdstore.user import Mix
from engine.lab.binaries import server_version
from engine.lab.server import EmbeddedServer
from engine.places import Places, find_places
from engine.plan import RunPlan
from engine.target import EMBEDDED, Target
from tests.benchmarks import child, measured, pgbench_steps, server_view, spindle, trivial_trips, wire
from tests.benchmarks.figures import Figure, figure
from tests.benchmarks.pgbench import Pgbench
from tests.benchmarks.pgbench_log import Logged, Times, read_logs, within
from tests.benchmarks.section import Choices, Section
from tests.benchmarks.server_view import ServerView
from tests.benchmarks.speed_benchmark import mix_of
from tests.benchmarks.truth_tables import STEPS, OnTheWire, Round, Seen, print_and_judge
from tests.benchmarks.wire_calls import PGBENCH, SPINDLE, times_on_the_wire

_DATABASE = "bench"
_SIZE = DbSize(100, "MB")
# Of each: Spindle, pgbench, and the trips.
_USERS = 8
_ALL_USERS = 3 * _USERS
_WARMUP_SECONDS = 5
# From the start of a run's process to its first order.
_START_SECONDS = 3
# Whoever works beside the run goes on for longer than its counted seconds, should it begin late.
_MARGIN_SECONDS = 4
# Of the time between two orders at half load, that much is spent on the order itself.
_ORDERS_SHARE = 0.1


def run(chosen: Choices) -> list[Figure]:
    plan = RunPlan(
        targets=(Target(kind=EMBEDDED, database=_DATABASE),),
        threads=_ALL_USERS,
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
            think_time_ms = round((1 - _ORDERS_SHARE) * 1000 * _ALL_USERS / (most / 2))
            half = replace(plan, threads=_USERS, think_time_ms=think_time_ms)
            exact: list[str] = []
            rounds = [_round(places, server, half, chosen.seconds, exact) for _ in range(chosen.rounds)]
    print(
        f"PostgreSQL {server_version()} on the same machine, {_SIZE} store: {most:,.0f} orders/s of {_ALL_USERS} users"
        f" without think time,\nhalf of it with {think_time_ms} ms, by {_USERS} users each of Spindle, of pgbench,"
        f" and of Spindle's loop with trips, at the same time;\n{chosen.rounds} rounds of {chosen.seconds} s;"
        " medians [least–most]\n"
    )
    made = [
        figure("orders per second without think time", "/s", [most]),
        figure("orders per second, Spindle", "/s", [each.spindle.orders_per_second for each in rounds]),
        figure(
            "orders per second, pgbench, those without trips", "/s", [each.pgbench.orders_per_second for each in rounds]
        ),
    ]
    for each in made[1:]:
        print(f"{each.name}: {each.median:,.0f}")
    print()
    made += print_and_judge(rounds)
    print(f"\nexactness: {'; '.join(exact)}")
    return made


def _round(places: Places, server: EmbeddedServer, plan: RunPlan, seconds: int, exact: list[str]) -> Round:
    """Both drivers at once, and the trips beside them, on the store as it was built."""
    measured.settle(server, [_DATABASE])
    mix = mix_of(plan, _SIZE)
    with (
        wire.watching(server.target(_DATABASE).hosts[0].port) as passed,
        server_view.watching(places, server, after_seconds=_START_SECONDS + _WARMUP_SECONDS) as watched,
        _beside(server, mix, _START_SECONDS + _WARMUP_SECONDS + seconds + _MARGIN_SECONDS) as (logged, trips),
    ):
        done = spindle.drive(places, plan, seconds=seconds)
    exact.append(_check_exactness(done, server))
    begin, length = done.measured_from, float(done.totals["measured_seconds"])
    end = begin + length
    trips_view = watched.view(trivial_trips.APPLICATION, begin, end)
    pgbench_view = watched.view(PGBENCH, begin, end)
    counted = within(logged, begin, end)
    calls = {name: len(pgbench_view.server[name]) for name in server_view.STATEMENTS}
    pgbench_steps.check_names(counted, calls, tolerance=_USERS + len(counted) // 500)
    come, taken = _trips_ms(trips, begin, end)
    steps = _steps_of(done.totals)
    theirs = _seen(counted, pgbench_view, length)
    return Round(
        spindle=Seen(
            seconds=length,
            times=steps,
            view=watched.view(SPINDLE, begin, end),
            loopback=_loopback(come, trips_view),
            loopback_woken=_loopback(taken, trips_view),
        ),
        pgbench=theirs,
        halves=(
            _seen([each for each in counted if each.client % 2 == 0], pgbench_view, length),
            _seen([each for each in counted if each.client % 2 == 1], pgbench_view, length),
        ),
        executions=watched.executions,
        wire=_on_the_wire(passed, begin, end, {SPINDLE: steps, PGBENCH: theirs.times}),
    )


@contextmanager
def _beside(server: EmbeddedServer, mix: Mix, seconds: int) -> Iterator[tuple[list[Logged], list[trivial_trips.Trip]]]:
    """pgbench and the trips for so many seconds beside what the block does; what they did is there when it is over."""
    target = server.target(_DATABASE)
    logged: list[Logged] = []
    trips: list[trivial_trips.Trip] = []
    variables = [part for name, value in pgbench_steps.VARIABLES.items() for part in ("-D", f"{name}={value}")]
    question = trivial_trips.question_of(target, server.secret, mix, _USERS, seconds)
    with (
        tempfile.TemporaryDirectory(prefix="spindle-pgbench-") as folder,
        ThreadPoolExecutor(1, thread_name_prefix="trips") as waiting,
    ):
        asked = waiting.submit(child.ask, "trivial_trips", question)
        process = Pgbench(
            target, server.secret, Path(folder), {"steps": (pgbench_steps.script(mix, seed=1), 1)},
            users=_USERS, threads=1, seconds=seconds, more=["-l", *variables],
        )  # fmt: skip
        try:
            yield logged, trips
        finally:
            process.wait()
        logged += read_logs(Path(folder), lambda client: pgbench_steps.names_of(mix, client))
        trips += [tuple(each) for each in asked.result()]


def _check_exactness(run: spindle.SpindleRun, server: EmbeddedServer) -> str:
    """One line: the orders that Spindle counted, that the server holds of it, and that its ledgers hold.

    The orders of others are told by their amounts (``pgbench_steps.MARKED``); they are what the audit finds unknown,
    which looked at the store when the others had perhaps not ended. Raises ``AssertionError`` when they differ.
    """
    with opened(server.target(_DATABASE), server.secret, Timeouts()) as connection:
        [(ours, theirs)] = cast(list[tuple[int, int]], connection.execute(_ORDERS).fetchall())
    audit = run.audit_orders
    line = (
        f"counted {run.counted:,} = stored {ours:,} + rolled back {run.rolled_back:,}; in ledgers {run.in_ledgers:,};"
        f" lost {audit['lost'] + audit['replaced']:,}; {theirs:,} of others beside them"
    )
    exact = run.counted == ours + run.rolled_back and run.in_ledgers == audit["present"] == ours and not run.in_doubt
    if not exact or audit["lost"] or audit["replaced"] or not audit["unknown"] <= theirs:
        raise AssertionError(f"NOT EXACT: {line}; in doubt {run.in_doubt:,}; unknown {audit['unknown']:,}")
    return line


_ORDERS = f"""
SELECT count(*) FILTER (WHERE NOT {pgbench_steps.MARKED}), count(*) FILTER (WHERE {pgbench_steps.MARKED})
FROM orders WHERE orderid > (SELECT orders FROM spindle_store)
"""


def _seen(logged: Sequence[Logged], view: ServerView, seconds: float) -> Seen:
    """What pgbench's users saw, or some of them."""
    loopback = _loopback(pgbench_steps.trivial_ms(logged), view)
    times = pgbench_steps.times_by_step(logged)
    return Seen(seconds=seconds, times=times, view=view, loopback=loopback, loopback_woken=loopback)


def _on_the_wire(passed: wire.Wire, begin: float, end: float, told: Mapping[str, Mapping[str, Times]]) -> OnTheWire:
    """Raises ``ValueError`` when there were not as many of a step as its driver has told of."""
    if passed.trouble:
        return OnTheWire(spindle={}, pgbench={}, trouble=passed.trouble)
    seen = {driver: times_on_the_wire(passed.calls, driver, begin, end) for driver in told}
    for driver, steps in told.items():
        counts = {step: (steps[step].count, seen[driver][step].count) for step in STEPS}
        # An order that was under way at either end is told as a whole, or not at all.
        wrong = {step: both for step, both in counts.items() if abs(both[0] - both[1]) > _tolerance(both[0])}
        if wrong:
            raise ValueError(f"the packets are not those of {driver}'s calls, as told and as seen: {wrong}")
    return OnTheWire(spindle=seen[SPINDLE], pgbench=seen[PGBENCH], trouble="")


def _tolerance(count: int) -> int:
    """How many calls may have ended within the span by one clock, and not by another."""
    return 2 * _USERS + count // 500


def _trips_ms(
    trips: Sequence[trivial_trips.Trip], begin: float, end: float
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """By statement, the milliseconds of the trips that ended in a span: until the answer had come, until it was taken.

    Raises ``ValueError`` when there were none at the beginning or the end of it.
    """
    moments = [moment for _, moment, _, _ in trips]
    if not moments or min(moments) > begin or max(moments) < end:
        raise ValueError("no trips were made in a part of the counted seconds")
    come: dict[str, list[float]] = {name: [] for name in pgbench_steps.TRIVIAL}
    taken: dict[str, list[float]] = {name: [] for name in pgbench_steps.TRIVIAL}
    for name, moment, until_come, until_taken in trips:
        if begin <= moment < end:
            come[name].append(until_come)
            taken[name].append(until_taken)
    return come, taken


def _loopback(trips_ms: Mapping[str, list[float]], view: ServerView) -> dict[str, list[float]]:
    return {name: [each - view.server_mean(name) for each in trips] for name, trips in trips_ms.items()}


def _steps_of(totals: Mapping[str, Any]) -> dict[str, Times]:
    steps = {name: totals["steps"][name] for name in STEPS}
    return {
        name: Times(count=each["count"], mean_ms=each["mean_ms"], p50_ms=each["p50_ms"], p99_ms=each["p99_ms"])
        for name, each in steps.items()
    }


SECTION = Section("truth", "Response times beside the server's and pgbench's", run)
