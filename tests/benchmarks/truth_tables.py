"""The tables of ``tests.benchmarks.truth_benchmark``: the times of each step beside both yardsticks, and the goals."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.benchmarks.figures import Figure, Goal, figure, spread
from tests.benchmarks.pgbench_log import Times
from tests.benchmarks.server_view import ServerView, expected

STEPS = ("login", "new_customer", "browse", "purchase", "order")
FIRST, SECOND, HOT = "first", "second", "hot"
_CALLS = ("login", "new_customer", "browse", "purchase")
_DRAWN_ORDERS = 100_000
_GOALS = {
    "mean": Goal(limit=5.0, either_way=True),
    "p50": Goal(limit=5.0, either_way=True),
    "p99": Goal(limit=10.0, either_way=True),
}


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One driver in the counted seconds: its steps' times as it tells them, by its packets, and by the server.

    ``ends``: by call, the milliseconds that the server says of the end of its transaction; ``beyond`` both: the
    milliseconds of a call that is the ``FIRST`` after a pause, of a ``SECOND`` behind a login, and of a ``HOT`` one.
    """

    seconds: float
    times: Mapping[str, Times]
    packets: Mapping[str, Times]
    view: ServerView
    ends: Mapping[str, Sequence[float]]
    beyond: Mapping[str, Sequence[float]]

    @property
    def orders_per_second(self) -> float:
        return self.times["order"].count / self.seconds

    def expected(self, step: str, of: str) -> float | None:
        """What a client should see by the server's view, ms; of an order only the mean is known, as its steps' sum."""
        if step in _CALLS:
            return _time(expected(*self._parts(step)), of)
        if of != "mean":
            return None
        return sum(expected(*self._parts(call)).mean_ms * self.per_order(call) for call in _CALLS)

    def per_order(self, call: str) -> float:
        """How many of a call an order has on average, entries and purchases each by themselves."""
        entries = ("login", "new_customer")
        orders = sum(self.times[each].count for each in (entries if call in entries else ("purchase",)))
        return self.times[call].count / orders

    def _parts(self, call: str) -> list[Sequence[float]]:
        return [self.view.server[call], self.ends[call], self.beyond_of(call)]

    def beyond_of(self, call: str) -> Sequence[float]:
        """The milliseconds beyond the server's of a call; of the searches, one stands behind each login."""
        if call != "browse":
            return self.beyond[HOT if call == "purchase" else FIRST]
        second = self.times["login"].count / self.times["browse"].count
        draw = np.random.default_rng(1)
        behind_a_log_in = draw.random(_DRAWN_ORDERS) < second
        drawn = {kind: draw.choice(self.beyond[kind], _DRAWN_ORDERS) for kind in (SECOND, HOT)}
        mixed: list[float] = np.where(behind_a_log_in, drawn[SECOND], drawn[HOT]).tolist()
        return mixed


@dataclass(frozen=True, kw_only=True)
class Round:
    """Both drivers in the same seconds.

    ``halves`` are the times of one half of pgbench's users and of the other, ``executions`` the means of
    pg_stat_statements by statement, of both drivers' calls together.
    """

    spindle: Seen
    pgbench: Seen
    halves: tuple[Mapping[str, Times], Mapping[str, Times]]
    executions: Mapping[str, float]


def print_and_judge(rounds: list[Round]) -> list[Figure]:
    """Print the tables; all of their figures."""
    return [
        *_on_the_wire(rounds),
        *_comparison(rounds),
        *_control(rounds),
        *_inside_and_outside(rounds),
    ]


def _on_the_wire(rounds: list[Round]) -> list[Figure]:
    """Print either driver's times beside those of its own packets; those of Spindle have the goals."""
    print(
        f"{'step':<13} {'of':<5} {'Spindle ms':>20} {'its packets ms':>20} {'% more':>20} {'':<6}"
        f" {'pgbench ms':>20} {'its packets ms':>20} {'% more':>20}"
    )
    made = []
    for step in STEPS:
        for of, goal in _GOALS.items():
            ours = [_time(each.spindle.times[step], of) for each in rounds]
            theirs = [_time(each.pgbench.times[step], of) for each in rounds]
            our_packets = [_time(each.spindle.packets[step], of) for each in rounds]
            their_packets = [_time(each.pgbench.packets[step], of) for each in rounds]
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


def _comparison(rounds: list[Round]) -> list[Figure]:
    print(
        f"{'step':<13} {'of':<5} {'Spindle ms':>20} {'server, all of it':>20} {'% more':>20} {'':<6}"
        f" {'pgbench as logged':>20} {'accounted for':>20} {'% more':>20}"
    )
    made = []
    for step in STEPS:
        for of in _GOALS:
            made += _row(step, of, rounds)
    print(
        "goals: mean and p50 within ±5 %, p99 within ±10 % of either. server, all of it: its work on the call, the\n"
        "end of the transaction, and what is beyond both; as if they were independent, and so of an order the mean\n"
        "alone. accounted for: pgbench's log less what it has beyond the packets of its own calls and what the\n"
        "server took longer for these; order: without price look-up and thinking"
    )
    return made


def _row(step: str, of: str, rounds: list[Round]) -> list[Figure]:
    """Print one line; its figures."""
    ours = [_time(each.spindle.times[step], of) for each in rounds]
    theirs = [_time(each.pgbench.times[step], of) for each in rounds]
    accounted = [accounted_ms(each, step, of) for each in rounds]
    against_pgbench = figure(f"{step}, {of}: Spindle against pgbench", "%", _percent(ours, accounted), _GOALS[of])
    made = [
        figure(f"{step}, {of}: Spindle", "ms", ours),
        figure(f"{step}, {of}: pgbench", "ms", theirs),
        figure(f"{step}, {of}: Spindle against pgbench as logged", "%", _percent(ours, theirs)),
        against_pgbench,
    ]
    beside_server = f"{'–':>20} {'–':>20} {'':<6}"
    expected_ms = _expected([each.spindle for each in rounds], step, of)
    if expected_ms:
        judged = figure(f"{step}, {of}: Spindle against the server", "%", _percent(ours, expected_ms), _GOALS[of])
        made += [figure(f"{step}, {of}: the server, all of it", "ms", expected_ms), judged]
        beside_server = f"{spread(expected_ms, '.3f'):>20} {spread(judged.rounds, '+.1f'):>20} {judged.verdict:<6}"
    print(
        f"{step:<13} {of:<5} {spread(ours, '.3f'):>20} {beside_server}"
        f" {spread(theirs, '.3f'):>20} {spread(accounted, '.3f'):>20}"
        f" {spread(against_pgbench.rounds, '+.1f'):>20} {against_pgbench.verdict}"
    )
    return made


def _control(rounds: list[Round]) -> list[Figure]:
    """Print how far pgbench is from itself and its packets from the server: no goals, but what can be known here."""
    print(f"\n{'pgbench, %':<13} {'of':<5} {'against itself':>20} {'packets: server':>20}")
    made = []
    for step in STEPS:
        for of in _GOALS:
            halves = [[_time(times[step], of) for times in each.halves] for each in rounds]
            itself = _percent([one for one, _ in halves], [other for _, other in halves])
            columns = [figure(f"{step}, {of}: pgbench against itself", "%", itself)]
            expected_ms = _expected([each.pgbench for each in rounds], step, of)
            if expected_ms:
                packets = [_time(each.pgbench.packets[step], of) for each in rounds]
                name = f"{step}, {of}: packets of pgbench against the server"
                columns.append(figure(name, "%", _percent(packets, expected_ms)))
            cells = [spread(each.rounds, "+.1f") for each in columns] + ["–"] * (2 - len(columns))
            print(f"{step:<13} {of:<5} " + " ".join(f"{cell:>20}" for cell in cells))
            made += columns
    print(
        "  no goals, but how much of a difference is noise: itself: one half of pgbench's users by how much more than\n"
        "  the other half; packets: of pgbench's calls, by how much more than the server's view of these, all of it"
    )
    return made


def _inside_and_outside(rounds: list[Round]) -> list[Figure]:
    """Print what the means are made of: the server's own time of either's calls, and what is beyond it."""
    print(
        f"\n{'mean, ms':<13} {'server: Spindle':>20} {'pgbench':>20} {'end of transaction':>20}"
        f" {'beyond: Spindle':>20} {'pgbench':>20} {'pg_stat_statements':>20}"
    )
    made = []
    for step in _CALLS:
        columns = {
            "the server's own mean": _means([each.spindle.view.server[step] for each in rounds]),
            "the server's own mean under pgbench": _means([each.pgbench.view.server[step] for each in rounds]),
            "mean of the end of its transaction": _means([each.spindle.ends[step] for each in rounds]),
            "mean beyond the server's": _means([each.spindle.beyond_of(step) for each in rounds]),
            "mean beyond the server's under pgbench": _means([each.pgbench.beyond_of(step) for each in rounds]),
            "mean of pg_stat_statements": [each.executions[step] for each in rounds if step in each.executions],
        }
        print(f"{step:<13} " + " ".join(f"{spread(each, '.3f') if each else '–':>20}" for each in columns.values()))
        made += [figure(f"{step}: {name}", "ms", each) for name, each in columns.items() if each]
    print("  pg_stat_statements: execution alone, of both drivers' calls together")
    return made


def _means(by_round: list[Sequence[float]]) -> list[float]:
    """By round; empty where there is nothing to take the mean of."""
    return [statistics.fmean(values) for values in by_round if values]


def _expected(seen: list[Seen], step: str, of: str) -> list[float]:
    """By round; empty where it is not known."""
    return [value for each in seen if (value := each.expected(step, of)) is not None]


def accounted_ms(each: Round, step: str, of: str) -> float:
    """What pgbench's packets would take if the server had worked on its calls as on Spindle's."""
    longer = server_ms(each.spindle, step, of) - server_ms(each.pgbench, step, of)
    return _time(each.pgbench.packets[step], of) + longer


def server_ms(seen: Seen, step: str, of: str) -> float:
    """What the server's work takes of a step; of an order that of its calls, as if these were independent."""
    if step in _CALLS:
        return _time(expected(seen.view.server[step]), of)
    if of == "mean":
        return sum(seen.view.server_mean(call) * seen.per_order(call) for call in _CALLS)
    return float(np.percentile(_drawn_orders_ms(seen), int(of[1:])))


def _drawn_orders_ms(seen: Seen) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Orders of as many calls as they have on average, whose times are drawn independently of each other."""
    draw = np.random.default_rng(1)
    orders = np.zeros(_DRAWN_ORDERS)
    is_new = draw.random(_DRAWN_ORDERS) < seen.per_order("new_customer")
    entries = {"login": ~is_new, "new_customer": is_new}
    for call in _CALLS:
        whole, more = divmod(seen.per_order(call), 1)
        counts = entries.get(call, whole + (draw.random(_DRAWN_ORDERS) < more))
        for number in range(int(counts.max())):
            orders += np.where(counts > number, draw.choice(seen.view.server[call], _DRAWN_ORDERS), 0.0)
    return orders


def _time(times: Times, of: str) -> float:
    return float(getattr(times, f"{of}_ms"))


def _percent(values: list[float], others: list[float]) -> list[float]:
    """By how much each of the values is more than the other one."""
    return [100 * (value / other - 1) for value, other in zip(values, others, strict=True)]
