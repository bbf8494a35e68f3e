"""The tables of ``tests.benchmarks.truth_benchmark``: the times of each step beside both yardsticks, and the goals."""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tests.benchmarks.figures import Figure, Goal, figure, spread
from tests.benchmarks.pgbench_log import Times
from tests.benchmarks.server_view import ServerView, expected

STEPS = ("login", "new_customer", "browse", "purchase", "order")
# What is added to the server's time of each step.
_LOOPBACK = {"login": "first read", "new_customer": "first write", "browse": "hot read", "purchase": "hot write"}
_CALLS = tuple(_LOOPBACK)
_GOALS = {
    "mean": Goal(limit=5.0, either_way=True),
    "p50": Goal(limit=5.0, either_way=True),
    "p99": Goal(limit=10.0, either_way=True),
}


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One run over its counted seconds: the steps' times as the client saw them, and the server meanwhile.

    ``loopback``: by trivial statement, the milliseconds of its round trips beyond the server's own time, timed as the
    steps are; ``loopback_woken`` until its sender was woken, as pgbench's steps are.
    """

    seconds: float
    times: Mapping[str, Times]
    view: ServerView
    loopback: Mapping[str, list[float]]
    loopback_woken: Mapping[str, list[float]]

    @property
    def orders_per_second(self) -> float:
        return self.times["order"].count / self.seconds

    def beyond_ms(self, step: str) -> float:
        """What the client's mean has beyond the server's own."""
        return self.times[step].mean_ms - self.view.server_mean(step)


@dataclass(frozen=True, kw_only=True)
class Round:
    """The same load by both."""

    spindle: Seen
    pgbench: Seen

    def expected(self, step: str) -> Times:
        """What a client should see of a step in Spindle's run."""
        return expected(self.spindle.view.server[step], self.spindle.loopback[_LOOPBACK[step]])

    def loopback_difference_ms(self, step: str, of: str) -> float:
        """By how much the way is longer for Spindle, by the same mean or percentile of the trivial statements."""
        if step not in _CALLS:
            counts = {call: self.spindle.times[call].count for call in _CALLS}
            calls = sum(counts[call] * self.loopback_difference_ms(call, of) for call in _CALLS)
            return calls / self.spindle.times[step].count
        probe = _LOOPBACK[step]
        return _loopback_ms(self.spindle.loopback[probe], of) - _loopback_ms(self.pgbench.loopback[probe], of)


def print_and_judge(rounds: list[Round]) -> list[Figure]:
    """Print the tables; all of their figures."""
    return [*_loopbacks(rounds), *_comparison(rounds), *_inside_and_outside(rounds)]


def _loopbacks(rounds: list[Round]) -> list[Figure]:
    made = []
    columns = {
        "Spindle": lambda each: each.spindle.loopback,
        "until woken": lambda each: each.spindle.loopback_woken,
        "pgbench": lambda each: each.pgbench.loopback,
    }
    print(f"{'loopback of a trivial, mean ms':<30} " + " ".join(f"{name:>20}" for name in columns))
    for probe in dict.fromkeys(_LOOPBACK.values()):
        means = {name: [statistics.fmean(of(each)[probe]) for each in rounds] for name, of in columns.items()}
        print(f"{probe:<30} " + " ".join(f"{spread(each, '.3f'):>20}" for each in means.values()))
        made += [figure(f"loopback of a trivial {probe}, {name}", "ms", each) for name, each in means.items()]
    print(
        "  beyond the server's own time; first: after a pause of the think time, for login and new_customer;\n"
        "  hot: for browse and purchase; until woken: of the same statements, as pgbench times its own\n"
    )
    return made


def _comparison(rounds: list[Round]) -> list[Figure]:
    print(
        f"{'step':<13} {'of':<5} {'Spindle ms':>20} {'server + loopback':>20} {'% more':>20} {'':<6}"
        f" {'pgbench ms':>20} {'% more, as logged':>20} {'loopback accounted':>20}"
    )
    made = []
    for step in STEPS:
        for of in _GOALS:
            made += _row(step, of, rounds)
    print(
        "goals: mean and p50 within ±5 %, p99 within ±10 % of either, each one's loopback accounted for; order:\n"
        "without price look-up and thinking; its percentiles are not known from the server"
    )
    return made


def _row(step: str, of: str, rounds: list[Round]) -> list[Figure]:
    """Print one line; its figures."""
    ours = [_time(each.spindle.times[step], of) for each in rounds]
    theirs = [_time(each.pgbench.times[step], of) for each in rounds]
    expected = _expected(step, of, rounds)
    accounted = [time + each.loopback_difference_ms(step, of) for time, each in zip(theirs, rounds, strict=True)]
    as_logged = figure(f"{step}, {of}: Spindle against pgbench as logged", "%", _percent(ours, theirs))
    against_pgbench = figure(f"{step}, {of}: Spindle against pgbench", "%", _percent(ours, accounted), _GOALS[of])
    made = [
        figure(f"{step}, {of}: Spindle", "ms", ours),
        figure(f"{step}, {of}: pgbench", "ms", theirs),
        as_logged,
        against_pgbench,
    ]
    beside_server = f"{'–':>20} {'–':>20} {'':<6}"
    if expected is not None:
        judged = figure(f"{step}, {of}: Spindle against the server", "%", _percent(ours, expected), _GOALS[of])
        made += [figure(f"{step}, {of}: server and loopback", "ms", expected), judged]
        beside_server = f"{spread(expected, '.3f'):>20} {spread(judged.rounds, '+.1f'):>20} {judged.verdict:<6}"
    print(
        f"{step:<13} {of:<5} {spread(ours, '.3f'):>20} {beside_server}"
        f" {spread(theirs, '.3f'):>20} {spread(as_logged.rounds, '+.1f'):>20}"
        f" {spread(against_pgbench.rounds, '+.1f'):>20} {against_pgbench.verdict}"
    )
    return made


def _expected(step: str, of: str, rounds: list[Round]) -> list[float] | None:
    """What a client should see by the server's view; of an order only the mean, as its steps' sum."""
    if step in _CALLS:
        return [_time(each.expected(step), of) for each in rounds]
    if of != "mean":
        return None
    return [
        sum(each.expected(call).mean_ms * each.spindle.times[call].count for call in _CALLS)
        / each.spindle.times[step].count
        for each in rounds
    ]


def _inside_and_outside(rounds: list[Round]) -> list[Figure]:
    """Print what the means are made of: the server's own time in either run, and what the client has beyond it."""
    print(
        f"\n{'mean, ms':<13} {'server: Spindle':>20} {'pgbench':>20} {'beyond it: Spindle':>20} {'pgbench':>20}"
        f" {'pg_stat_statements':>20}"
    )
    made = []
    for step in _CALLS:
        inside = [each.spindle.view.server_mean(step) for each in rounds]
        their_inside = [each.pgbench.view.server_mean(step) for each in rounds]
        outside = [each.spindle.beyond_ms(step) for each in rounds]
        their_outside = [each.pgbench.beyond_ms(step) for each in rounds]
        executions = [each.spindle.view.execution[step] for each in rounds if step in each.spindle.view.execution]
        columns = (inside, their_inside, outside, their_outside, executions)
        print(f"{step:<13} " + " ".join(f"{spread(each, '.3f') if each else '–':>20}" for each in columns))
        made += [
            figure(f"{step}: the server's own mean", "ms", inside),
            figure(f"{step}: the server's own mean under pgbench", "ms", their_inside),
            figure(f"{step}: mean of Spindle beyond the server's", "ms", outside),
            figure(f"{step}: mean of pgbench beyond the server's", "ms", their_outside),
        ]
        if executions:
            made.append(figure(f"{step}: mean of pg_stat_statements", "ms", executions))
    return made


def _time(times: Times, of: str) -> float:
    return float(getattr(times, f"{of}_ms"))


def _loopback_ms(values: list[float], of: str) -> float:
    return statistics.fmean(values) if of == "mean" else float(np.percentile(values, int(of[1:])))


def _percent(values: list[float], others: list[float]) -> list[float]:
    """By how much each of the values is more than the other one."""
    return [100 * (value / other - 1) for value, other in zip(values, others, strict=True)]
