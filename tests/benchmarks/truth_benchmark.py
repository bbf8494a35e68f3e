"""Are the response times true? Those of each step, at half load, beside the server's own and beside pgbench's.

Half load: a short run without think time says what the server can take; the think time is chosen so that the users ask
for half of it. The server's view is that of its log and statistics, with what the loopback and the commit add to it;
pgbench sends the same statements at the same rates, each step as a script of its own, and logs each of them.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.dvdstore.sizing import DbSize
from engine.dvdstore.user import Mix
from engine.lab.binaries import server_version
from engine.lab.server import EmbeddedServer
from engine.places import Places, find_places
from engine.plan import RunPlan
from engine.target import EMBEDDED, Target
from tests.benchmarks import measured, pgbench_script, server_view, spindle
from tests.benchmarks.figures import Figure, Goal, figure, spread
from tests.benchmarks.pgbench import Pgbench
from tests.benchmarks.pgbench_log import Times, times_by_script
from tests.benchmarks.section import Choices, Section
from tests.benchmarks.server_view import ServerView
from tests.benchmarks.speed_benchmark import mix_of

_DATABASE = "bench"
_SIZE = DbSize(100, "MB")
_USERS = 16
_WARMUP_SECONDS = 5
# From the start of a run's process to its first order.
_START_SECONDS = 3
_STEPS = {"login": "logins", "new_customer": "new_customers", "browse": "browses", "purchase": "purchases"}
# Of the time between two orders at half load, that much is spent on the order itself.
_ORDERS_SHARE = 0.1
_WEIGHTS_SUM = 100_000
_MEAN_GOAL = Goal(limit=5.0, either_way=True)
_TAIL_GOAL = Goal(limit=10.0, either_way=True)


@dataclass(frozen=True, kw_only=True)
class Round:
    """The steps' times as Spindle, the server and pgbench saw them."""

    spindle: Mapping[str, Times]
    view: ServerView
    pgbench: Mapping[str, Times]


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
            rounds = [_round(places, server, half, chosen.seconds) for _ in range(chosen.rounds)]
    print(
        f"PostgreSQL {server_version()} on the same machine, {_SIZE} store, {_USERS} users: {most:,.0f} orders/s"
        f" without think time,\nhalf of it with {think_time_ms} ms; {chosen.rounds} rounds of {chosen.seconds} s;"
        " medians [least–most]\n"
    )
    return _judge(rounds)


def _round(places: Places, server: EmbeddedServer, plan: RunPlan, seconds: int) -> Round:
    measured.settle(server, [_DATABASE])
    with server_view.watching(places, server, after_seconds=_WARMUP_SECONDS, seconds=seconds + _START_SECONDS) as view:
        done = spindle.drive(places, plan, seconds=seconds)
    spindle.check_exactness(done, [server.target(_DATABASE)], server.secret)
    measured.settle(server, [_DATABASE])
    theirs = _by_pgbench(server, mix_of(plan, _SIZE), done.totals, seconds)
    return Round(spindle=_steps_of(done.totals), view=view, pgbench=theirs)


def _steps_of(totals: Mapping[str, Any]) -> dict[str, Times]:
    steps = {name: totals["steps"][name] for name in _STEPS}
    return {
        name: Times(count=each["count"], mean_ms=each["mean_ms"], p50_ms=each["p50_ms"], p99_ms=each["p99_ms"])
        for name, each in steps.items()
    }


def _by_pgbench(server: EmbeddedServer, mix: Mix, totals: Mapping[str, Any], seconds: int) -> dict[str, Times]:
    """Each step as often as the run of ``totals`` had it, at moments that chance chooses."""
    per_second = {name: totals[count] / totals["measured_seconds"] for name, count in _STEPS.items()}
    per_second["prices"] = per_second["purchase"]
    rate = sum(per_second.values())
    scripts = {
        name: (text, max(1, round(_WEIGHTS_SUM * per_second[name] / rate)))
        for name, text in pgbench_script.step_scripts(mix, seed=1).items()
    }
    variables = [part for name, value in pgbench_script.VARIABLES.items() for part in ("-D", f"{name}={value}")]
    with tempfile.TemporaryDirectory(prefix="spindle-pgbench-") as folder:
        process = Pgbench(
            server.target(_DATABASE), server.secret, Path(folder), scripts,
            users=_USERS, threads=2, seconds=_WARMUP_SECONDS + seconds,
            more=["-l", "--rate", f"{rate:.2f}", *variables],
        )  # fmt: skip
        process.wait()
        return times_by_script(server_view.lines_of(Path(folder)), list(scripts), _WARMUP_SECONDS)


def _judge(rounds: list[Round]) -> list[Figure]:
    loopbacks = {name: [each.view.loopback[name] for each in rounds] for name in ("read", "write")}
    for name, values in loopbacks.items():
        print(f"loopback, a trivial prepared {name}: {spread(values, '.3f')} ms beyond the server's own time")
    print(
        f"\n{'step':<13} {'of':<5} {'Spindle ms':>20} {'server + loopback':>20} {'%':>20} {'pgbench ms':>20} {'%':>20}"
    )
    figures = [figure(f"loopback of a trivial {name}", "ms", values) for name, values in loopbacks.items()]
    for step in _STEPS:
        expected = [each.view.expected(step) for each in rounds]
        figures.append(figure(f"{step}: the server's own mean", "ms", [each.view.server[step] for each in rounds]))
        executions = [each.view.execution[step] for each in rounds if step in each.view.execution]
        if executions:
            figures.append(figure(f"{step}: mean of pg_stat_statements", "ms", executions))
        figures += _row(step, "mean", rounds, expected, _MEAN_GOAL)
        figures += _row(step, "p50", rounds, None, _MEAN_GOAL)
        figures += _row(step, "p99", rounds, None, _TAIL_GOAL)
    return figures


def _row(step: str, of: str, rounds: list[Round], expected: list[float] | None, goal: Goal) -> list[Figure]:
    """Print one line, and its figures."""
    ours = [float(getattr(each.spindle[step], f"{of}_ms")) for each in rounds]
    theirs = [float(getattr(each.pgbench[step], f"{of}_ms")) for each in rounds]
    made = [
        figure(f"{step}, {of}: Spindle", "ms", ours),
        figure(f"{step}, {of}: pgbench", "ms", theirs),
        figure(f"{step}, {of}: Spindle against pgbench", "%", _percent(ours, theirs), goal),
    ]
    beside_server = " " * 41
    if expected is not None:
        judged = figure(f"{step}, {of}: Spindle against the server", "%", _percent(ours, expected), goal)
        beside_server = f"{spread(expected, '.3f'):>20} {spread(judged.rounds, '+.1f'):>13} {judged.verdict:>6}"
        made.append(judged)
    percent = made[2]
    print(
        f"{step:<13} {of:<5} {spread(ours, '.3f'):>20} {beside_server}"
        f" {spread(theirs, '.3f'):>20} {spread(percent.rounds, '+.1f'):>13} {percent.verdict:>6}"
    )
    return made


def _percent(values: list[float], others: list[float]) -> list[float]:
    """By how much each of the values is more than the other one."""
    return [100 * (value / other - 1) for value, other in zip(values, others, strict=True)]


SECTION = Section("truth", "Response times beside the server's and pgbench's", run)
