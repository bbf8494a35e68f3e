"""The program of `make package`'s archive beside the one of the clone, in turn: from the command to the painted window
on a display of its own (Xvfb), and to second 0 of a run of 24 clients, when all their processes are ready.

The embedded server runs already, with its store. Without a package, or without Xvfb, the rest is measured.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

from PIL import ImageGrab

from tests.benchmarks.figures import Figure, Goal, against_goal
from tests.benchmarks.section import Choices, Section

_ROOT = Path(__file__).parents[2]
_ARCHIVES = "spindle-*-linux-*.tar.zst"
_CLONE = (sys.executable, "-m", "app")
_CLIENTS = 24
_DEADLINE_SECONDS = 300.0
_PAINTED_COLOURS = 50
_READY_GOAL = Goal(limit=2.0)
_WINDOW_GOAL = Goal(limit=1.5)
_BESIDE_CLONE_GOAL = Goal(limit=1.1)


def ready_seconds(command: Sequence[str], home: Path) -> float:
    """From a run's command to its second 0."""
    begun_at = time.time()  # noqa: TID251 - compared with the record's moment
    load = ("--clients", str(_CLIENTS), "--users", "1", "--think-time-ms", "200")
    done = subprocess.run(
        [*command, "--home", str(home), "run", *load, "--warmup", "0", "--minutes", "1s", "--quiet", "--json", "-"],
        cwd=_ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return datetime.fromisoformat(json.loads(done.stdout)["started_at"]).timestamp() - begun_at


def painted_seconds(command: Sequence[str], home: Path, display: str) -> float:
    """From the command to a window that shows more than its background."""
    variables = os.environ | {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
    begun_at = time.monotonic()
    window = subprocess.Popen([*command, "--home", str(home)], cwd=_ROOT, env=variables, stderr=subprocess.DEVNULL)
    try:
        while not _is_painted(display):
            if time.monotonic() - begun_at > _DEADLINE_SECONDS:
                raise TimeoutError(f"{command[0]} painted nothing within {_DEADLINE_SECONDS:.0f} s")
        return time.monotonic() - begun_at
    finally:
        window.terminate()
        window.wait()


def _is_painted(display: str) -> bool:
    return len(ImageGrab.grab(xdisplay=display).getcolors(1 << 20) or ()) > _PAINTED_COLOURS


@contextmanager
def _display() -> Iterator[str]:
    words = ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x800x24", "-ac", "-nolisten", "tcp"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            yield f":{server.stdout.readline().strip()}"
        finally:
            server.terminate()


def _unpacked(folder: Path) -> Path | None:
    """The program of the one archive in ``dist``, unpacked into a folder."""
    archives = list((_ROOT / "dist").glob(_ARCHIVES))
    if len(archives) != 1:
        return None
    folder.mkdir()
    subprocess.run(["tar", "--extract", "--zstd", "--file", archives[0], "--directory", folder], check=True)
    return folder / "spindle" / "spindle"


def run(chosen: Choices) -> list[Figure]:
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder:
        home = Path(folder, "home")
        commands: dict[str, Sequence[str]] = {"clone": _CLONE}
        if packed := _unpacked(Path(folder, "packed")):
            commands["packed"] = (str(packed),)
        else:
            print("without the packed program: run make package first")
        for words in (("lab", "start"), ("build", "--db-size", "10MB")):
            subprocess.run([*_CLONE, "--home", home, *words], cwd=_ROOT, capture_output=True, check=True)
        try:
            ready = partial(ready_seconds, home=home)
            figures += _in_turn(f"{_CLIENTS} clients ready", ready, commands, chosen.rounds, _READY_GOAL)
            if shutil.which("Xvfb"):
                with _display() as display:
                    painted = partial(painted_seconds, home=home, display=display)
                    figures += _in_turn("window", painted, commands, chosen.rounds, _WINDOW_GOAL)
        finally:
            subprocess.run([*_CLONE, "--home", home, "lab", "stop"], cwd=_ROOT, capture_output=True, check=True)
    return figures


def _in_turn(
    what: str,
    measure: Callable[[Sequence[str]], float],
    commands: Mapping[str, Sequence[str]],
    rounds: int,
    goal: Goal,
) -> list[Figure]:
    """The commands' figures in seconds, after a first time that counts for nobody, and their relation."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            seconds = measure(command)
            if number:
                taken[name].append(seconds)
    figures = [against_goal(f"{what}: {name}", values, goal, "s") for name, values in taken.items()]
    if "packed" in taken:
        relations = [packed / clone for packed, clone in zip(taken["packed"], taken["clone"], strict=True)]
        figures.append(against_goal(f"{what}: packed ÷ clone", relations, _BESIDE_CLONE_GOAL, ""))
    return figures


SECTION = Section("packed", "The packed program beside the clone", run)
