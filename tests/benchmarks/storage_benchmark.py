"""Storage runs beside fio alone: the same fio with the same arguments, at the same time, on a file of its own.

The speed of a virtual disk changes by more than 3 % from one run of a few seconds to the next. Hence both read in the
same seconds, and what slows one down slows the other down as well; from round to round they change files. Each has 4
threads with 8 reads each, without the file cache, and the disk is the limit. fio alone is started before the run, is
stopped after it, and is counted from its first status to its last one in the measured seconds of the run. Beside its
fio, Spindle has a process that reads what fio prints once a second; its processor time is that of the whole run, start
included, for each second that it lasts.
"""

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from engine.services.storage.access import Access
from engine.services.storage.fio.command import LIBAIO, LONGEST_SECONDS, fio_arguments
from engine.services.storage.fio.output import READ, statuses_of
from tests.benchmarks.figures import Figure, Goal, against_goal, figure, ratios
from tests.benchmarks.section import Choices, Section

_ROOT = Path(__file__).parents[2]
_FOLDER = _ROOT / "build"
_WARMUP_SECONDS, _SECONDS, _QUICK_SECONDS = 1, 10, 3
_SAME = Goal(limit=3.0, either_way=True)
_LITTLE = Goal(limit=5.0)


# What is read, and Spindle's options for the same reads.
_ACCESS = Access(path="", file_mb=256, threads=4, queue_depth=8, engine=LIBAIO)
_OPTIONS = ("--threads", "4", "--queue-depth", "8", "--engine", LIBAIO)
_READS = "8K reads of the disk"


@dataclass(frozen=True)
class _Done:
    """What a run did: I/Os a second, and the processor time of its client process in per cent of one processor.

    It measured between ``began_at`` and ``ended_at``, in seconds since the epoch.
    """

    iops: float
    cpu_pct: float
    began_at: float
    ended_at: float


def run(chosen: Choices) -> list[Figure]:
    """I/Os a second of both, how far Spindle's are from fio's, and what Spindle's process took."""
    seconds = _QUICK_SECONDS if chosen.quick else _SECONDS
    rounds = 1 if chosen.quick else 2 * chosen.rounds - 1
    alone: list[float] = []
    by_spindle: list[float] = []
    cpu_pct: list[float] = []
    with _written() as (home, files):
        for number in range(rounds):
            for_spindle, for_fio = files if number % 2 == 0 else reversed(files)
            printed = home / "fio.json"
            with _fio_alone(for_fio, printed):
                done = _spindle(home, for_spindle, seconds)
            by_spindle.append(done.iops)
            cpu_pct.append(done.cpu_pct)
            alone.append(_reads_per_second(printed, done))
    apart = [100 * (ratio - 1) for ratio in ratios(by_spindle, alone)]
    return [
        figure(f"{_READS}: I/Os per second of fio alone", "1/s", alone),
        figure(f"{_READS}: I/Os per second of a run", "1/s", by_spindle),
        against_goal(f"{_READS}: run against fio alone", apart, _SAME, "%"),
        against_goal(f"{_READS}: processor of Spindle's process", cpu_pct, _LITTLE, "%"),
    ]


@contextmanager
def _written() -> Iterator[tuple[Path, tuple[Path, Path]]]:
    """A home for the runs, and two files that were written in full."""
    _FOLDER.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="spindle-bench-") as home,
        tempfile.TemporaryDirectory(prefix="spindle-bench-", dir=_FOLDER) as folder,
    ):
        files = (Path(folder) / "one", Path(folder) / "two")
        for path in files:
            _call(home, "build", *_target(path), "--file-size", f"{_ACCESS.file_mb}MB")
        yield Path(home), files


@contextmanager
def _fio_alone(path: Path, printed: Path) -> Iterator[None]:
    """Runs fio meanwhile; ``printed`` then has its output."""
    words = fio_arguments(replace(_ACCESS, path=str(path)), engine=LIBAIO, seconds=LONGEST_SECONDS)
    with (
        printed.open("w", encoding="utf-8") as output,
        subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output) as process,
    ):
        try:
            yield
        finally:
            process.send_signal(signal.SIGINT)


def _reads_per_second(printed: Path, run: _Done) -> float:
    """Between the first and the last status of fio in the measured seconds of the run."""
    statuses = [status for status, _ in statuses_of(printed.read_text(encoding="utf-8"), "fio's output")]
    within = [each for each in statuses if run.began_at <= each.at_ms / 1000 <= run.ended_at]
    first, last = within[0], within[-1]
    return 1000 * (last.done[READ].ios - first.done[READ].ios) / (last.ran_ms - first.ran_ms)


def _spindle(home: Path, path: Path, seconds: int) -> _Done:
    result = home / "result.json"
    length = ("--warmup", f"{_WARMUP_SECONDS}s", "--minutes", f"{seconds}s")
    _call(str(home), "run", *_target(path), *_OPTIONS, *length, "--quiet", "--json", str(result))
    totals: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    (process,) = totals["driver"]
    used = process["cpu_user_seconds"] + process["cpu_system_seconds"]
    second_0 = datetime.fromisoformat(totals["started_at"]).timestamp()
    return _Done(
        iops=totals["ios"] / totals["measured_seconds"],
        cpu_pct=100 * used / (_WARMUP_SECONDS + seconds),
        began_at=second_0 + totals["phases"]["measuring_from"],
        ended_at=second_0 + totals["phases"]["measuring_to"],
    )


def _target(path: Path) -> tuple[str, ...]:
    return ("--workload", "storage", "--target", f"storage://{path}")


def _call(home: str, *arguments: str) -> None:
    words = [sys.executable, "-m", "app", "--home", home, *arguments]
    done = subprocess.run(words, cwd=_ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"spindle {' '.join(arguments)} failed: {done.stderr}")


SECTION = Section("storage", "Storage runs beside fio alone", run)
