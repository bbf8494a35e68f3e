"""The window: a new second on the OPM chart and on the Hosts tab of ten machines, computed and painted at 1600×800;
from the command to the first paint; and how long 24 running clients hold its thread up.

Each in a process of its own: Qt must not be loaded here, since the driver's clients import this program's main module.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.figures import Figure, Goal, against_goal
from tests.benchmarks.section import Choices, Section

_ROOT = Path(__file__).parents[2]
_START_UP_GOAL = Goal(limit=1.5)
_HELD_UP_GOAL = Goal(limit=50.0)


def _child(*arguments: str, module: str = "window_process") -> tuple[float, Any]:
    """When a window's process was begun, and what it printed."""
    begun_at = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", f"tests.benchmarks.{module}", *arguments],
        cwd=_ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return begun_at, json.loads(done.stdout.splitlines()[-1])


def start_up_seconds(home: Path) -> float:
    """From the start of the interpreter to the painted window."""
    begun_at, told = _child("start-up", str(home))
    return float(told["painted_at"]) - begun_at


def run(chosen: Choices) -> list[Figure]:
    _, rows = _child("--rounds", str(10 * chosen.rounds), module="repaint_benchmark")
    repaints = [against_goal(row["case"], row["times_ms"], Goal(limit=row["goal_ms"]), "ms") for row in rows]
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder:
        home = Path(folder)
        home.chmod(0o755)  # as root the embedded server runs under another account, which has to be able to enter
        start_up_seconds(home)  # the first time, the interpreter compiles
        times = [start_up_seconds(home) for _ in range(chosen.rounds)]
        start_up = against_goal("start-up to the painted window", times, _START_UP_GOAL, "s")
        _, told = _child("heartbeat", str(home), str(chosen.seconds))
    late = sorted(told["late_ms"])
    worst = told["late_ms"].index(late[-1])
    held_up = against_goal("24 clients: GUI thread held up, longest", [late[-1]], _HELD_UP_GOAL, "ms")
    print(
        f"  99 of 100 beats within {late[int(0.99 * len(late))]:.1f} ms; in the longest the thread itself computed"
        f" {told['computed_ms'][worst]:.1f} ms, at most {max(told['computed_ms']):.1f} ms in any;"
        f" the run made {told['opm']:,} OPM beside it"
    )
    return [*repaints, start_up, held_up]


SECTION = Section("window", "The window", run)
