"""One or several pgbench processes under measurement: started, watched second by second, and their reports read.

pgbench knows no warm-up. It tells its progress every second; what it and the system say of the seconds after the
warm-up, and of no others, is counted.
"""

import itertools
import os
import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from engine.driver.cpu_meter import usable_processors
from engine.lab.binaries import client_tool
from engine.secrets import Secret
from engine.target.target import Target
from tests.benchmarks.driven import NO_CPU, Cpu, Driven, cpu_of, peak_memory_mb

# The settings of Spindle's own sessions.
SESSION_OPTIONS = (
    "-c search_path=public -c plan_cache_mode=force_generic_plan -c client_min_messages=warning"
    " -c statement_timeout=30000"
)
_LONGEST_SECONDS = 3_600
_LOOK_SECONDS = 0.05
MOST_TRIES = 100  # of a deadlock's victim, as in Spindle
_PROGRESS = re.compile(
    r"^progress: (?P<at>[\d.]+) s, (?P<rate>[\d.]+) tps, .*?(?P<failed>\d+) failed"
    r"(?:, \d+ retried, (?P<retries>\d+) retries)?"
)


@dataclass(frozen=True, kw_only=True)
class Second:
    """A second of progress: when it ended, in seconds of the wall clock, and what was done in it."""

    ended_at: float
    orders_per_second: float
    failed: int
    retries: int


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A second, with what the process had used when it was over."""

    second: Second
    cpu: Cpu


def progress_of(line: str) -> Second | None:
    """What a line of pgbench's progress says; ``None`` for any other line."""
    found = _PROGRESS.match(line)
    if found is None:
        return None
    return Second(
        ended_at=float(found["at"]),
        orders_per_second=float(found["rate"]),
        failed=int(found["failed"]),
        retries=int(found["retries"] or 0),
    )


def orders_between(seen: Sequence[Seen]) -> int:
    """The orders of the seconds after the first one of ``seen``: each second's rate times its length."""
    return sum(
        round(each.second.orders_per_second * (each.second.ended_at - before.second.ended_at))
        for before, each in itertools.pairwise(seen)
    )


class Pgbench:
    """One pgbench process on one store, which has begun when this is made; ``wait`` for its end."""

    def __init__(
        self,
        target: Target,
        secret: Secret,
        folder: Path,
        scripts: Mapping[str, tuple[str, int]],
        *,
        users: int,
        threads: int,
        seconds: int,
        more: Sequence[str] = (),
    ) -> None:
        """``folder`` is its alone; ``scripts`` are texts and weights by name, ``more`` further options of pgbench's."""
        folder.mkdir(exist_ok=True)
        files = []
        for name, (text, weight) in scripts.items():
            file = folder / f"{name}.sql"
            file.write_text(text)
            files += ["-f", f"{file}@{weight}"]
        host = target.hosts[0]
        command = [
            str(client_tool("pgbench")), "-n", "-M", "prepared", "-P", "1", "--progress-timestamp",
            "-c", str(users), "-j", str(threads), "-T", str(seconds), "--max-tries", str(MOST_TRIES),
            "-h", host.name, "-p", str(host.port), "-U", target.user, *more, *files, target.database,
        ]  # fmt: skip
        environment = {**os.environ, "PGPASSWORD": secret.reveal(), "PGOPTIONS": SESSION_OPTIONS}
        self._popen = subprocess.Popen(
            command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self._process = psutil.Process(self._popen.pid)
        self._said: list[str] = []
        self.seen: list[Seen] = []
        self.peak_memory_mb = 0.0
        self._reader = threading.Thread(target=self._read, name="pgbench-reader")
        self._reader.start()

    @property
    def is_over(self) -> bool:
        return self._popen.poll() is not None

    def wait(self) -> str:
        """Wait for the end; the report. Raises ``RuntimeError`` when anything failed."""
        self._reader.join()
        report = "".join(self._said)
        if self._popen.wait() or self._has_failed():
            raise RuntimeError(f"pgbench failed: {report[-2000:]}")
        return report

    def end(self) -> None:
        """End it; what it said until now is read. Raises ``RuntimeError`` when anything failed, or it had ended."""
        code = self._popen.poll()
        self._popen.terminate()
        self._popen.wait()
        self._reader.join()
        if code is not None or self._has_failed():
            raise RuntimeError(f"pgbench failed: {''.join(self._said)[-2000:]}")

    def _has_failed(self) -> bool:
        return any(each.second.failed for each in self.seen) or any("aborted" in line for line in self._said)

    def _read(self) -> None:
        assert self._popen.stdout is not None
        with self._popen.stdout as lines:
            for line in lines:
                second = progress_of(line)
                if second is None:
                    self._said.append(line)
                    continue
                with suppress(psutil.NoSuchProcess):  # of its last second, when it was ended; nobody asks for that
                    self.seen.append(Seen(second=second, cpu=cpu_of(self._process)))
                    self.peak_memory_mb = max(self.peak_memory_mb, peak_memory_mb(self._process))


@dataclass(frozen=True, kw_only=True)
class Load:
    """The users of each store, and how long they work: first for nobody, then measured.

    ``threads`` drive them; left out, a pgbench has as many as there are processors, and one of several pgbenches one.
    """

    script: str
    users: int
    warmup_seconds: int
    seconds: int
    variables: Mapping[str, str] = field(default_factory=dict)
    threads: int | None = None


def drive(targets: Sequence[Target], secret: Secret, load: Load) -> Driven:
    """Drive each store with a pgbench of its own, all at once."""
    threads = load.threads or (min(load.users, usable_processors()) if len(targets) == 1 else 1)
    more = [part for name, value in load.variables.items() for part in ("-D", f"{name}={value}")]
    with tempfile.TemporaryDirectory(prefix="spindle-pgbench-") as folder:
        processes = [
            Pgbench(
                target, secret, Path(folder) / target.database, {"order": (load.script, 1)},
                users=load.users, threads=threads, seconds=_LONGEST_SECONDS, more=more,
            )
            for target in targets
        ]  # fmt: skip
        try:
            spans = _watched(processes, load)
        finally:
            for process in processes:
                process.end()
    lengths = [span[-1].second.ended_at - span[0].second.ended_at for span in spans]
    return Driven(
        orders=sum(orders_between(span) for span in spans),
        seconds=sum(lengths) / len(lengths),
        cpu=sum((span[-1].cpu - span[0].cpu for span in spans), NO_CPU),
        peak_memory_mb=sum(process.peak_memory_mb for process in processes),
        retries=sum(each.second.retries for span in spans for each in span[1:]),
        began_at=min(span[0].second.ended_at for span in spans),
    )


def _watched(processes: Sequence[Pgbench], load: Load) -> list[Sequence[Seen]]:
    """The counted seconds of each process: they begin when the one that connected last is through its warm-up."""
    while not all(len(process.seen) >= load.warmup_seconds for process in processes):
        _look_again(processes)
    begin = max(process.seen[load.warmup_seconds - 1].second.ended_at for process in processes)
    while not all(len(span_from(process.seen, begin)) > load.seconds for process in processes):
        _look_again(processes)
    return [span_from(process.seen, begin)[: load.seconds + 1] for process in processes]


def _look_again(processes: Sequence[Pgbench]) -> None:
    if any(process.is_over for process in processes):
        raise RuntimeError("pgbench ended before its time")
    time.sleep(_LOOK_SECONDS)


def span_from(seen: Sequence[Seen], begin: float) -> Sequence[Seen]:
    """The seconds that began at a moment or later, and before them the one at whose end they begin."""
    return [each for each in seen if each.second.ended_at >= begin]
