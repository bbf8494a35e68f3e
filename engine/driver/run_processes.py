"""The processes of one run: its clients', the probe, the collectors'. ``Run`` uses it on its collector thread."""

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from multiprocessing.connection import Connection, wait
from typing import Any

from engine.analysis.driver_totals import together
from engine.collect.collector_process import CollectorStart, run_collectors
from engine.driver import sharing
from engine.driver.child_process import ChildProcess, interrupts_kept_from_children
from engine.driver.client_handle import ClientHandle, ClientProcess
from engine.driver.client_process import LAST_FLUSH_SECONDS
from engine.driver.link import Launcher, Share, WorkerLink
from engine.driver.local_launcher import LocalLauncher
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
    """Received, instead of a message, from a process whose link has ended."""


PIPE_CLOSED = PipeClosed()


class RunProcesses:
    """The ``client_processes`` by number, the ``probe`` of the ``stores`` and the process of the ``collectors``.

    Of the last two each is ``None`` if there is nothing for it. They exist once spawned. ``labels``, the names of the
    clients of each process, are there from the beginning. ``placement`` has the launchers of the clients that are not
    driven from this machine, by their numbers. The constructor may wait for a name server, see
    ``engine.driver.sharing``.
    """

    def __init__(
        self,
        starts: Sequence[ClientStart],
        labels: Mapping[int, str],
        stores: Sequence[ProbedStore] = (),
        collectors: Sequence[CollectorStart] = (),
        placement: Mapping[int, Launcher] | None = None,
    ) -> None:
        self.client_processes: dict[int, ClientProcess] = {}
        self.probe: ChildProcess | None = None
        self.collectors: ChildProcess | None = None
        here = LocalLauncher()
        by_client = placement or {}
        self.launchers: list[Launcher] = list(dict.fromkeys(by_client.get(start.client, here) for start in starts))
        self._shares: list[tuple[Launcher, Share]] = [
            (launcher, share)
            for launcher in self.launchers
            for share in launcher.share_out([each for each in starts if by_client.get(each.client, here) is launcher])
        ]
        self._shares.sort(key=lambda each: each[1].number)
        self.labels = {
            share.number: f"client{'s' if share.starts[1:] else ''}"
            f" {together([labels[start.client] for start in share.starts])}"
            for _, share in self._shares
        }
        self._labels = labels
        self._stores = stores
        self._collector_starts = collectors

    @property
    def labels_here(self) -> dict[int, str]:
        """The ``labels`` of the processes on this machine."""
        return {share.number: self.labels[share.number] for launcher, share in self._shares if not launcher.machine}

    @property
    def lead_seconds(self) -> float:
        """How long before a moment of the run the processes have to be sent it."""
        return max(launcher.lead_seconds for launcher in self.launchers)

    def spawn(self) -> None:
        for launcher, share in self._shares:
            process = ClientProcess(launcher.launch(share), share, self._labels, launcher.machine)
            self.client_processes[process.number] = process
        with interrupts_kept_from_children():
            if self._stores:
                self.probe = ChildProcess(run_probe, tuple(self._stores), name="probe")
            if self._collector_starts:
                self.collectors = ChildProcess(run_collectors, tuple(self._collector_starts), name="collectors")

    @property
    def present(self) -> list[ClientProcess]:
        """The client processes that have not ended."""
        return [process for process in self.client_processes.copy().values() if not process.is_gone]

    @property
    def pids_here(self) -> dict[int, int]:
        """The process ids of those of them that are on this machine, by their numbers."""
        return {process.number: process.link.pid for process in self.present if not process.machine}

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
        """Send every process the run's epoch, and the client processes how they share their machine's processors."""
        in_order = sorted(self.client_processes.values(), key=lambda process: process.machine)
        processors = {launcher.machine: launcher.processors for launcher in self.launchers}
        for machine, of_machine in groupby(in_order, key=lambda process: process.machine):
            processes = list(of_machine)
            for process in processes:
                process.link.send(
                    Begin(
                        timebase=timebase,
                        beat_seconds=beat_seconds(len(processes)),
                        user_time_slice_us=user_time_slice_us(len(processes), processors[machine]),
                        users_may_preempt=process.may_preempt,
                        loops=sharing.loops_of_each(
                            len(processes), processors[machine], may_preempt=process.may_preempt
                        ),
                    )
                )
        if self.probe is not None:
            self.probe.send(Begin(timebase=timebase))

    def start_ordering(self, at_seconds: float, measuring_from: int, warmup_seconds: float) -> float:
        """Make all users begin to place orders at a second of the run, within a warm-up of so many real seconds.

        Returns how many seconds later the first user of the last process begins.
        """
        processes = self.client_processes.values()
        paces = paces_of([process.users for process in processes], warmup_seconds)
        for process, pace in zip(processes, paces, strict=True):
            process.link.send(StartOrdering(at_seconds=at_seconds, measuring_from=measuring_from, pace=pace))
        return max(pace.first_seconds for pace in paces)

    def send_phases(self, phases: Phases) -> None:
        """Send every client process which seconds are measured, once that is known."""
        if phases.measuring_from is not None:
            self.send(Measuring(first=phases.measuring_from, end=phases.measuring_to))

    def send(self, message: object) -> None:
        """Send every client process a message."""
        for process in self.client_processes.values():
            process.link.send(message)

    def receive(
        self, also: "Connection[Any, Any]", seconds: float
    ) -> Iterator[tuple[ClientProcess | WorkerLink | None, object]]:
        """The messages that have arrived with their senders, waiting at most ``seconds`` for the first one.

        The sender is ``None`` for the pipe ``also``. From a process whose link has ended comes ``PIPE_CLOSED``; after
        that it is marked as gone.
        """
        senders: dict[object, tuple[ClientProcess | WorkerLink, WorkerLink]] = {
            process.link.waitable: (process, process.link) for process in self.present
        }
        senders |= {link.waitable: (link, link) for link in self._others if not link.is_gone}
        for pipe in wait([also, *senders], timeout=max(0.0, seconds)):  # type: ignore[list-item]
            if pipe is also:
                yield None, also.recv()
                continue
            sender, link = senders[pipe]
            try:
                messages = link.receive()
            except (EOFError, OSError):
                yield sender, PIPE_CLOSED
                link.is_gone = True
            else:
                for message in messages:
                    yield sender, message

    def end(self, *, at_once: bool) -> None:
        """Close all links, which makes the processes exit, and kill those that do not in time."""
        links = [*(process.link for process in self.client_processes.values()), *self._others]
        for link in links:
            link.close()
        deadline = time.monotonic() + (_LEAVE_AT_ONCE_SECONDS if at_once else _LEAVE_SECONDS)
        for link in links:
            link.end(max(0.0, deadline - time.monotonic()))

    @property
    def _others(self) -> list[WorkerLink]:
        """The links of what has no clients."""
        all_links = (self.probe, self.collectors, *(launcher.news for launcher in self.launchers))
        return [link for link in all_links if link is not None]
