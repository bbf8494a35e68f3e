"""The tables of ``tests.benchmarks.truth_benchmark``: the times of each step beside both yardsticks, and the goals."""

from collections.abc import Mapping
from dataclasses import dataclass

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
    """One run over its counted seconds: the steps' times as the client saw them, and the server meanwhile."""

    seconds: float
    times: Mapping[str, Times]
    view: ServerView

    @property
    def orders_per_second(self) -> float:
        return self.times["order"].count / self.seconds

    def beyond_ms(self, step: str) -> float:
        """What the client's mean has beyond the server's own."""
        return self.times[step].mean_ms - self.view.server_mean(step)


@dataclass(frozen=True, kw_only=True)
class SeenByPgbench(Seen):
    """``loopback``: by trivial statement, the milliseconds of its round trips beyond the server's own time."""

    loopback: Mapping[str, list[float]]


@dataclass(frozen=True, kw_only=True)
class Round:
    """The same load by both."""

    spindle: Seen
    pgbench: SeenByPgbench

    def expected(self, step: str) -> Times:
        """What a client should see of a step in Spindle's run."""
        return expected(self.spindle.view.server[step], self.pgbench.loopback[_LOOPBACK[step]])


def print_and_judge(rounds: list[Round]) -> list[Figure]:
    """Print the tables; all of their figures."""
    return [*_loopbacks(rounds), *_comparison(rounds), *_inside_and_outside(rounds)]


def _loopbacks(rounds: list[Round]) -> list[Figure]:
    made = []
    for probe in dict.fromkeys(_LOOPBACK.values()):
        values = [_mean(each.pgbench.loopback[probe]) for each in rounds]
        print(f"loopback of a trivial {probe + ':':<13} {spread(values, '.3f')} ms beyond the server's own time")
        made.append(figure(f"loopback of a trivial {probe}", "ms", values))
    print("  first: after a pause of the think time, added to login and new_customer; hot: to browse and purchase\n")
    return made


def _comparison(rounds: list[Round]) -> list[Figure]:
    print(
        f"{'step':<13} {'of':<5} {'Spindle ms':>20} {'server + loopback':>20} {'% more':>20} {'':<6}"
        f" {'pgbench ms':>20} {'% more':>20}"
    )
    made = []
    for step in STEPS:
        for of in _GOALS:
            made += _row(step, of, rounds)
    print(
        "goals: mean and p50 within ±5 %, p99 within ±10 % of either; order: without price look-up and thinking;\n"
        "its percentiles are not known from the server"
    )
    return made


def _row(step: str, of: str, rounds: list[Round]) -> list[Figure]:
    """Print one line; its figures."""
    ours = [_time(each.spindle.times[step], of) for each in rounds]
    theirs = [_time(each.pgbench.times[step], of) for each in rounds]
    expected = _expected(step, of, rounds)
    against_pgbench = figure(f"{step}, {of}: Spindle against pgbench", "%", _percent(ours, theirs), _GOALS[of])
    made = [
        figure(f"{step}, {of}: Spindle", "ms", ours),
        figure(f"{step}, {of}: pgbench", "ms", theirs),
        against_pgbench,
    ]
    beside_server = f"{'–':>20} {'–':>20} {'':<6}"
    if expected is not None:
        judged = figure(f"{step}, {of}: Spindle against the server", "%", _percent(ours, expected), _GOALS[of])
        made += [figure(f"{step}, {of}: server and loopback", "ms", expected), judged]
        beside_server = f"{spread(expected, '.3f'):>20} {spread(judged.rounds, '+.1f'):>20} {judged.verdict:<6}"
    print(
        f"{step:<13} {of:<5} {spread(ours, '.3f'):>20} {beside_server}"
        f" {spread(theirs, '.3f'):>20} {spread(against_pgbench.rounds, '+.1f'):>20} {against_pgbench.verdict}"
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


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _percent(values: list[float], others: list[float]) -> list[float]:
    """By how much each of the values is more than the other one."""
    return [100 * (value / other - 1) for value, other in zip(values, others, strict=True)]
