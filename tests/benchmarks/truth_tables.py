"""The tables of ``tests.benchmarks.truth_benchmark``: the times of each step beside both yardsticks, and the goals."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.benchmarks.figures import Figure, Goal, figure, spread
from tests.benchmarks.pgbench_log import Times
from tests.benchmarks.server_view import ServerView, expected

STEPS = ("login", "new_customer", "browse", "purchase", "order")
# What is added to the server's time of each step.
_LOOPBACK = {"login": "first read", "new_customer": "first write", "browse": "hot read", "purchase": "hot write"}
_CALLS = tuple(_LOOPBACK)
_DRAWN_ORDERS = 100_000
_Parts = dict[str, tuple[Sequence[float], Sequence[float]]]
_GOALS = {
    "mean": Goal(limit=5.0, either_way=True),
    "p50": Goal(limit=5.0, either_way=True),
    "p99": Goal(limit=10.0, either_way=True),
}


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What one driver saw in the counted seconds: its steps' times, and what the server said of its calls.

    ``loopback``: by trivial statement, the milliseconds of its round trips beyond the server's own time, timed as the
    steps are; ``loopback_woken`` until its sender took the answer, as pgbench's steps are.
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

    def expected(self, step: str, of: str) -> float | None:
        """What a client should see by the server's view, ms; of an order only the mean is known, as its steps' sum."""
        return known_ms(self, step, of, server=True) if step in _CALLS or of == "mean" else None

    def per_order(self, call: str) -> float:
        """How many of a call an order has on average, entries and purchases each by themselves."""
        entries = ("login", "new_customer")
        orders = sum(self.times[each].count for each in (entries if call in entries else ("purchase",)))
        return self.times[call].count / orders


@dataclass(frozen=True, kw_only=True)
class OnTheWire:
    """Either driver's steps by the packets of its calls; ``trouble`` says why nothing is known of them."""

    spindle: Mapping[str, Times]
    pgbench: Mapping[str, Times]
    trouble: str


@dataclass(frozen=True, kw_only=True)
class Round:
    """Both drivers in the same seconds. ``halves`` are one half of pgbench's users and the other, each by itself.

    ``executions`` are the means of pg_stat_statements by statement, of both drivers' calls together; ``wire`` is what
    passed over the loopback.
    """

    spindle: Seen
    pgbench: Seen
    halves: tuple[Seen, Seen]
    executions: Mapping[str, float]
    wire: OnTheWire


def print_and_judge(rounds: list[Round]) -> list[Figure]:
    """Print the tables; all of their figures."""
    return [
        *_on_the_wire(rounds),
        *_loopbacks(rounds),
        *_comparison(rounds),
        *_control(rounds),
        *_inside_and_outside(rounds),
    ]


def _on_the_wire(rounds: list[Round]) -> list[Figure]:
    """Print either driver's times beside those of its own packets; those of Spindle have the goals."""
    if trouble := next((each.wire.trouble for each in rounds if each.wire.trouble), ""):
        print(f"NOT compared with the packets on the loopback: {trouble}\n")
        return []
    print(
        f"{'step':<13} {'of':<5} {'Spindle ms':>20} {'its packets ms':>20} {'% more':>20} {'':<6}"
        f" {'pgbench ms':>20} {'its packets ms':>20} {'% more':>20}"
    )
    made = []
    for step in STEPS:
        for of, goal in _GOALS.items():
            ours = [_time(each.spindle.times[step], of) for each in rounds]
            theirs = [_time(each.pgbench.times[step], of) for each in rounds]
            our_packets = [_time(each.wire.spindle[step], of) for each in rounds]
            their_packets = [_time(each.wire.pgbench[step], of) for each in rounds]
            judged = figure(f"{step}, {of}: Spindle against its packets", "%", _percent(ours, our_packets), goal)
            beside = figure(f"{step}, {of}: pgbench against its packets", "%", _percent(theirs, their_packets))
            print(
                f"{step:<13} {of:<5} {spread(ours, '.3f'):>20} {spread(our_packets, '.3f'):>20}"
                f" {spread(judged.rounds, '+.1f'):>20} {judged.verdict:<6}"
                f" {spread(theirs, '.3f'):>20} {spread(their_packets, '.3f'):>20} {spread(beside.rounds, '+.1f'):>20}"
            )
            made += [figure(f"{step}, {of}: packets of Spindle", "ms", our_packets), judged, beside]
    print(
        "goals: mean and p50 within ±5 %, p99 within ±10 % of the time from the packet of a question to the last one\n"
        "of its answer, as the system stamped them: the server's waits and the end of its transactions are in it\n"
    )
    return made


def _loopbacks(rounds: list[Round]) -> list[Figure]:
    made = []
    columns: dict[str, Callable[[Round], Mapping[str, list[float]]]] = {
        "Spindle": lambda each: each.spindle.loopback,
        "until taken": lambda each: each.spindle.loopback_woken,
        "pgbench": lambda each: each.pgbench.loopback,
    }
    print(f"{'loopback of a trivial, mean ms':<30} " + " ".join(f"{name:>20}" for name in columns))
    for probe in dict.fromkeys(_LOOPBACK.values()):
        means = {name: [statistics.fmean(of(each)[probe]) for each in rounds] for name, of in columns.items()}
        print(f"{probe:<30} " + " ".join(f"{spread(each, '.3f'):>20}" for each in means.values()))
        made += [figure(f"loopback of a trivial {probe}, {name}", "ms", each) for name, each in means.items()]
    print(
        "  beyond the server's own time, of statements of the same shape as the steps that they stand for;\n"
        "  first: after a pause of the think time, for login and new_customer; hot: for browse and purchase;\n"
        "  until taken: of Spindle's trips, until their user went on, as pgbench times its own\n"
    )
    return made


def _comparison(rounds: list[Round]) -> list[Figure]:
    print(
        f"{'step':<13} {'of':<5} {'Spindle ms':>20} {'server + loopback':>20} {'% more':>20} {'':<6}"
        f" {'pgbench ms':>20} {'loopback accounted':>20} {'all accounted':>20}"
    )
    made = []
    for step in STEPS:
        for of in _GOALS:
            made += _row(step, of, rounds)
    print(
        "goals: mean and p50 within ±5 %, p99 within ±10 % of either; all accounted: pgbench's log less what it has\n"
        "beyond the packets of its calls (without packets: the loopback), and what the server took for each of them;\n"
        "order: without price look-up and thinking; what is known of its percentiles is that of its calls, as if they\n"
        "were independent of each other, so it is not judged by the server"
    )
    return made


def _row(step: str, of: str, rounds: list[Round]) -> list[Figure]:
    """Print one line; its figures."""
    ours = [_time(each.spindle.times[step], of) for each in rounds]
    theirs = [_time(each.pgbench.times[step], of) for each in rounds]
    loopbacks = [_percent_more(each.spindle, each.pgbench, step, of, server=False) for each in rounds]
    beside_loopback = figure(f"{step}, {of}: Spindle against pgbench, the loopback alone accounted for", "%", loopbacks)
    accounted = [_percent_more_accounted(each, step, of) for each in rounds]
    against_pgbench = figure(f"{step}, {of}: Spindle against pgbench", "%", accounted, _GOALS[of])
    made = [
        figure(f"{step}, {of}: Spindle", "ms", ours),
        figure(f"{step}, {of}: pgbench", "ms", theirs),
        figure(f"{step}, {of}: Spindle against pgbench as logged", "%", _percent(ours, theirs)),
        beside_loopback,
        against_pgbench,
    ]
    beside_server = f"{'–':>20} {'–':>20} {'':<6}"
    expected_ms = _expected([each.spindle for each in rounds], step, of)
    if expected_ms:
        judged = figure(f"{step}, {of}: Spindle against the server", "%", _percent(ours, expected_ms), _GOALS[of])
        made += [figure(f"{step}, {of}: server and loopback", "ms", expected_ms), judged]
        beside_server = f"{spread(expected_ms, '.3f'):>20} {spread(judged.rounds, '+.1f'):>20} {judged.verdict:<6}"
    print(
        f"{step:<13} {of:<5} {spread(ours, '.3f'):>20} {beside_server}"
        f" {spread(theirs, '.3f'):>20} {spread(loopbacks, '+.1f'):>20}"
        f" {spread(against_pgbench.rounds, '+.1f'):>20} {against_pgbench.verdict}"
    )
    return made


def _control(rounds: list[Round]) -> list[Figure]:
    """Print how far pgbench is from itself and from its own server + loopback: no goals, but what can be known here."""
    print(f"\n{'pgbench, %':<13} {'of':<5} {'against itself':>20} {'server + loopback':>20}")
    made = []
    for step in STEPS:
        for of in _GOALS:
            itself = [_percent_more(*each.halves, step, of, server=False) for each in rounds]
            columns = [figure(f"{step}, {of}: pgbench against itself", "%", itself)]
            expected_ms = _expected([each.pgbench for each in rounds], step, of)
            if expected_ms:
                theirs = [_time(each.pgbench.times[step], of) for each in rounds]
                name = f"{step}, {of}: pgbench against the server"
                columns.append(figure(name, "%", _percent(theirs, expected_ms)))
            cells = [spread(each.rounds, "+.1f") for each in columns] + ["–"] * (2 - len(columns))
            print(f"{step:<13} {of:<5} " + " ".join(f"{cell:>20}" for cell in cells))
            made += columns
    print(
        "  no goals, but how much of a difference is noise: itself: one half of pgbench's users by how much more than\n"
        "  the other half, loopback accounted for in the same way; of half as many calls: more is by chance;\n"
        "  server + loopback: pgbench, judged as Spindle is, by how much more than the server's view of its own calls"
    )
    return made


def _inside_and_outside(rounds: list[Round]) -> list[Figure]:
    """Print what the means are made of: the server's own time of either's calls, and what the client has beyond it."""
    print(
        f"\n{'mean, ms':<13} {'server: Spindle':>20} {'pgbench':>20} {'beyond it: Spindle':>20} {'pgbench':>20}"
        f" {'pg_stat_statements':>20}"
    )
    made = []
    for step in _CALLS:
        columns = {
            "the server's own mean": [each.spindle.view.server_mean(step) for each in rounds],
            "the server's own mean under pgbench": [each.pgbench.view.server_mean(step) for each in rounds],
            "mean of Spindle beyond the server's": [each.spindle.beyond_ms(step) for each in rounds],
            "mean of pgbench beyond the server's": [each.pgbench.beyond_ms(step) for each in rounds],
        }
        executions = [each.executions[step] for each in rounds if step in each.executions]
        if executions:
            columns["mean of pg_stat_statements"] = executions
        cells = [spread(each, ".3f") for each in columns.values()] + ["–"] * (not executions)
        print(f"{step:<13} " + " ".join(f"{cell:>20}" for cell in cells))
        made += [figure(f"{step}: {name}", "ms", each) for name, each in columns.items()]
    print("  pg_stat_statements: execution alone, of both drivers' calls together")
    return made


def _expected(seen: list[Seen], step: str, of: str) -> list[float]:
    """By round; empty where it is not known."""
    return [value for each in seen if (value := each.expected(step, of)) is not None]


def _percent_more(ours: Seen, theirs: Seen, step: str, of: str, *, server: bool) -> float:
    """By how much a driver's time of a step is more than another's, loopback and perhaps server accounted for."""
    longer = known_ms(ours, step, of, server=server) - known_ms(theirs, step, of, server=server)
    return _percent([_time(ours.times[step], of)], [_time(theirs.times[step], of) + longer])[0]


def _percent_more_accounted(each: Round, step: str, of: str) -> float:
    """By how much Spindle's time of a step is more than pgbench's, all that is known to differ accounted for."""
    if each.wire.trouble:
        return _percent_more(each.spindle, each.pgbench, step, of, server=True)
    longer = [known_ms(seen, step, of, server=True, loopback=False) for seen in (each.spindle, each.pgbench)]
    expected_ms = _time(each.wire.pgbench[step], of) + longer[0] - longer[1]
    return _percent([_time(each.spindle.times[step], of)], [expected_ms])[0]


def known_ms(seen: Seen, step: str, of: str, *, server: bool, loopback: bool = True) -> float:
    """What the loopback and the server, or one of them, take of a step; of an order by its calls, as if independent."""
    nothing = [0.0]
    parts: _Parts = {
        call: (seen.view.server[call] if server else nothing, seen.loopback[probe] if loopback else nothing)
        for call, probe in _LOOPBACK.items()
    }
    if step in _CALLS:
        return _time(expected(*parts[step]), of)
    if of == "mean":
        return sum(expected(*parts[call]).mean_ms * seen.per_order(call) for call in _CALLS)
    return float(np.percentile(_drawn_orders_ms(seen, parts), int(of[1:])))


def _drawn_orders_ms(seen: Seen, parts: _Parts) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Orders of as many calls as they have on average, whose times are drawn independently of each other."""
    draw = np.random.default_rng(1)
    orders = np.zeros(_DRAWN_ORDERS)
    is_new = draw.random(_DRAWN_ORDERS) < seen.per_order("new_customer")
    entries = {"login": ~is_new, "new_customer": is_new}
    for call in _CALLS:
        whole, more = divmod(seen.per_order(call), 1)
        counts = entries.get(call, whole + (draw.random(_DRAWN_ORDERS) < more))
        for number in range(int(counts.max())):
            times = sum(draw.choice(values, _DRAWN_ORDERS) for values in parts[call])
            orders += np.where(counts > number, times, 0.0)
    return orders


def _time(times: Times, of: str) -> float:
    return float(getattr(times, f"{of}_ms"))


def _percent(values: list[float], others: list[float]) -> list[float]:
    """By how much each of the values is more than the other one."""
    return [100 * (value / other - 1) for value, other in zip(values, others, strict=True)]
