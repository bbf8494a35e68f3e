"""How long the OPM chart takes to show a new second: refresh and paint of 24 clients, jagged, at 1600×800; and how long
the Hosts tab takes with ten machines. Prints the times as JSON, for the section ``window``, which starts it."""

import argparse
import json
import os
import time
from dataclasses import asdict, dataclass

import numpy as np
from PySide6.QtWidgets import QApplication

from engine.analysis.run_data import RunData
from engine.analysis.series.blocks import CountBlock
from engine.analysis.series.headline_curves import Reading
from engine.analysis.series.rates import Series
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from tests.doubles.hosts import STARTED_AT, a_status, read_second
from tests.doubles.samples import dvd_sample
from widgets.live.headline_chart import HeadlineChart
from widgets.live.hosts_view import HostsView
from widgets.parts.look import Look

CLIENTS = 24
_MINUTE, _DAY = 60, 86_400
_CASES = (("24 clients × 10 min", 10 * _MINUTE, 16.0), ("24 clients × 24 h", _DAY, 33.0))
_MACHINES, _HOSTS_GOAL_MS = 10, 100.0
_WIDTH, _HEIGHT = 1600, 800
_WARM_UP = 5


@dataclass(frozen=True)
class Row:
    """One measured case with the time of each repaint; ``goal_ms`` is meant for the median."""

    case: str
    goal_ms: float
    times_ms: list[float]


def measure(rounds: int) -> list[Row]:
    """The cases one after another, off the screen unless there is an application already."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication.instance() or QApplication([])
    rows = []
    for case, seconds, goal_ms in _CASES:
        for reading in (Reading.SECOND, Reading.WINDOW):
            for total in (True, False):
                times = _times_ms(seconds, reading, rounds, total=total)
                name = f"{case}, {reading}{'' if total else ', clients alone'}"
                rows.append(Row(f"OPM chart, {name}", goal_ms, times))
    for case, seconds in (("10 machines × 10 min", 10 * _MINUTE), ("10 machines × 24 h", _DAY)):
        times = _hosts_times_ms(seconds, rounds)
        rows.append(Row(f"Hosts tab, {case}", _HOSTS_GOAL_MS, times))
    application.processEvents()
    return rows


def _times_ms(seconds: int, reading: Reading, rounds: int, *, total: bool) -> list[float]:
    """A tick each: a new second of every client, the curves brought up to date, the whole chart painted.

    Without the total the clients fill the height, and their lines are longest.
    """
    run = jagged_run(seconds)
    chart = HeadlineChart(Look())
    chart.resize(_WIDTH, _HEIGHT)
    chart.header.choose(reading)
    chart.show()
    chart.show_run(run)
    chart.set_visible({0: total})
    rng = np.random.default_rng(2)
    times = []
    for second in range(seconds, seconds + _WARM_UP + rounds):
        add_second(run, second, rng)
        begun = time.perf_counter()
        chart.refresh(second)
        chart.grab()
        times.append((time.perf_counter() - begun) * 1000)
    chart.close()
    chart.deleteLater()
    return times[_WARM_UP:]


def _hosts_times_ms(seconds: int, rounds: int) -> list[float]:
    """A tick each: a new second of every client and machine, all charts drawn and painted."""
    run, rng = jagged_run(seconds), np.random.default_rng(3)
    run.hosts.begin(STARTED_AT.timestamp())
    for number in range(1, _MACHINES + 1):
        run.hosts.take(a_status(number, f"db{number}"))
    for second in range(1, seconds + 1):
        read_second(run, second, rng, _MACHINES)
    view = HostsView(Look())
    view.resize(_WIDTH, _HEIGHT)
    view.show()
    view.show_run(run)
    times = []
    for second in range(seconds, seconds + _WARM_UP + rounds):
        add_second(run, second, rng)
        read_second(run, second + 1, rng, _MACHINES)
        begun = time.perf_counter()
        view.draw()
        view.grab()
        times.append((time.perf_counter() - begun) * 1000)
    view.close()
    view.deleteLater()
    return times[_WARM_UP:]


def jagged_run(seconds: int) -> RunData:
    """A run that is measuring, with orders that jump from second to second and an outage on the way."""
    rng = np.random.default_rng(1)
    series = Series(CLIENTS, seconds_hint=seconds)
    for client in range(1, CLIENTS + 1):
        orders = rng.integers(500, 900, seconds)
        orders[seconds // 2 : seconds // 2 + 5] = 0
        series.add_block(
            CountBlock(
                client=client,
                seconds=np.arange(seconds),
                counts={"covers": np.ones(seconds, int), "order.n": orders},
                transactions=("order",),
            )
        )
    run = RunData(RunPlan(clients=CLIENTS), series=series)
    run.set_state(RunState.MEASURING, Phases(warming_up_from=30, measuring_from=60))
    return run


def add_second(run: RunData, second: int, rng: np.random.Generator) -> None:
    """Every client tells of one more second."""
    for client, orders in enumerate(rng.integers(500, 900, CLIENTS), 1):
        run.add(dvd_sample(client=client, second=second, orders=int(orders)))


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m tests.benchmarks.repaint_benchmark")
    arguments.add_argument("--rounds", type=int, default=30)
    print(json.dumps([asdict(row) for row in measure(arguments.parse_args().rounds)]))


if __name__ == "__main__":
    main()
