"""The agent: the process on a load machine that spawns client processes there and passes their messages to the run.

Its main thread serves the client processes and the meters of the machine; the connection has a thread of its own. An
agent that receives nothing from its run for ``GRACE_SECONDS`` stops its users: no load may run unsupervised. It keeps
their ledgers and tries to reach the run again, and ends when nothing listens at the run's address any more. Client
processes end by themselves when they receive nothing from the agent, because it was killed or suspended.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import wait

from engine.analysis.headline import headline_in_common
from engine.cluster.agent_connection import AgentConnection
from engine.cluster.agent_ledgers import AgentLedgers
from engine.cluster.mailbox import Mailbox
from engine.cluster.messages import (
    GRACE_SECONDS,
    CloseProcess,
    EndAgent,
    FetchLedger,
    FromProcess,
    Launch,
    MachineReady,
    MeterEvent,
    MeterReport,
    ProcessEnded,
    Refused,
    SharedOut,
    ShareOut,
    StopUsers,
    ToProcess,
)
from engine.cluster.starter import AgentStart
from engine.collect.clock import utc_now
from engine.driver.child_process import ChildProcess
from engine.driver.link import Share
from engine.driver.local_launcher import LocalLauncher
from engine.driver.messages import Begin, HealthReport, KeepAlive, OrderingBegan, Stop
from engine.driver.workstation_monitor import WorkstationMonitor
from engine.places import find_places
from engine.telemetry.event import RunEvent
from engine.telemetry.workstation import ProcessSummary, WorkstationLoad, WorkstationReport
from engine.workstation import describe_workstation

ENDED_ALONE, REFUSED = 2, 3
"""Exit codes: nothing came from the run any more; the run refused the agent."""
# The first connection may have to wait until the run listens.
_FIRST_CONTACT_SECONDS = 30.0
# Waiting is cheap, as the agent has no users by then. If the run can't be reached within this time, the ledgers stay on
# the disk.
_LAST_CONTACT_SECONDS = 3600.0
_LONGEST_WAIT_SECONDS = 0.25
# Client processes flush their ledgers within a second when their pipes end.
_LAST_FLUSH_SECONDS = 1.5
_LEAVE_SECONDS = 5.0
_KEEP_ALIVE_SECONDS = 1.0
# Longer than the run's grace, so that an agent that was suspended for less than that loses no user.
_CLIENTS_GRACE_SECONDS = GRACE_SECONDS + 2.0


def run_agent(start: AgentStart, utc: Callable[[], float] = utc_now) -> None:
    """The process's main function; it exits with 0 when the run has ended it. ``utc`` is the machine's time of day."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setsid"):
        with suppress(PermissionError):  # it is the leader of a session already
            os.setsid()  # as each client process has: Linux may divide processors between sessions
    folder = find_places().home / "load-machine" / start.machine
    sys.exit(_Agent(start, AgentLedgers(folder, start.run_id), utc).run())


class _Agent:
    def __init__(self, start: AgentStart, ledgers: AgentLedgers, utc: Callable[[], float]) -> None:
        self._inbox = Mailbox()
        self._connection = AgentConnection(start, self._inbox, utc)
        self._launcher = LocalLauncher()
        self._ledgers = ledgers
        self._shares: dict[int, Share] = {}
        self._links: dict[int, ChildProcess] = {}
        self._monitor: WorkstationMonitor | None = None
        self._has_begun = False
        self._kept_alive: list[ChildProcess] = []
        self._keep_alive_at = 0.0
        self._is_stopping = False
        self._events = 0
        self._exit_code: int | None = None
        self._handlers: dict[type, Callable[..., None]] = {
            ShareOut: self._share_out,
            Launch: self._launch,
            ToProcess: self._pass_on,
            CloseProcess: self._close,
            FetchLedger: lambda asked: self._connection.send(self._ledgers.piece(asked)),
            StopUsers: lambda _: self._stop_users(),
            EndAgent: self._end_on_request,
            Refused: lambda _: self._end(REFUSED),
        }

    def run(self) -> int:
        """Serve the run until it ends the agent; returns the exit code."""
        self._connection.start()
        self._connection.send(self._ready())
        while self._exit_code is None:
            self._receive()
            self._check()
        self._stop_users()
        self._connection.stop()
        return self._exit_code

    def _ready(self) -> MachineReady:
        return MachineReady(
            described=describe_workstation(),
            processors=self._launcher.processors,
            ledgers=str(self._ledgers.folder),
        )

    def _receive(self) -> None:
        """Handle what has come from the run and from the client processes, waiting a little for the first of it."""
        by_pipe = {link.waitable: number for number, link in self._links.items() if not link.is_gone}
        for pipe in wait([self._inbox.waitable, *by_pipe], timeout=_LONGEST_WAIT_SECONDS):
            if pipe is self._inbox.waitable:
                for message in self._inbox.take():
                    self._handlers[type(message)](message)
            else:
                self._receive_from(by_pipe[pipe])  # type: ignore[index]

    def _receive_from(self, process: int) -> None:
        link = self._links[process]
        if link.is_gone:
            return
        try:
            messages = link.receive()
        except (EOFError, OSError):
            link.is_gone = True
            self._connection.send(ProcessEnded(process, link.how_it_ended()))
            return
        if relayed := tuple(self._metered(messages)):
            self._connection.send(FromProcess(process, relayed))

    def _metered(self, messages: Sequence[object]) -> Sequence[object]:
        """The messages without the health reports, which the monitor takes."""
        assert self._monitor is not None
        relayed: list[object] = []
        for message in messages:
            if isinstance(message, HealthReport):
                self._monitor.receive(message)
            elif isinstance(message, ProcessSummary):
                offset_ms = self._monitor.clock_offsets_ms.get(message.process)
                relayed.append(replace(message, clock_offset_ms=offset_ms))
            else:
                self._has_begun = self._has_begun or isinstance(message, OrderingBegan)
                relayed.append(message)
        return relayed

    def _check(self) -> None:
        now = time.monotonic()
        if self._monitor is not None:
            pids = {number: link.pid for number, link in self._links.items() if not link.is_gone}
            self._monitor.check(pids, orders=self._has_begun and not self._is_stopping)
        if now >= self._keep_alive_at:
            self._keep_alive_at = now + _KEEP_ALIVE_SECONDS
            for link in self._kept_alive:
                link.send(KeepAlive())
        silent_seconds = now - self._connection.heard_at
        if self._monitor is None:
            if silent_seconds > _FIRST_CONTACT_SECONDS:
                self._end(ENDED_ALONE)
        elif silent_seconds > GRACE_SECONDS:
            self._stop_users()
            if self._connection.is_refused or silent_seconds > _LAST_CONTACT_SECONDS:
                self._end(ENDED_ALONE)

    def _share_out(self, asked: ShareOut) -> None:
        starts = self._ledgers.with_paths(asked.starts)
        shares = self._launcher.share_out(starts)
        self._shares = {share.number: share for share in shares}
        labels = {share.number: ", ".join(asked.labels[each.client] for each in share.starts) for share in shares}
        self._monitor = WorkstationMonitor(
            labels, headline_in_common(start.workload for start in starts), self._emit, self._write
        )
        by_process = tuple((tuple(each.client for each in share.starts), share.may_preempt) for share in shares)
        self._connection.send(SharedOut(by_process))

    def _launch(self, asked: Launch) -> None:
        self._links[asked.process] = self._launcher.launch(self._shares[asked.process])

    def _pass_on(self, sent: ToProcess) -> None:
        message, link = sent.message, self._links[sent.process]
        if isinstance(message, Begin):
            assert self._monitor is not None
            self._monitor.begin(message.timebase)
            message = replace(message, silent_seconds=_CLIENTS_GRACE_SECONDS)
            self._kept_alive.append(link)
        elif isinstance(message, Stop) and not self._is_stopping:
            self._is_stopping = True
            assert self._monitor is not None
            self._monitor.close()
        link.send(message)

    def _close(self, asked: CloseProcess) -> None:
        """Close the pipe of a process, and kill it if it has not ended in time. Another thread waits for that."""
        link = self._links[asked.process]
        if not link.is_gone:
            link.is_gone = True
            link.close()
            threading.Thread(target=self._wait_for_end, args=(asked.process, link), daemon=True).start()

    def _wait_for_end(self, process: int, link: ChildProcess) -> None:
        link.end(_LEAVE_SECONDS)
        self._connection.send(ProcessEnded(process, "ended by the run"))

    def _end_on_request(self, asked: EndAgent) -> None:
        self._stop_users()
        if asked.has_ledgers:
            self._ledgers.remove()
        self._end(0)

    def _end(self, exit_code: int) -> None:
        self._exit_code = exit_code

    def _stop_users(self) -> None:
        """End all client processes at once; what they have acknowledged until now is in their ledgers."""
        self._is_stopping = True
        links = [link for link in self._links.values() if not link.is_gone]
        for link in links:
            link.close()
        deadline = time.monotonic() + _LAST_FLUSH_SECONDS
        for link in links:
            link.end(max(0.0, deadline - time.monotonic()))
            link.is_gone = True

    def _emit(self, event: RunEvent) -> int:
        if not event.number:
            self._events += 1
            event = replace(event, number=self._events)
        self._connection.send(MeterEvent(event))
        return event.number

    def _write(self, report: WorkstationReport) -> None:
        if isinstance(report, WorkstationLoad):
            report = replace(report, heartbeat_ms=self._by_client(report.heartbeat_ms))
        self._connection.send(MeterReport(report))

    def _by_client(self, by_process: Mapping[int, float]) -> dict[int, float]:
        return {each.client: value for number, value in by_process.items() for each in self._shares[number].starts}
