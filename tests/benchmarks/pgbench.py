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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from engine.lab.binaries import client_tool
from engine.secrets import Secret
from engine.target import Target
from tests.benchmarks.driven import NO_CPU, Cpu, Driven, cpu_of, peak_memory_mb

# The settings of Spindle's own sessions.
SESSION_OPTIONS = "-c search_path=public -c plan_cache_mode=force_generic_plan -c statement_timeout=30000"
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
        """``scripts`` are texts and weights by name, ``more`` further options of pgbench's."""
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

    def wait(self) -> str:
        """Wait for the end; the report. Raises ``RuntimeError`` when anything failed."""
        self._reader.join()
        code = self._popen.wait()
        report = "".join(self._said)
        failed = sum(each.second.failed for each in self.seen)
        if code or failed or "aborted" in report:
            raise RuntimeError(f"pgbench failed ({failed} orders): {report[-2000:]}")
        return report

    def _read(self) -> None:
        assert self._popen.stdout is not None
        with self._popen.stdout as lines:
            for line in lines:
                second = progress_of(line)
                if second is None:
                    self._said.append(line)
                    continue
                self.seen.append(Seen(second=second, cpu=cpu_of(self._process)))
                self.peak_memory_mb = max(self.peak_memory_mb, peak_memory_mb(self._process))


@dataclass(frozen=True, kw_only=True)
class Load:
    """The users of each store, and how long they work: first for nobody, then measured."""

    script: str
    users: int
    warmup_seconds: int
    seconds: int
    variables: Mapping[str, str] = field(default_factory=dict)


def drive(targets: Sequence[Target], secret: Secret, load: Load) -> Driven:
    """Drive each store with a pgbench of its own, all at once."""
    threads = min(load.users, os.cpu_count() or 1) if len(targets) == 1 else 1
    more = [part for name, value in load.variables.items() for part in ("-D", f"{name}={value}")]
    # All must still be at work when the one that connected last is through its warm-up.
    slack = 1 + len(targets) // 4
    with tempfile.TemporaryDirectory(prefix="spindle-pgbench-") as folder:
        processes = [
            Pgbench(
                target, secret, Path(folder), {"order": (load.script, 1)},
                users=load.users, threads=threads, seconds=load.warmup_seconds + load.seconds + slack, more=more,
            )
            for target in targets
        ]  # fmt: skip
        for process in processes:
            process.wait()
    begin = max(process.seen[load.warmup_seconds - 1].second.ended_at for process in processes)
    spans = [_span(process.seen, begin, load.seconds) for process in processes]
    lengths = [span[-1].second.ended_at - span[0].second.ended_at for span in spans]
    return Driven(
        orders=sum(orders_between(span) for span in spans),
        seconds=sum(lengths) / len(lengths),
        cpu=sum((span[-1].cpu - span[0].cpu for span in spans), NO_CPU),
        peak_memory_mb=sum(process.peak_memory_mb for process in processes),
        retries=sum(each.second.retries for span in spans for each in span[1:]),
    )


def _span(seen: Sequence[Seen], begin: float, seconds: int) -> Sequence[Seen]:
    """The seconds of a process that are counted, and before them the one at whose end they begin."""
    first = next(number for number, each in enumerate(seen) if each.second.ended_at >= begin)
    if first + seconds >= len(seen):
        raise RuntimeError(f"pgbench told of {len(seen)} seconds only; {seconds} from number {first} on are counted")
    return seen[first : first + seconds + 1]
