"""A run's client processes on a load machine: their links, and the launcher through which the agent starts them."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

from engine.cluster.mailbox import Mailbox
from engine.cluster.messages import CloseProcess, Launch, SharedOut, ToProcess
from engine.driver.link import Share
from engine.driver.messages import Begin, ClientStart, Ready

Send = Callable[[object], None]
ToMachine = Callable[[float], float]
"""Translates a moment of this machine's monotonic clock to that of a load machine."""
_POLL_SECONDS = 0.02


class RemoteLink:
    """The link to a client process on a load machine, see ``engine.driver.link.WorkerLink``.

    The stream's thread calls ``put`` and ``report_ended``; the other methods are the run's.
    """

    def __init__(self, process: int, machine: str, send: Send, to_machine: ToMachine) -> None:
        self.name = f"client-{process} on {machine}"
        self.is_gone = False
        self.pid = 0
        self._process = process
        self._send = send
        self._to_machine = to_machine
        self._mailbox = Mailbox()
        self._how = ""

    @property
    def waitable(self) -> "Connection[Any, Any]":
        return self._mailbox.waitable

    def put(self, messages: Sequence[object]) -> None:
        """Add messages that the process has sent."""
        for message in messages:
            if isinstance(message, Ready):
                self.pid = message.pid
        self._mailbox.put(*messages)

    def report_ended(self, how: str) -> None:
        """The process has ended, or its machine is lost; ``how`` in words. What came before is still received."""
        self._how = self._how or how
        self._mailbox.end()

    def send(self, message: object) -> None:
        if self.is_gone:
            return
        if isinstance(message, Begin):
            epoch = self._to_machine(message.timebase.epoch)
            message = replace(message, timebase=replace(message.timebase, epoch=epoch))
        self._send(ToProcess(self._process, message))

    def receive(self) -> Sequence[object]:
        return self._mailbox.take()

    def how_it_ended(self) -> str:
        return self._how

    def close(self) -> None:
        self._send(CloseProcess(self._process))

    def end(self, within_seconds: float) -> None:
        """Wait for the process; the agent kills it where it must."""
        self.is_gone = True
        deadline = time.monotonic() + within_seconds
        while not self._how and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        self._mailbox.close()


class MachineNews:
    """The reports of a load machine itself, as a link that nothing is sent to; the stream's thread calls ``put``."""

    pid = 0

    def __init__(self, machine: str) -> None:
        self.name = machine
        self.is_gone = False
        self._mailbox = Mailbox()
        self.put = self._mailbox.put

    @property
    def waitable(self) -> "Connection[Any, Any]":
        return self._mailbox.waitable

    def receive(self) -> Sequence[object]:
        return self._mailbox.take()

    def send(self, message: object) -> None:
        """Nothing is sent to a machine as such."""

    def how_it_ended(self) -> str:
        return ""

    def close(self) -> None:
        """The machine is still needed for its ledgers."""

    def end(self, within_seconds: float) -> None:
        self.is_gone = True
        self._mailbox.close()


class RemoteLauncher:
    """The launcher of one load machine, see ``engine.driver.link.Launcher``.

    ``ask`` requests the agent to share out clients and returns its answer; it raises ``UserError`` if none comes.
    """

    def __init__(
        self,
        machine: str,
        processors: int,
        news: MachineNews,
        send: Send,
        ask: Callable[[Sequence[ClientStart]], SharedOut],
        to_machine: ToMachine,
        lead_seconds: Callable[[], float],
        clock_error_ms: Callable[[], float],
    ) -> None:
        self.machine = machine
        self.processors = processors
        self.news = news
        self.links: dict[int, RemoteLink] = {}
        self._send = send
        self._ask = ask
        self._to_machine = to_machine
        self._lead_seconds = lead_seconds
        self._clock_error_ms = clock_error_ms

    @property
    def lead_seconds(self) -> float:
        return self._lead_seconds()

    @property
    def clock_error_ms(self) -> float:
        return self._clock_error_ms()

    def share_out(self, starts: Sequence[ClientStart]) -> list[Share]:
        """As the agent decides: it knows the processors of its machine, and which servers are on it."""
        by_number: Mapping[int, ClientStart] = {start.client: start for start in starts}
        return [
            Share(starts=tuple(by_number[client] for client in clients), may_preempt=may_preempt)
            for clients, may_preempt in self._ask(starts).shares
        ]

    def launch(self, share: Share) -> RemoteLink:
        link = RemoteLink(share.number, self.machine, self._send, self._to_machine)
        self.links[share.number] = link
        self._send(Launch(share.number))
        return link
