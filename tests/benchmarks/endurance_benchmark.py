"""Endurance: a day's run in half an hour. Its seconds last 20 ms, all else is as in any run of 24 clients.

The load is light, so that there is processor time left for 1,200 samples a second, and the server need not wait for its
disk: only Spindle is measured. A tick holds few orders; what the samples of a day with 40 orders a second take, and how
fast they open, stands in the section on opening.
"""

import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from engine.databases.database import Timeouts
from engine.databases.postgresql.admin import opened
from engine.lab.server import EmbeddedServer
from engine.places import Places, find_places
from engine.plan.plan import RunPlan
from engine.target.target import EMBEDDED, Target
from engine.workloads.dvdstore.sizing import DbSize
from tests.benchmarks import child, measured
from tests.benchmarks.day_run import DayRun
from tests.benchmarks.endurance_growth import bytes_per_sample, computed_ledgers, computed_library, stored_pages
from tests.benchmarks.figures import Figure, Goal, against_goal, figure
from tests.benchmarks.opening_benchmark import opening_seconds
from tests.benchmarks.section import DAY_TICKS, Choices, Section
from tests.benchmarks.spindle import orders_beyond

_DATABASE = "endurance"
_SIZE = DbSize(10, "MB")
_CLIENTS, _USERS = 24, 2
_THINK_TIME_MS = 200.0
_TICK_SECONDS = 0.02
_WARMUP_TICKS = 60
_QUICK_TICKS = 1_500
# By then the first hour is packed, for which the run has loaded all that it ever loads.
_SETTLED_TICKS = 4_000
_QUARTERS = 4
_FLAT_MB, _FLAT_SHARE = 2.0, 0.05
_LIBRARY_GOAL = Goal(limit=1.1)
_OPEN_GOAL = Goal(limit=2.0)
_NONE_GOAL = Goal(limit=0.0)
_MB = 1_000_000


def run(chosen: Choices) -> list[Figure]:
    ticks = min(_QUICK_TICKS, chosen.ticks) if chosen.quick else chosen.ticks
    print(
        f"{_CLIENTS} clients of {_USERS} users, {_THINK_TIME_MS:g} ms think time;"
        f" {ticks:,} ticks of {_TICK_SECONDS * 1000:g} ms:"
        f" {ticks * _TICK_SECONDS / 60:.1f} min for {ticks / DAY_TICKS:.1%} of a day's ticks"
    )
    if ticks < DAY_TICKS:
        print(f"a whole day was NOT run; that is --ticks {DAY_TICKS}, {DAY_TICKS * _TICK_SECONDS / 60:.0f} min")
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder:
        places = find_places(measured.enterable(folder))
        told, stored = _drive(places, ticks)
        path = Path(told["library"])
        opening = [opening_seconds(DayRun(path, told["run_id"])) for _ in range(chosen.rounds)]
        return [
            *_judge_ticks(told),
            *_judge_memory(told["readings"], ticks),
            *_judge_growth(told, path, stored),
            against_goal(f"{told['ticks']:,} ticks: open", opening, _OPEN_GOAL, "s"),
        ]


def _drive(places: Places, ticks: int) -> tuple[dict[str, Any], int]:
    """What the run told of itself, and how many orders its store holds then beyond what was built."""
    plan = RunPlan(
        targets=(Target(kind=EMBEDDED, database=_DATABASE),),
        clients=_CLIENTS,
        threads=_USERS,
        think_time_ms=_THINK_TIME_MS,
        warmup_minutes=_WARMUP_TICKS / 60,
        minutes=(ticks - _WARMUP_TICKS) / 60,
    )
    with EmbeddedServer.attach(places.lab, notify=lambda _: None) as server:
        target = server.target(_DATABASE)
        measured.build(server, _DATABASE, _SIZE)
        with opened(target, server.secret, Timeouts()) as connection:
            connection.execute(f"ALTER DATABASE {_DATABASE} SET synchronous_commit = off")
        question = {"home": str(places.home), "plan": plan.to_dict(), "tick_seconds": _TICK_SECONDS}
        told: dict[str, Any] = child.ask("endurance_driver", question)
        return told, orders_beyond(target, server.secret)


def _judge_ticks(told: dict[str, Any]) -> list[Figure]:
    print(
        f"\n{told['samples']:,} samples; the latest left its client {told['worst_tick_late_ms']:.0f} ms after its"
        f" tick; before measuring, {told['late_before']:,} were with the run later than 100 ms"
    )
    return [
        against_goal("ticks without a sample", [told["missing"]], _NONE_GOAL, ""),
        against_goal("ticks later than 100 ms at their client", [told["late_ticks"]], _NONE_GOAL, ""),
        against_goal("measuring: samples at the run later than 100 ms", [told["late"]], _NONE_GOAL, ""),
        figure("measuring: latest sample at the run", "ms", [told["latest_ms"]]),
    ]


def _judge_memory(readings: dict[str, Any], ticks: int) -> list[Figure]:
    """Each process's median in the last quarter against the first, once all that is loaded has been."""
    settled = _SETTLED_TICKS if ticks >= 2 * _SETTLED_TICKS else ticks // _QUARTERS
    begin = sum(tick < settled for tick in readings["ticks"])
    held = {name: _by_quarter(values[begin:]) for name, values in readings["held_mb"].items()}
    first, *_, last = _by_quarter(readings["ticks"][begin:])
    clients = {name: values for name, values in held.items() if name.startswith("client")}
    worst = max(clients, key=lambda name: clients[name][-1] - clients[name][0])
    shown = {name: values for name, values in held.items() if name == worst or name not in clients}
    print(f"\n{f'MB, from tick {settled:,} on':<30} {'1st':>8} {'2nd':>8} {'3rd':>8} {'4th quarter':>12} {'a day':>8}")
    figures = []
    for name, values in shown.items():
        grown = values[-1] - values[0]
        a_day = grown / (last - first) * DAY_TICKS
        what = f"{name}, the worst of {len(clients)}" if name == worst else name
        print(f"{what:<30} {' '.join(f'{each:>8.2f}' for each in values[:-1])} {values[-1]:>12.2f} {a_day:>+8.2f}")
        goal = Goal(limit=round(max(_FLAT_MB, _FLAT_SHARE * values[0]), 2))
        what = "a client" if name == worst else name
        figures += [(f"memory of {what}: growth", grown, goal), (f"memory of {what}: at this rate a day", a_day, None)]
    print()
    return [
        figure(what, "MB", [grown]) if goal is None else against_goal(what, [grown], goal, "MB")
        for what, grown, goal in figures
    ]


def _by_quarter(values: list[float]) -> list[float]:
    """The medians of the quarters."""
    size = len(values) // _QUARTERS
    return [median(values[number * size : (number + 1) * size]) for number in range(_QUARTERS)]


def _judge_growth(told: dict[str, Any], library: Path, stored: int) -> list[Figure]:
    counted, pages, per_sample = told["counted"], stored_pages(library), bytes_per_sample(library)
    grown, computed = pages.used - told["used_before"], computed_library(library)
    ledgers = computed_ledgers(told["run_id"], counted, _CLIENTS)
    print(
        f"\nlibrary: grown by {grown / _MB:.2f} MB, computed {computed / _MB:.2f} MB"
        f" ({per_sample[-1]:.1f} bytes a sample in its last hour, {per_sample[0]:.1f} in its first; probe and events"
        f" beside);"
        f" {pages.free / _MB:.1f} MB free in the file for the rows of an hour;"
        f" log at most {told['largest_log_mb']:.1f} MB"
        f"\norders: counted {counted['orders']:,} = stored {stored:,} + rolled back {counted['rollbacks']:,};"
        f" ledgers {told['ledger_bytes']:,} bytes, computed {ledgers:,}"
    )
    if stored != counted["orders"] - counted["rollbacks"] or counted["in_doubt"]:
        raise AssertionError(f"NOT EXACT: {counted}, stored {stored:,}")
    return [
        against_goal("library: grown by, of what was computed", [grown / computed], _LIBRARY_GOAL, ""),
        against_goal("ledgers: bytes beside those computed", [abs(told["ledger_bytes"] - ledgers)], _NONE_GOAL, ""),
        figure("library: bytes a sample in the first hour", "B", per_sample[:1]),
        figure("library: bytes a sample in the last hour", "B", per_sample[-1:]),
        figure("library: log at most", "MB", [told["largest_log_mb"]]),
    ]


SECTION = Section("endurance", "Endurance: a day's ticks, accelerated", run)
