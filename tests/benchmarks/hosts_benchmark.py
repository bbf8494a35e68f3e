"""What ten collectors cost, and how late their readings are: this workstation and nine Linux hosts over SSH, at 1 Hz.

The collectors run in their real process, and the nine hosts are nine connections to an SSH server on this machine, so
that each has the whole work of a host of its own: a connection's cryptography, an answer a second, a clock exchange,
some twenty figures. Processor time is that of the collectors' process and of its `ssh` clients between two moments of
the steady state, in per cent of one processor; the SSH server's and the remote shells' are a host's own cost and not
counted. Memory is that of the process at the same moments. A reading's lateness is from its moment to when the run has
it. A measurement takes four times `--seconds`.

Besides, what it costs a run that its database server is asked once a second what its sessions wait for
(`--server-waits`): the orders a second of 32 users without it and with it, in turn, on an embedded server whose store
was just reset.
"""

import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import psutil

from engine.collect.clock import utc_now
from engine.collect.collector_process import CollectorStart, StopCollectors, run_collectors
from engine.collect.sources.linux_ssh import LinuxSshSource
from engine.collect.sources.local import LocalSource
from engine.driver.child_process import ChildProcess
from engine.telemetry.host import CollectorStatus, HostReading
from tests.benchmarks.figures import Figure, Goal, against_goal, figure
from tests.benchmarks.section import Choices, Section
from tests.benchmarks.server_waits import server_waits_figures
from tests.doubles.ssh_server import SshServer, why_no_ssh_server

_HOSTS = 10
_SETTLING_SECONDS = 15.0
_ENDING_SECONDS = 5.0
_MB = 1_000_000


@dataclass
class Measured:
    """One measurement; lateness in seconds, by reading."""

    seconds: float
    process_cpu_pct: float
    ssh_cpu_pct: float
    grown_mb: float
    lateness: list[float] = field(default_factory=list)
    missing: int = 0

    @property
    def cpu_pct(self) -> float:
        return self.process_cpu_pct + self.ssh_cpu_pct


def measure(server: SshServer, seconds: float) -> Measured:
    """Start the collectors, let them settle, and measure for so long."""
    starts = [CollectorStart(number=1, machine="host1", make_source=LocalSource)]
    for number in range(2, _HOSTS + 1):
        machine = f"host{number}"
        source = partial(LinuxSshSource, server.access, machine=machine)
        starts.append(CollectorStart(number=number, machine=machine, make_source=source))
    child = ChildProcess(run_collectors, starts, name="collectors")
    try:
        _receive(child, time.monotonic() + _SETTLING_SECONDS)
        process = psutil.Process(child.pid)
        began, before, ssh_before = time.monotonic(), _cpu_seconds(process), _children_seconds(process)
        memory_before = process.memory_info().rss
        arrived = _receive(child, began + seconds)
        lasted = time.monotonic() - began
        measured = Measured(
            seconds=lasted,
            process_cpu_pct=100 * (_cpu_seconds(process) - before) / lasted,
            ssh_cpu_pct=100 * (_children_seconds(process) - ssh_before) / lasted,
            grown_mb=(process.memory_info().rss - memory_before) / _MB,
            lateness=[at - reading.utc_seconds for at, reading in arrived],
            missing=_missing([reading for _, reading in arrived]),
        )
        child.send(StopCollectors())
        _receive(child, time.monotonic() + _ENDING_SECONDS)
        return measured
    finally:
        child.pipe.close()
        child.end(_ENDING_SECONDS)


def _receive(child: ChildProcess, until: float) -> list[tuple[float, HostReading]]:
    """The readings that arrive until then, each with its moment; a state of failure ends the benchmark."""
    arrived: list[tuple[float, HostReading]] = []
    while (left := until - time.monotonic()) > 0:
        if not child.pipe.poll(left):
            continue
        try:
            messages = child.pipe.recv()
        except EOFError:
            break
        now = utc_now()
        for message in messages:
            if isinstance(message, HostReading):
                arrived.append((now, message))
            elif isinstance(message, CollectorStatus) and message.message:
                raise RuntimeError(message.message)
    return arrived


def _missing(readings: Sequence[HostReading]) -> int:
    """How many seconds between the first and the last reading of each host have none."""
    moments: dict[int, list[float]] = {}
    for reading in readings:
        moments.setdefault(reading.collector, []).append(reading.utc_seconds)
    return sum(round(each[-1] - each[0]) + 1 - len(each) for each in moments.values())


def _cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _children_seconds(process: psutil.Process) -> float:
    return sum(map(_cpu_seconds, process.children()))


def run(chosen: Choices) -> list[Figure]:
    return [*_collectors(chosen), *server_waits_figures(chosen)]


def _collectors(chosen: Choices) -> list[Figure]:
    if reason := why_no_ssh_server():
        print(f"left out: {reason}")
        return []
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder, SshServer(Path(folder)) as server:
        rounds = [measure(server, 4 * chosen.seconds) for _ in range(chosen.rounds)]
    return _figures(rounds)


def _figures(rounds: Sequence[Measured]) -> list[Figure]:
    hosts = f"{_HOSTS} hosts"
    late = [_percentiles(each.lateness) for each in rounds]
    process_pct = statistics.median(each.process_cpu_pct for each in rounds)
    ssh_pct = statistics.median(each.ssh_cpu_pct for each in rounds)
    print(
        f"{hosts}, {rounds[0].seconds:.0f} s: process {process_pct:.2f} %, ssh clients {ssh_pct:.2f} % of one processor"
    )
    return [
        against_goal(f"{hosts}: of one processor", [each.cpu_pct for each in rounds], Goal(limit=2.0), "%"),
        figure(f"{hosts}: of one processor, without ssh clients", "%", [each.process_cpu_pct for each in rounds]),
        against_goal(f"{hosts}: memory grown", [each.grown_mb for each in rounds], Goal(limit=1.0), "MB"),
        against_goal(f"{hosts}: lateness, median", [each[0] for each in late], Goal(limit=0.3), "s"),
        against_goal(f"{hosts}: lateness, p99", [each[1] for each in late], Goal(limit=0.75), "s"),
        figure(f"{hosts}: lateness, longest", "s", [each[2] for each in late]),
        against_goal(f"{hosts}: readings missing", [each.missing for each in rounds], Goal(limit=_HOSTS), ""),
    ]


def _percentiles(values: Sequence[float]) -> tuple[float, float, float]:
    ordered = sorted(values)
    return ordered[len(ordered) // 2], ordered[int(0.99 * len(ordered))], ordered[-1]


SECTION = Section("hosts", "Collectors of ten hosts", run)
