"""The controller's side of one agent: its stream, its clock, its client processes, and whether it is silent or lost."""

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from engine.cluster.messages import (
    GRACE_SECONDS,
    SILENT_SECONDS,
    FetchLedger,
    FromProcess,
    Hello,
    LedgerPiece,
    MachineReady,
    MeterEvent,
    MeterReport,
    Ping,
    Pong,
    ProcessEnded,
    SharedOut,
    ShareOut,
    StopUsers,
)
from engine.cluster.remote_launcher import MachineNews, RemoteLauncher
from engine.cluster.stream.stream import HEARTBEAT_SECONDS, Stream
from engine.collect.clock import utc_now
from engine.collect.clock_offset import EXCHANGES, ClockOffset, Offset
from engine.collect.source import ClockExchange
from engine.driver.machine_messages import MachineEvent, MachineReport
from engine.driver.messages import ClientStart
from engine.errors import UserError
from engine.figure_text import significant
from engine.telemetry.event import EventCode, EventKind, RunEvent

_FIRST_PINGS_SECONDS = 0.03
_LEAST_LEAD_SECONDS = 0.5
_LEAD_ROUND_TRIPS = 20
_ANSWER_SECONDS = 30.0
_DRIFT_SECONDS = 0.005


class AgentIsLost(UserError):  # noqa: N818 - it reads as what it is
    """Nothing came from the agent for longer than the grace, and it has not connected again."""


class RemoteAgent:
    """The agent on ``machine`` that drives ``clients``; ``labels`` are their names.

    The methods that begin with ``on_`` are called on the thread of the ``loop``, the others from any.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, machine: str, clients: Sequence[int], labels: Mapping[int, str]
    ) -> None:
        self.machine = machine
        self.clients = tuple(clients)
        self.described: Mapping[str, Any] = {}
        self.ledgers = ""
        self.session = ""
        self.lost_because = ""
        self.stream = Stream(loop, self.on_message, self._on_control)
        self.news = MachineNews(machine)
        self.launcher: RemoteLauncher | None = None
        self.offset = ClockOffset()
        self.utc_ahead_seconds = 0.0
        self.is_ready = threading.Event()
        self._exchanges = 0
        self._labels = labels
        self._answers: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._silent_since: float | None = None
        self._began_with: Offset | None = None
        self._has_reported_drift = False

    @property
    def is_lost(self) -> bool:
        return bool(self.lost_because)

    def ask(self, message: object, is_answer: Callable[[Any], bool]) -> Any:
        """Send a message and wait for its answer. Raises ``AgentIsLost``.

        An answer to an earlier message, which was given up, is dropped.
        """
        self._check_is_there()
        self.stream.send(message)
        deadline = time.monotonic() + _ANSWER_SECONDS
        while (left := deadline - time.monotonic()) > 0:
            with suppress(queue.Empty):
                received = self._answers.get(timeout=left)
                self._check_is_there()
                if is_answer(received):
                    return received
        raise AgentIsLost(f"load machine {self.machine} does not answer.")

    def share_out(self, starts: Sequence[ClientStart]) -> SharedOut:
        """Have the agent share out its clients among processes. Raises ``AgentIsLost``."""
        labels = {start.client: self._labels[start.client] for start in starts}
        shared: SharedOut = self.ask(
            ShareOut(starts=tuple(starts), labels=labels), lambda answer: isinstance(answer, SharedOut)
        )
        return shared

    def ledger_piece(self, client: int, offset: int) -> LedgerPiece:
        """The piece of a client's ledger that begins at a byte. Raises ``AgentIsLost``."""
        piece: LedgerPiece = self.ask(
            FetchLedger(client, offset),
            lambda answer: isinstance(answer, LedgerPiece) and (answer.client, answer.offset) == (client, offset),
        )
        return piece

    def to_machine(self, moment: float) -> float:
        """A moment of this machine's monotonic clock, by the agent's."""
        assert self.offset.now is not None, "exchanges come first"
        if self._began_with is None:
            self._began_with = self.offset.now
        return moment + self._began_with.seconds

    @property
    def error_seconds(self) -> float:
        """The largest error of the offset that the run uses."""
        used = self._began_with or self.offset.now
        return used.error_seconds if used is not None else float("inf")

    def lead_seconds(self) -> float:
        return max(_LEAST_LEAD_SECONDS, _LEAD_ROUND_TRIPS * 2 * self.error_seconds)

    def refusal_of(self, hello: Hello) -> str:
        """Why the agent is not accepted, as a clause; empty if it is."""
        if self.session and hello.session != self.session:
            return f"{self.machine} has an agent of this run already"
        return ""

    async def on_connection(self, hello: Hello, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Use a connection of the agent as long as it lasts; from an agent that was given up, only the ledgers are
        fetched."""
        self.session = hello.session
        if self.is_lost and self._silent_since is not None:
            now = time.monotonic()
            self._report_back(now, "its clients are lost; their ledgers are fetched when the run is over", now)
        pinging = asyncio.create_task(self._ping())
        try:
            await self.stream.carry(reader, writer, hello.received)
        finally:
            pinging.cancel()

    def on_check(self, now: float) -> None:
        """Report when the agent has become silent, and give it up after its grace."""
        if self.is_lost or not self.session:
            return
        silent_seconds = now - self.stream.heard_at
        if self._silent_since is None and silent_seconds > SILENT_SECONDS:
            self._silent_since = self.stream.heard_at
            self._report(
                EventCode.LOAD_MACHINE_LOST,
                f"load machine {self.machine} was lost",
                {"silent_seconds": round(silent_seconds, 1)},
                "nothing comes from it; its seconds are missing until it is back",
                now,
            )
        elif self._silent_since is not None and silent_seconds < SILENT_SECONDS:
            self._report_back(self.stream.heard_at, "its samples of that time come late", now)
        if silent_seconds > GRACE_SECONDS:
            self.on_lost(f"load machine {self.machine} was silent for {silent_seconds:.0f} s")
        elif self._began_with is not None and not self._has_reported_drift:
            self._check_drift(self._began_with, now)

    def on_lost(self, how: str) -> None:
        """The run goes on without the agent, except for its ledgers; ``how`` it was lost is a clause."""
        if self.is_lost:
            return
        self.lost_because = how
        self.stream.abort()
        self.stream.send(StopUsers())
        if self.launcher is not None:
            for link in self.launcher.links.copy().values():
                link.report_ended(how)
        self._answers.put(None)

    def on_message(self, message: object) -> None:
        """Handle a message of the agent."""
        match message:
            case FromProcess() if self.launcher is not None:
                self.launcher.links[message.process].put(message.messages)
            case ProcessEnded() if self.launcher is not None:
                self.launcher.links[message.process].report_ended(message.how)
            case MeterEvent(event):
                number = event.number
                self.news.put(MachineEvent(machine=self.machine, event=replace(event, number=0), number=number))
            case MeterReport(report):
                self.news.put(MachineReport(machine=self.machine, report=report))
            case SharedOut() | LedgerPiece():
                self._answers.put(message)
            case MachineReady():
                self.described = message.described
                self.ledgers = message.ledgers
                self.launcher = RemoteLauncher(
                    self.machine,
                    message.processors,
                    self.news,
                    self.stream.send,
                    self.share_out,
                    self.to_machine,
                    self.lead_seconds,
                    lambda: round(1000 * self.error_seconds, 3),
                )
                self._check_ready()

    def _check_is_there(self) -> None:
        if self.is_lost and not self.stream.is_connected:
            raise AgentIsLost(f"{self.lost_because}.")

    async def _ping(self) -> None:
        while True:
            self.stream.send_control(Ping(time.monotonic()))
            await asyncio.sleep(HEARTBEAT_SECONDS if self._exchanges >= EXCHANGES else _FIRST_PINGS_SECONDS)

    def _on_control(self, message: object, received_at: float) -> None:
        if not isinstance(message, Pong):
            return
        # The four moments exclude the time that the agent took to answer (RFC 5905, section 8).
        answered_at = received_at - (message.sent_at - message.received_at)
        self.offset.add(
            ClockExchange(
                sent_utc_seconds=message.ping_sent_at,
                source_utc_seconds=message.received_at,
                answered_utc_seconds=answered_at,
            )
        )
        assert self.offset.now is not None
        here = utc_now() - time.monotonic()
        self.utc_ahead_seconds = message.utc_seconds - message.sent_at + self.offset.now.seconds - here
        self._exchanges += 1
        self._check_ready()

    def _check_ready(self) -> None:
        if self._exchanges >= EXCHANGES and self.launcher is not None:
            self.is_ready.set()

    def _check_drift(self, began_with: Offset, now: float) -> None:
        present = self.offset.now
        if present is None or not present.contradicts(began_with, _DRIFT_SECONDS):
            return
        self._has_reported_drift = True
        ahead_ms = round(1000 * (present.seconds - began_with.seconds), 3)
        self._report(
            EventCode.LOAD_MACHINE_CLOCK_DRIFTED,
            f"the clock of load machine {self.machine} went {significant(abs(ahead_ms))} ms"
            f" {'ahead' if ahead_ms > 0 else 'behind'}",
            {"ahead_ms": ahead_ms, "error_ms": round(1000 * present.error_seconds, 3)},
            "its seconds and the run's are no longer the same",
            now,
        )

    def _report_back(self, heard_at: float, detail: str, moment: float) -> None:
        assert self._silent_since is not None, "it was lost"
        seconds, self._silent_since = round(heard_at - self._silent_since, 1), None
        label = f"load machine {self.machine} is back after {seconds:g} s"
        self._report(EventCode.LOAD_MACHINE_BACK, label, {"silent_seconds": seconds}, detail, moment)

    def _report(self, code: EventCode, label: str, data: Mapping[str, Any], detail: str, moment: float) -> None:
        event = RunEvent(
            at_seconds=0.0,
            kind=EventKind.WARNING,
            code=code,
            label=label,
            data=data,
            detail=detail,
        )
        self.news.put(MachineEvent(machine=self.machine, event=event, moment=moment))
