"""The processes of one run: its clients', the probe, the collectors'. ``Run`` uses it on its collector thread."""

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from multiprocessing.connection import Connection, wait
from typing import Any

from engine.analysis.driver_totals import together
from engine.collect.collector_process import CollectorStart, run_collectors
from engine.driver import sharing
from engine.driver.child_process import ChildProcess, keep_interrupts_from_children
from engine.driver.client_handle import ClientHandle, ClientProcess
from engine.driver.client_process import LAST_FLUSH_SECONDS
from engine.driver.cpu_meter import usable_processors
from engine.driver.messages import Begin, ClientStart, Measuring, ProbedStore, StartOrdering
from engine.driver.probe import run_probe
from engine.driver.process_health import beat_seconds
from engine.driver.start_gate import paces_of
from engine.driver.time_slices import user_time_slice_us
from engine.driver.timebase import Timebase
from engine.record.record import Phases

_LEAVE_SECONDS = 5.0
# Orders placed before the stop are still written to the ledgers.
_LEAVE_AT_ONCE_SECONDS = LAST_FLUSH_SECONDS + 0.5


class PipeClosed:
    """Received, instead of a message, from a process whose pipe has ended."""


PIPE_CLOSED = PipeClosed()


class RunProcesses:
    """The ``client_processes`` by number, the ``probe`` of the ``stores`` and the process of the ``collectors``.

    Of the last two each is ``None`` if there is nothing for it. They exist once spawned. ``labels``, the names of the
    clients of each process, are there from the beginning. The constructor may wait for a name server, see
    ``engine.driver.sharing``.
    """

    def __init__(
        self,
        starts: Sequence[ClientStart],
        labels: Mapping[int, str],
        stores: Sequence[ProbedStore] = (),
        collectors: Sequence[CollectorStart] = (),
    ) -> None:
        self.client_processes: dict[int, ClientProcess] = {}
        self.probe: ChildProcess | None = None
        self.collectors: ChildProcess | None = None
        is_here = cache(sharing.is_this_machine)
        self._shares = sharing.share_out(starts, usable_processors(), is_here)
        self._may_preempt = {share[0].client: sharing.may_preempt(share, is_here) for share in self._shares}
        self.labels = {
            share[0].client: f"client{'s' if share[1:] else ''} {together([labels[start.client] for start in share])}"
            for share in self._shares
        }
        self._labels = labels
        self._stores = stores
        self._collector_starts = collectors

    def spawn(self) -> None:
        keep_interrupts_from_children()
        for share in self._shares:
            process = ClientProcess(share, self._labels)
            self.client_processes[process.number] = process
        if self._stores:
            self.probe = ChildProcess(run_probe, tuple(self._stores), name="probe")
        if self._collector_starts:
            self.collectors = ChildProcess(run_collectors, tuple(self._collector_starts), name="collectors")

    @property
    def present(self) -> list[ClientProcess]:
        """The client processes that have not ended."""
        return [process for process in self.client_processes.copy().values() if not process.is_gone]

    @property
    def clients_present(self) -> list[ClientHandle]:
        """The clients of these processes."""
        return [client for process in self.present for client in process.clients.values()]

    def by_client(self, by_process: Mapping[int, float]) -> dict[int, float]:
        """Values by process number as values by client number."""
        return {
            client: value for number, value in by_process.items() for client in self.client_processes[number].clients
        }

    def begin(self, timebase: Timebase) -> None:
        """Send every process the run's epoch, and the client processes how they share the processors."""
        processes, processors = len(self.client_processes), usable_processors()
        for number, process in self.client_processes.items():
            process.send(
                Begin(
                    timebase=timebase,
                    beat_seconds=beat_seconds(processes),
                    user_time_slice_us=user_time_slice_us(processes, processors),
                    users_may_preempt=self._may_preempt[number],
                    loops=sharing.loops_of_each(processes, processors),
                )
            )
        if self.probe is not None:
            self.probe.send(Begin(timebase=timebase))

    def start_ordering(self, at_seconds: float, measuring_from: int, warmup_seconds: float) -> None:
        """Make all users begin to place orders at a second of the run, within a warm-up of so many real seconds."""
        users = [sum(start.threads for start in share) for share in self._shares]
        for process, pace in zip(self.client_processes.values(), paces_of(users, warmup_seconds), strict=True):
            process.send(StartOrdering(at_seconds=at_seconds, measuring_from=measuring_from, pace=pace))

    def send_phases(self, phases: Phases) -> None:
        """Send every client process which seconds are measured, once that is known."""
        if phases.measuring_from is not None:
            self.send(Measuring(first=phases.measuring_from, end=phases.measuring_to))

    def send(self, message: object) -> None:
        """Send every client process a message."""
        for process in self.client_processes.values():
            process.send(message)

    def receive(self, also: "Connection[Any, Any]", seconds: float) -> Iterator[tuple[ChildProcess | None, object]]:
        """The messages that have arrived with their senders, waiting at most ``seconds`` for the first one.

        The sender is ``None`` for the pipe ``also``. From a process whose pipe has ended comes ``PIPE_CLOSED``; after
        that it is marked as gone.
        """
        others = [child for child in (self.probe, self.collectors) if child is not None and not child.is_gone]
        children: list[ChildProcess] = [*self.present, *others]
        by_pipe: dict[object, ChildProcess] = {child.pipe: child for child in children}
        for pipe in wait([also, *(child.pipe for child in children)], timeout=max(0.0, seconds)):
            child = by_pipe.get(pipe)
            if child is None:
                yield None, also.recv()
                continue
            try:
                messages = child.pipe.recv()
            except (EOFError, OSError):
                yield child, PIPE_CLOSED
                child.is_gone = True
            else:
                for message in messages:
                    yield child, message

    def end(self, *, at_once: bool) -> None:
        """Close all pipes, which makes the processes exit, and kill those that do not in time."""
        others = [child for child in (self.probe, self.collectors) if child is not None]
        children: list[ChildProcess] = [*self.client_processes.values(), *others]
        for child in children:
            child.pipe.close()
        deadline = time.monotonic() + (_LEAVE_AT_ONCE_SECONDS if at_once else _LEAVE_SECONDS)
        for child in children:
            child.end(max(0.0, deadline - time.monotonic()))
