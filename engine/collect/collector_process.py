"""The process of a run's collectors: a thread for each, so that no machine waits for another.

``Run`` starts it beside the client processes and the probe. It reads from its start on, before the load begins, and
sends tuples of ``HostReading`` and ``CollectorStatus``. It ends when its pipe does, or, after the last readings and
states, when it is sent ``StopCollectors``.
"""

import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any

import psutil

from engine.collect.collector import Collector
from engine.collect.source import Source
from engine.telemetry.host import CollectorState, HostReading

# A reading is durable within a second: it may wait here as long as the library's writer gathers what it writes.
_FLUSH_SECONDS = 0.25
_STATUS_SECONDS = 5.0
_CHILDREN_SECONDS = 10.0
# Readings that the run does not take are given up, the oldest first.
_MOST_WAITING = 100_000
_LEAVE_SECONDS = 2.0
_STACK_BYTES = 512 * 1024


@dataclass(frozen=True, kw_only=True)
class CollectorStart:
    """A collector of a run: its ``number`` from 1, the machine's name, and what makes its source in the process."""

    number: int
    machine: str
    make_source: Callable[[], Source]


@dataclass(frozen=True)
class StopCollectors:
    """Stop reading, send what is left, and end."""


def run_collectors(pipe: "Connection[Any, Any]", starts: Sequence[CollectorStart]) -> None:
    """The process's main function; it returns when the run closes the pipe or has it stopped."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.stack_size(_STACK_BYTES)
    waiting: deque[HostReading] = deque(maxlen=_MOST_WAITING)
    collectors = [Collector(start.number, start.machine, start.make_source(), waiting.append) for start in starts]
    stop = threading.Event()
    # As daemons: one that is stuck in the system must not keep the process.
    threads = [
        threading.Thread(target=each.run, args=(stop,), name=f"collector-{start.machine}", daemon=True)
        for each, start in zip(collectors, starts, strict=True)
    ]
    for thread in threads:
        thread.start()
    sender = _Sender(pipe, collectors, waiting)
    try:
        while not pipe.poll(_FLUSH_SECONDS):
            sender.send()
        pipe.recv()
        is_asked = True
    except (EOFError, OSError):
        is_asked = False
    stop.set()
    deadline = time.monotonic() + _LEAVE_SECONDS
    for thread in threads:  # each ends what it has started
        thread.join(max(0.0, deadline - time.monotonic()))
    if is_asked:
        with suppress(OSError):
            sender.send(is_last=True)


class _Sender:
    """Sends the readings that wait, the states that have changed, and every five seconds all states."""

    def __init__(
        self, pipe: "Connection[Any, Any]", collectors: Sequence[Collector], waiting: "deque[HostReading]"
    ) -> None:
        self._pipe = pipe
        self._collectors = collectors
        self._waiting = waiting
        self._cost = _SharedCost()
        self._states: list[CollectorState] = []
        self._all_sent_at = float("-inf")

    def send(self, *, is_last: bool = False) -> None:
        """Send what there is; raises ``OSError`` when the run is gone."""
        messages: list[object] = [self._waiting.popleft() for _ in range(len(self._waiting))]
        statuses = [collector.status() for collector in self._collectors]
        states = [status.state for status in statuses]
        if is_last or states != self._states or time.monotonic() >= self._all_sent_at + _STATUS_SECONDS:
            self._all_sent_at, self._states = time.monotonic(), states
            own_seconds = sum(status.cpu_seconds for status in statuses)
            share = max(0.0, self._cost.seconds(now=is_last) - own_seconds) / len(statuses)
            messages += [replace(each, cpu_seconds=round(each.cpu_seconds + share, 3)) for each in statuses]
        if messages:
            self._pipe.send(tuple(messages))


class _SharedCost:
    """The processor time of this process and of what it has started, such as ``ssh``.

    What no collector's thread has taken is divided equally among the collectors.
    """

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._children_seconds = 0.0
        self._children_read_at = float("-inf")

    def seconds(self, *, now: bool) -> float:
        """All of it until now, what children have taken as of up to ten seconds ago unless ``now``."""
        if now or time.monotonic() >= self._children_read_at + _CHILDREN_SECONDS:  # it looks at every process here
            self._children_read_at = time.monotonic()
            self._children_seconds = sum(map(_seconds_of, self._process.children()))
        own = self._process.cpu_times()
        return float(own.user + own.system + own.children_user + own.children_system + self._children_seconds)


def _seconds_of(process: psutil.Process) -> float:
    with suppress(psutil.Error):
        times = process.cpu_times()
        return float(times.user + times.system)
    return 0.0
