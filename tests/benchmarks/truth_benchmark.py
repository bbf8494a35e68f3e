"""Are the response times true? Those of each step, at half load, beside the server's own and beside pgbench's.

Half load: a short run without think time says what the server can take; the think time is chosen so that the users ask
for half of it. Half of them are Spindle's and half are pgbench's, which runs the same orders with the same think time,
the same statements one after the other, and logs each of them. Both work at the same time on the same store, and the
same seconds are counted of both: whatever else the machine does, it does to both.

What passes over the loopback meanwhile is captured: how long each call was under way, from the packet of its question
to the last one of its answer, is what a driver's clock should say, whatever the server and the machine were busy with.
Without the right to capture nothing is judged, and a round of which packets are missing is left out.

The server's view is its log of either's calls in these seconds, with the end of the transaction, of which its log tells
where pgbench asks for it by itself (``twins``), and with what the loopback and the waits for a processor add: that is
taken from calls that are not judged (``loopback``). No clock of Spindle's has a part in it.

Where Spindle's times are judged by pgbench's log, that log is first corrected by what is known to differ: what it has
beyond the packets of its own calls, for pgbench's thread takes one answer after the other, and what the server says
that it took for either's calls: it serves pgbench's up to a tenth slower. What the machine allows to be known is shown
beside it: how far one half of pgbench's users is from the other.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from engine.databases.database import Timeouts
from engine.databases.postgresql.admin import opened
from engine.lab.binaries import server_version
from engine.lab.server import EmbeddedServer
from engine.places import Places, find_places
from engine.plan.plan import RunPlan
from engine.target.target import EMBEDDED, Target
from engine.workloads.dvdstore.sizing import DbSize
from engine.workloads.dvdstore.user import Mix
from tests.benchmarks import measured, pgbench_steps, server_view, spindle, twins, wire
from tests.benchmarks.figures import Figure, figure
from tests.benchmarks.loopback import beyond_ms
from tests.benchmarks.pgbench import Pgbench
from tests.benchmarks.pgbench_log import Logged, Times, read_logs, within
from tests.benchmarks.section import Choices, Section
from tests.benchmarks.server_view import LoggedCall, Watched
from tests.benchmarks.speed_benchmark import mix_of
from tests.benchmarks.truth_tables import FIRST, HOT, SECOND, STEPS, Round, Seen, print_and_judge
from tests.benchmarks.wire_calls import PGBENCH, SPINDLE, WireCall, times_on_the_wire

_DATABASE = "bench"
_SIZE = DbSize(100, "MB")
# Of each: Spindle and pgbench.
_USERS = 8
_ALL_USERS = 2 * _USERS
_WARMUP_SECONDS = 5
# From the start of a run's process to its first order.
_START_SECONDS = 3
# The drivers beside the run go on for longer than its counted seconds, in case the run begins late.
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
        with EmbeddedServer.attach(places.lab, notify=lambda _: None) as server:
            server_view.install(server)
            measured.build(server, _DATABASE, _SIZE)
            twins.install(server.target(_DATABASE), server.secret)
            most = spindle.drive(places, plan, seconds=min(5, chosen.seconds)).driven.orders_per_second
            think_time_ms = round((1 - _ORDERS_SHARE) * 1000 * _ALL_USERS / (most / 2))
            half = replace(plan, threads=_USERS, think_time_ms=think_time_ms)
            if trouble := _no_packets(server):
                print(f"NOT judged: the packets on the loopback can't be captured: {trouble}")
                return []
            exact: list[str] = []
            tried = [_round(places, server, half, chosen.seconds, exact) for _ in range(chosen.rounds)]
    rounds = [each for each in tried if each is not None]
    if not rounds:
        return []
    print(
        f"PostgreSQL {server_version()} on the same machine, {_SIZE} store: {most:,.0f} orders/s of {_ALL_USERS} users"
        f" without think time,\nhalf of it with {think_time_ms} ms, by {_USERS} users each of Spindle and of pgbench"
        f" at the same time;\n{len(rounds)} rounds of {chosen.seconds} s;"
        " medians [least–most]\n"
    )
    made = [
        figure("orders per second without think time", "/s", [most]),
        figure("orders per second, Spindle", "/s", [each.spindle.orders_per_second for each in rounds]),
        figure("orders per second, pgbench, timed ones", "/s", [each.pgbench.orders_per_second for each in rounds]),
    ]
    for each in made[1:]:
        print(f"{each.name}: {each.median:,.0f}")
    print()
    made += print_and_judge(rounds)
    print(f"\nexactness: {'; '.join(exact)}")
    return made


def _no_packets(server: EmbeddedServer) -> str:
    """Why the packets can't be captured; empty where they can."""
    with wire.watching(server.target(_DATABASE).hosts[0].port) as passed:
        pass
    return passed.trouble


def _round(places: Places, server: EmbeddedServer, plan: RunPlan, seconds: int, exact: list[str]) -> Round | None:
    """Both drivers at once, on the store as it was built; ``None``, and why, where packets are missing."""
    measured.settle(server, [_DATABASE])
    mix = mix_of(plan, _SIZE)
    with (
        wire.watching(server.target(_DATABASE).hosts[0].port) as passed,
        server_view.watching(places, server, after_seconds=_START_SECONDS + _WARMUP_SECONDS) as watched,
        _beside(server, mix, _START_SECONDS + _WARMUP_SECONDS + seconds + _MARGIN_SECONDS) as logged,
    ):
        done = spindle.drive(places, plan, seconds=seconds)
    exact.append(_check_exactness(done, server))
    if passed.trouble:
        print(f"a round is left out: {passed.trouble}")
        return None
    begin, length = done.measured_from, float(done.totals["measured_seconds"])
    span = _Span(begin=begin, end=begin + length, packets=passed.calls, log=watched)
    counted = within(logged, span.begin, span.end)
    halves = [pgbench_steps.times_by_step([each for each in counted if each.client % 2 == half]) for half in (0, 1)]
    _check_names(counted, span)
    return Round(
        spindle=_seen(SPINDLE, _steps_of(done.totals), span),
        pgbench=_seen(PGBENCH, pgbench_steps.times_by_step(counted), span),
        halves=(halves[0], halves[1]),
        executions=watched.executions,
    )


@dataclass(frozen=True, kw_only=True)
class _Span:
    """The counted seconds by the wall clock, and what was seen meanwhile and around them."""

    begin: float
    end: float
    packets: Sequence[WireCall]
    log: Watched


def _seen(driver: str, times: Mapping[str, Times], span: _Span) -> Seen:
    packets = times_on_the_wire(span.packets, driver, span.begin, span.end)
    _check_counts(driver, times, packets)
    ends = span.log.view(PGBENCH, span.begin, span.end)
    return Seen(
        seconds=span.end - span.begin,
        times=times,
        packets=packets,
        view=span.log.view(driver, span.begin, span.end),
        ends={call: ends.server[twins.end_of(call)] for call in STEPS if call in pgbench_steps.CALLS},
        beyond={
            FIRST: _beyond_ms(span, PGBENCH, pgbench_steps.FIRST_READ, end_of=pgbench_steps.FIRST_READ),
            SECOND: _beyond_ms(span, PGBENCH, pgbench_steps.SECOND_READ, end_of=pgbench_steps.FIRST_READ),
            HOT: _beyond_ms(span, driver, pgbench_steps.PRICES, end_of=pgbench_steps.PRICES),
        },
    )


def _beyond_ms(span: _Span, driver: str, name: str, *, end_of: str) -> list[float]:
    """Beyond the server's work on such calls, and the mean end of the transaction of like ones."""
    in_log: list[LoggedCall] = [call for call in span.log.calls if call.application == driver]
    end_ms = span.log.view(PGBENCH, span.begin, span.end).server_mean(twins.end_of(end_of))
    return [each - end_ms for each in beyond_ms(span.packets, in_log, driver, name, span.begin, span.end)]


@contextmanager
def _beside(server: EmbeddedServer, mix: Mix, seconds: int) -> Iterator[list[Logged]]:
    """pgbench for so many seconds beside what the block does; what it did is there when it is over."""
    target = server.target(_DATABASE)
    logged: list[Logged] = []
    variables = [part for name, value in pgbench_steps.VARIABLES.items() for part in ("-D", f"{name}={value}")]
    with tempfile.TemporaryDirectory(prefix="spindle-pgbench-") as folder:
        process = Pgbench(
            target, server.secret, Path(folder), {"steps": (pgbench_steps.script(mix, seed=1), 1)},
            users=_USERS, threads=1, seconds=seconds, more=["-l", *variables],
        )  # fmt: skip
        try:
            yield logged
        finally:
            process.wait()
        logged += read_logs(Path(folder), lambda client: pgbench_steps.names_of(mix, client))


def _check_names(counted: Sequence[Logged], span: _Span) -> None:
    """Raises ``ValueError`` when pgbench's steps are not what the server saw."""
    view = span.log.view(PGBENCH, span.begin, span.end)
    ends = {twins.end_of(call): twins.twin_of(call) for call in pgbench_steps.CALLS}
    calls = {ends.get(name, name): len(view.server[name]) for name in server_view.STATEMENTS}
    pgbench_steps.check_names(counted, calls, tolerance=_USERS + len(counted) // 500)


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
FROM orders WHERE orderid > (SELECT (counts::json ->> 'orders')::integer FROM spindle_store)
"""


def _check_counts(driver: str, told: Mapping[str, Times], seen: Mapping[str, Times]) -> None:
    """Raises ``ValueError`` when there were not as many packets of a step as its driver has told of."""
    counts = {step: (told[step].count, seen[step].count) for step in STEPS}
    # An order that was under way at either end is told as a whole, or not at all.
    wrong = {step: both for step, both in counts.items() if abs(both[0] - both[1]) > _tolerance(both[0])}
    if wrong:
        raise ValueError(f"the packets are not those of {driver}'s calls, as told and as seen: {wrong}")


def _tolerance(count: int) -> int:
    """How many calls may have ended within the span by one clock, and not by another."""
    return 2 * _USERS + count // 500


def _steps_of(totals: Mapping[str, Any]) -> dict[str, Times]:
    steps = {name: totals["steps"][name] for name in STEPS}
    return {
        name: Times(count=each["count"], mean_ms=each["mean_ms"], p50_ms=each["p50_ms"], p99_ms=each["p99_ms"])
        for name, each in steps.items()
    }


SECTION = Section("truth", "Response times beside the server's and pgbench's", run)
