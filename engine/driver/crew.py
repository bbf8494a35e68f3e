"""The processes of one run: its clients, and the probe of its stores. ``Run`` keeps one, on its collector thread."""

import time
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

from engine.driver.child_process import ChildProcess, keep_interrupts_from_children
from engine.driver.client_handle import ClientHandle
from engine.driver.messages import Begin, ClientStart, ProbedStore
from engine.driver.probe import run_probe
from engine.driver.timebase import Timebase
from engine.driver.vitals import beat_seconds

_LEAVE_SECONDS = 5.0


class Gone:
    """Said of a process whose pipe has ended."""


GONE = Gone()


class Crew:
    """``clients`` by their numbers, and the ``probe`` of the ``stores``, if there are any; there once spawned."""

    def __init__(
        self, starts: Sequence[ClientStart], labels: Mapping[int, str], stores: Sequence[ProbedStore] = ()
    ) -> None:
        self.clients: dict[int, ClientHandle] = {}
        self.probe: ChildProcess | None = None
        self._starts = starts
        self._labels = labels
        self._stores = stores

    def spawn(self) -> None:
        keep_interrupts_from_children()
        for start in self._starts:
            self.clients[start.client] = ClientHandle(start, self._labels[start.client])
        if self._stores:
            self.probe = ChildProcess(run_probe, tuple(self._stores), name="probe")

    @property
    def present(self) -> list[ClientHandle]:
        """The clients that are still there."""
        return [client for client in self.clients.copy().values() if not client.is_gone]

    def begin(self, timebase: Timebase) -> None:
        """Tell every process when the run begins, and the clients how often their hearts beat."""
        self.send(Begin(timebase=timebase, beat_seconds=beat_seconds(len(self.clients))))
        if self.probe is not None:
            self.probe.send(Begin(timebase=timebase))

    def send(self, message: object) -> None:
        """Tell every client."""
        for client in self.clients.values():
            client.send(message)

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
        children: list[ChildProcess] = [*self.clients.values(), *([] if self.probe is None else [self.probe])]
        for child in children:
            child.pipe.close()
        deadline = time.monotonic() + _LEAVE_SECONDS
        for child in children:
            child.end(0.0 if at_once else max(0.0, deadline - time.monotonic()))
