"""Storage runs beside fio alone: the same fio with the same arguments on the same file, in turn.

On a file in memory (``/dev/shm``, one thread, one read at a time, through the file cache) fio is limited by a processor
alone and is steady: whatever Spindle took from it would be seen. On a file of the disk (4 threads with 8 reads each,
without the file cache) the disk is the limit, and no steadier than it is: a pair of runs differs as much as fio differs
from itself. Who comes first changes from round to round; the relation is taken round by round. The first second of each
run counts for nobody. Beside fio, Spindle has a process that reads what fio prints once a second; its processor time is
that of the whole run, start included, for each second that it lasts.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.services.storage.access import Access
from engine.services.storage.fio.command import LIBAIO, PSYNC, fio_arguments
from engine.services.storage.fio.output import READ, statuses_of
from tests.benchmarks.figures import Figure, Goal, against_goal, figure, ratios
from tests.benchmarks.section import Choices, Section

_ROOT = Path(__file__).parents[2]
_MEMORY = Path("/dev/shm")
_WARMUP_SECONDS, _SECONDS, _QUICK_SECONDS = 1, 4, 2
_SAME = Goal(limit=3.0, either_way=True)
_LITTLE = Goal(limit=5.0)


@dataclass(frozen=True)
class _Case:
    """What is read: ``options`` are Spindle's for the same I/Os as ``access``."""

    title: str
    folder: Path
    access: Access
    engine: str
    options: tuple[str, ...]


_IN_MEMORY = _Case(
    "8K reads in memory",
    _MEMORY,
    Access(path="", file_mb=64, cached=True, engine=PSYNC),
    PSYNC,
    ("--threads", "1", "--queue-depth", "1", "--file-cache", "--engine", PSYNC),
)
_ON_DISK = _Case(
    "8K reads of the disk",
    _ROOT / "build",
    Access(path="", file_mb=256, threads=4, queue_depth=8, engine=LIBAIO),
    LIBAIO,
    ("--threads", "4", "--queue-depth", "8", "--engine", LIBAIO),
)


def run(chosen: Choices) -> list[Figure]:
    figures: list[Figure] = []
    for case in (_IN_MEMORY, _ON_DISK):
        if case.folder is _MEMORY and not _MEMORY.is_dir():
            print(f"{case.title}: left out, {_MEMORY} is missing")
            continue
        figures += _compared(case, chosen)
    return figures


def _compared(case: _Case, chosen: Choices) -> list[Figure]:
    """I/Os a second of both, how far Spindle's are from fio's, and what Spindle's process took."""
    seconds = _QUICK_SECONDS if chosen.quick else _SECONDS
    rounds = 1 if chosen.quick else 2 * chosen.rounds - 1
    alone: list[float] = []
    by_spindle: list[float] = []
    cpu_pct: list[float] = []
    with _written(case) as (home, path):
        for number in range(rounds):
            for who in ("fio", "spindle") if number % 2 == 0 else ("spindle", "fio"):
                if who == "fio":
                    alone.append(_fio_alone(case, path, seconds))
                else:
                    iops, percent = _spindle(case, home, path, seconds)
                    by_spindle.append(iops)
                    cpu_pct.append(percent)
    apart = [100 * (ratio - 1) for ratio in ratios(by_spindle, alone)]
    return [
        figure(f"{case.title}: I/Os per second of fio alone", "1/s", alone),
        figure(f"{case.title}: I/Os per second of a run", "1/s", by_spindle),
        against_goal(f"{case.title}: run against fio alone", apart, _SAME, "%"),
        against_goal(f"{case.title}: processor of Spindle's process", cpu_pct, _LITTLE, "%"),
    ]


@contextmanager
def _written(case: _Case) -> Iterator[tuple[Path, Path]]:
    """A home for the runs, and a file that was written in full."""
    case.folder.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="spindle-bench-") as home,
        tempfile.TemporaryDirectory(prefix="spindle-bench-", dir=case.folder) as folder,
    ):
        path = Path(folder) / "file"
        _call(home, "build", *_target(path), "--file-size", f"{case.access.file_mb}MB")
        yield Path(home), path


def _fio_alone(case: _Case, path: Path, seconds: int) -> float:
    """Reads a second between fio's report after the warm-up and its last one."""
    access = Access(**{**case.access.__dict__, "path": str(path)})
    words = fio_arguments(access, engine=case.engine, seconds=_WARMUP_SECONDS + seconds)
    printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    statuses = [status for status, _ in statuses_of(printed, "fio's output")]
    first = next(each for each in statuses if each.ran_ms >= 1000 * _WARMUP_SECONDS - 100)
    last = statuses[-1]
    return 1000 * (last.done[READ].ios - first.done[READ].ios) / (last.ran_ms - first.ran_ms)


def _spindle(case: _Case, home: Path, path: Path, seconds: int) -> tuple[float, float]:
    """Reads a second of a run, and the processor time of its client process in per cent of one processor."""
    result = home / "result.json"
    length = ("--warmup", f"{_WARMUP_SECONDS}s", "--minutes", f"{seconds}s")
    _call(str(home), "run", *_target(path), *case.options, *length, "--quiet", "--json", str(result))
    totals: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    (process,) = totals["driver"]
    used = process["cpu_user_seconds"] + process["cpu_system_seconds"]
    return totals["ios"] / totals["measured_seconds"], 100 * used / (_WARMUP_SECONDS + seconds)


def _target(path: Path) -> tuple[str, ...]:
    return ("--workload", "storage", "--target", f"storage://{path}")


def _call(home: str, *arguments: str) -> None:
    words = [sys.executable, "-m", "app", "--home", home, *arguments]
    done = subprocess.run(words, cwd=_ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"spindle {' '.join(arguments)} failed: {done.stderr}")


SECTION = Section("storage", "Storage runs beside fio alone", run)
