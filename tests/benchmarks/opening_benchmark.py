"""Opening stored runs: the time until a run's counts are there to be drawn, and what the longest one costs."""

import tempfile
import time
from pathlib import Path

import psutil

from engine.library.library import Library
from engine.library.totals import totals_of
from tests.benchmarks.day_run import DayRun, store_day_run
from tests.benchmarks.figures import Figure, Goal, against_goal
from tests.benchmarks.section import Choices, Section

_CLIENTS = 24
_SIZES = ((1, 1.0), (24, 2.0))
_MB = 1_000_000


def opening_seconds(stored: DayRun) -> float:
    """The time to open the library, find the run and read its counts into a series."""
    begin = time.perf_counter()
    with Library.open(stored.path, notify=print) as library:
        record = library.run(stored.run_id)
        library.series(record.run_id)
    return time.perf_counter() - begin


def totals_seconds(stored: DayRun) -> float:
    """The time to compute a run's totals, which is most of what its end takes."""
    with Library.open(stored.path, notify=print) as library:
        record = library.run(stored.run_id)
        begin = time.perf_counter()
        totals_of(library, record.run_id, record.plan.client_plans(), record.phases)
    return time.perf_counter() - begin


def series_megabytes(stored: DayRun) -> float:
    """What this process grows by while it holds the run's series."""
    process = psutil.Process()
    with Library.open(stored.path, notify=print) as library:
        before = process.memory_info().rss
        series = library.series(stored.run_id)
        grown = process.memory_info().rss - before
    assert series.seconds
    return grown / _MB


def run(chosen: Choices) -> list[Figure]:
    figures = []
    for hours, goal_seconds in _SIZES:
        with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder:
            stored = store_day_run(Path(folder), clients=_CLIENTS, hours=hours)
            what = f"{_CLIENTS} clients × {hours} h"
            opening = [opening_seconds(stored) for _ in range(chosen.rounds)]
            figures.append(against_goal(f"{what}: open", opening, Goal(limit=goal_seconds), "s"))
            print(
                f"{what}: totals {totals_seconds(stored):.2f} s, file {_file_megabytes(stored):.0f} MB,"
                f" memory {series_megabytes(stored):.0f} MB"
            )
    return figures


def _file_megabytes(stored: DayRun) -> float:
    return stored.path.stat().st_size / _MB


SECTION = Section("opening", "Opening stored runs", run)
