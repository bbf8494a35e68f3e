"""The processes of one run: its clients', and the probe of its stores. ``Run`` keeps one, on its collector thread."""

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from multiprocessing.connection import Connection, wait
from typing import Any

from engine.analysis.driver_totals import together
from engine.driver import sharing
from engine.driver.child_process import ChildProcess, keep_interrupts_from_children
from engine.driver.client_handle import ClientHandle, ClientProcess
from engine.driver.client_process import LAST_FLUSH_SECONDS
from engine.driver.cpu_meter import usable_processors
from engine.driver.messages import Begin, ClientStart, Go, Measuring, ProbedStore
from engine.driver.probe import run_probe
from engine.driver.start_gate import paces_of
from engine.driver.timebase import Timebase
from engine.driver.turns import users_turn_us
from engine.driver.vitals import beat_seconds
from engine.record.record import Phases

_LEAVE_SECONDS = 5.0
# What was ordered until the stop is still put down in the ledgers.
_LEAVE_AT_ONCE_SECONDS = LAST_FLUSH_SECONDS + 0.5


class Gone:
    """Said of a process whose pipe has ended."""


GONE = Gone()


class Crew:
    """``processes`` and their ``clients`` by number, and the ``probe`` of the ``stores``, if there are any.

    They are there once spawned; ``labels``, what to call the clients of each process, from the beginning. Making a
    crew may wait for a name server, see ``engine.driver.sharing``.
    """

    def __init__(
        self, starts: Sequence[ClientStart], labels: Mapping[int, str], stores: Sequence[ProbedStore] = ()
    ) -> None:
        self.processes: dict[int, ClientProcess] = {}
        self.probe: ChildProcess | None = None
        is_here = cache(sharing.is_this_machine)
        self._shares = sharing.share_out(starts, usable_processors(), is_here)
        self._may_preempt = {share[0].client: sharing.may_preempt(share, is_here) for share in self._shares}
        self.labels = {
            share[0].client: f"client{'s' if share[1:] else ''} {together([labels[start.client] for start in share])}"
            for share in self._shares
        }
        self._labels = labels
        self._stores = stores

    def spawn(self) -> None:
        keep_interrupts_from_children()
        for share in self._shares:
            process = ClientProcess(share, self._labels)
            self.processes[process.number] = process
        if self._stores:
            self.probe = ChildProcess(run_probe, tuple(self._stores), name="probe")

    @property
    def present(self) -> list[ClientProcess]:
        """The client processes that are still there."""
        return [process for process in self.processes.copy().values() if not process.is_gone]

    @property
    def clients_present(self) -> list[ClientHandle]:
        """The clients of these processes."""
        return [client for process in self.present for client in process.clients.values()]

    def by_client(self, by_process: Mapping[int, float]) -> dict[int, float]:
        """What is known of processes, by the numbers of their clients."""
        return {client: value for number, value in by_process.items() for client in self.processes[number].clients}

    def begin(self, timebase: Timebase) -> None:
        """Tell every process when the run begins, and those of clients how they share the processors."""
        processes, processors = len(self.processes), usable_processors()
        for number, process in self.processes.items():
            process.send(
                Begin(
                    timebase=timebase,
                    beat_seconds=beat_seconds(processes),
                    users_turn_us=users_turn_us(processes, processors),
                    users_may_preempt=self._may_preempt[number],
                    loops=sharing.loops_of_each(processes, processors),
                )
            )
        if self.probe is not None:
            self.probe.send(Begin(timebase=timebase))

    def let_go(self, at_seconds: float, warmup_seconds: float) -> None:
        """Have all users begin to order from a second of the run on, within a warm-up of so many real seconds."""
        users = [sum(start.threads for start in share) for share in self._shares]
        for process, pace in zip(self.processes.values(), paces_of(users, warmup_seconds), strict=True):
            process.send(Go(at_seconds=at_seconds, pace=pace))

    def tell_phases(self, phases: Phases) -> None:
        """Tell every client process which seconds will be measured, as soon as that is known."""
        if phases.measuring_from is not None:
            self.send(Measuring(first=phases.measuring_from, end=phases.measuring_to))

    def send(self, message: object) -> None:
        """Tell every client process."""
        for process in self.processes.values():
            process.send(message)

    def hear(self, also: "Connection[Any, Any]", seconds: float) -> Iterator[tuple[ChildProcess | None, object]]:
        """What has arrived, from whom, waiting at most so long for the first word; ``None`` is the pipe ``also``.

        A process whose pipe has ended says ``GONE``, and is then marked as gone.
        """
        children: list[ChildProcess] = [*self.present]
        if self.probe is not None and not self.probe.is_gone:
            children.append(self.probe)
        by_pipe: dict[object, ChildProcess] = {child.pipe: child for child in children}
        for pipe in wait([also, *(child.pipe for child in children)], timeout=max(0.0, seconds)):
            child = by_pipe.get(pipe)
            if child is None:
                yield None, also.recv()
                continue
            try:
                messages = child.pipe.recv()
            except (EOFError, OSError):
                yield child, GONE
                child.is_gone = True
            else:
                for message in messages:
                    yield child, message

    def end(self, *, at_once: bool) -> None:
        """Let every process leave, as it does when its pipe ends, and end those that don't in time."""
        children: list[ChildProcess] = [*self.processes.values(), *([] if self.probe is None else [self.probe])]
        for child in children:
            child.pipe.close()
        deadline = time.monotonic() + (_LEAVE_AT_ONCE_SECONDS if at_once else _LEAVE_SECONDS)
        for child in children:
            child.end(max(0.0, deadline - time.monotonic()))
