"""The client process: its clients' emulated users; its main thread sends the run a sample of each client every second.

Nothing heavy is imported here: neither Qt nor numpy nor SQLAlchemy. When the pipe to the run ends, for whatever reason,
or an agent that keeps it alive is silent, the process exits at once: there must be no load that nobody supervises.
"""

import gc
import os
import queue
import signal
import threading
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any, NoReturn

from engine.databases.async_system import AsyncSystem
from engine.databases.database import Database
from engine.driver.client import Client
from engine.driver.drive import Drive
from engine.driver.gc_settings import exclude_existing_objects
from engine.driver.messages import (
    AllConnected,
    Begin,
    ClientStart,
    Measuring,
    OrderingBegan,
    Ready,
    StartOrdering,
    Stop,
)
from engine.driver.process_health import ProcessHealth, RunQueue
from engine.driver.process_summary import process_summary
from engine.driver.program_process import run_program
from engine.driver.run_messages import run_messages
from engine.driver.sampler import Sampler, SamplesTaken
from engine.driver.sharing import is_polled
from engine.driver.time_slices import MAIN_THREAD_TIME_SLICE_US, set_time_slice, user_time_slices
from engine.telemetry.workstation import ProcessSummary
from engine.workloads.systems import system_of

_WAIT_FOR_EPOCH_SECONDS = 120.0
# Each check wakes the process, which costs some 0.2 ms with many clients on a busy machine.
_CHECK_SECONDS = 0.05
_LAST_CUT_SECONDS = 1.0
# The main thread makes a sample only if the user loops have not made it this long after its time, which is rare.
_LOOPS_GRACE_SECONDS = 0.08
# How long a process whose run is gone may take to flush its ledgers.
LAST_FLUSH_SECONDS = 1.0
_RUN_IS_GONE = object()


def run_clients(pipe: "Connection[Any, Any]", starts: Sequence[ClientStart]) -> None:
    """The process's main function; it returns when the run has received everything.

    Either all clients are of databases whose sessions are polled, or there is only one client.
    """
    # Where there are no sessions, Ctrl-C goes to all processes of the run; only the run handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    systems = [system_of(start.target.kind) for start in starts]  # their drivers are loaded before the epoch
    begin = _await_begin(pipe)
    if begin is None:
        return
    if isinstance(systems[0], Database | AsyncSystem):
        process = _ClientProcess(pipe, starts, begin)
        process.start_users()
        process.tick()
    else:
        run_program(pipe, starts[0], begin)


def _await_begin(pipe: "Connection[Any, Any]") -> Begin | None:
    """The epoch; ``None`` when the run was stopped, or is gone, before it began."""
    try:
        pipe.send((Ready(pid=os.getpid()),))
        message = pipe.recv() if pipe.poll(_WAIT_FOR_EPOCH_SECONDS) else None
    except (EOFError, OSError):
        return None
    return message if isinstance(message, Begin) else None


class _ClientProcess:
    def __init__(self, pipe: "Connection[Any, Any]", starts: Sequence[ClientStart], begin: Begin) -> None:
        self._pipe = pipe
        self._timebase = begin.timebase
        self._begin = begin
        systems = [system_of(start.target.kind) for start in starts]
        # Messages of the run (``StartOrdering``, ``Measuring``, ``Stop``), those of the users (``SamplesTaken``,
        # ``OrderingBegan``), and what ends the process.
        self._inbox: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._drive = Drive(
            polled=all(map(is_polled, starts)),
            report_fault=self._inbox.put,
            report_begin=lambda late_seconds: self._inbox.put(OrderingBegan(late_ms=round(1000 * late_seconds, 3))),
            loops=begin.loops,
            is_async=isinstance(systems[0], AsyncSystem),
        )
        self._clients = [
            Client(start, system, begin.timebase, self._drive) for start, system in zip(starts, systems, strict=True)
        ]
        self._connecting = list(self._clients)
        self._sampler = Sampler(self._clients, begin.timebase, self._inbox.put)
        self._worst_tick_late = 0.0
        self._health = ProcessHealth(
            starts[0].client,
            RunQueue(self._users_threads),
            usable_processors=self._drive.usable_processors,
            beat_seconds=begin.beat_seconds,
        )

    def start_users(self) -> None:
        # For all threads started here: the heartbeat's too, since it measures what users experience.
        with user_time_slices(self._begin.user_time_slice_us, preempting=self._begin.users_may_preempt):
            for client in self._clients:
                client.users.start()
            self._drive.start(self._sampler.due, self._sampler.make_unless_busy)
            self._health.start()
        set_time_slice(MAIN_THREAD_TIME_SLICE_US)
        # The objects alive now will stay: the collector need not visit them again while orders are timed.
        gc.collect()
        exclude_existing_objects()

    def tick(self) -> None:
        """Send each client's samples when they are made, until the run sends ``Stop`` or its pipe ends."""
        threading.Thread(target=self._listen, name="listener", daemon=True).start()
        while True:
            message = self._wait(self._next_check())
            if isinstance(message, Stop):
                self._leave(message.within_seconds)
                return
            self._handle(message)
            self._report_connected()
            now = time.monotonic()
            for client in self._clients:
                if now >= client.next_deadline:
                    client.cut_overdue(now)
            if now >= self._sampler.due + self._loops_grace:
                self._sampler.make()

    def _handle(self, message: object) -> None:
        match message:
            case StartOrdering():
                self._start_ordering(message)
            case Measuring():
                for client in self._clients:
                    client.measure(message.first, message.end)
            case SamplesTaken():
                self._send_samples(message)
            case OrderingBegan():
                self._send(message)

    def _start_ordering(self, start: StartOrdering) -> None:
        for client in self._clients:
            client.begin_load(start.at_seconds, start.measuring_from)
        self._drive.open_gate(self._timebase.moment(start.at_seconds), start.pace)
        self._health.begin_totals()

    @property
    def _loops_grace(self) -> float:
        return _LOOPS_GRACE_SECONDS if self._drive.has_loop else 0.0

    def _next_check(self) -> float:
        """When to check for users that have connected, overdue calls, and samples that no loop has made."""
        next_check = time.monotonic() + _CHECK_SECONDS
        check = (
            next_check if self._connecting else max(next_check, min(client.next_deadline for client in self._clients))
        )
        return min(check, self._sampler.due + self._loops_grace)

    def _send_samples(self, made: SamplesTaken) -> None:
        messages = made.client.take_messages(made.samples)
        self._worst_tick_late = max(self._worst_tick_late, made.late_seconds)
        transactions = [sample.of(each) for sample in made.samples for each in made.client.transactions]
        self._health.samples_made(
            made.late_seconds,
            orders=sum(count.n for count in transactions),
            order_us=sum(count.sum_us for count in transactions),
        )
        made.client.cut_overdue(time.monotonic())
        if made.client is self._clients[0]:
            # The health report is first: the run compares its time of sending with the time of receipt.
            health = self._health.take(answers_waited_ms=self._drive.take_answers_waited_ms())
            self._send(health, *messages, self._summary(None))
        else:
            self._send(*messages)

    def _users_threads(self) -> set[int]:
        return set().union(*(client.users.thread_ids for client in self._clients))

    def _listen(self) -> None:
        """Put the run's messages into the queue; end the process if the run is gone and the main thread does not."""
        for message in run_messages(self._pipe, self._begin.silent_seconds):
            self._inbox.put(message)
        self._inbox.put(_RUN_IS_GONE)
        time.sleep(LAST_FLUSH_SECONDS)
        self._exit_at_once()  # the main thread waits for room in a pipe that nobody reads; it is at no ledger

    def _wait(self, deadline: float) -> object:
        """The next message, or ``None`` at the deadline; ends the process if the run is gone."""
        try:
            message = self._inbox.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            return None
        if message is _RUN_IS_GONE:
            self._exit_at_once()
        if isinstance(message, Exception):
            self._drive.end()  # a second loop continues meanwhile; its orders from now on may be in no ledger
            for client in self._clients:
                client.flush_ledger()
            raise message
        return message

    def _report_connected(self) -> None:
        if connected := [client for client in self._connecting if client.users.all_have_connected]:
            self._connecting = [client for client in self._connecting if client not in connected]
            self._send(*(AllConnected(client=client.number) for client in connected))

    def _send(self, *messages: object) -> None:
        """Send as one message: each one costs the run's collector two waits for its interpreter's lock."""
        try:
            self._pipe.send(messages)
        except OSError:
            self._exit_at_once()

    def _leave(self, within_seconds: float) -> None:
        """Let the orders end, cut those that do not, and send everything counted."""
        self._sampler.end()
        while (message := self._wait(0.0)) is not None:
            if isinstance(message, SamplesTaken):
                self._send_samples(message)
        self._health.stop()
        self._send(*(event for client in self._clients for event in client.end_measuring()))
        self._drive.end()
        self._send_until_users_left(within_seconds)
        for client in self._clients:
            client.users.cut("the run was over before the answer came; the connection was cut")
        self._send_until_users_left(_LAST_CUT_SECONDS)
        unfinished = 0
        for client in self._clients:
            last, hung = client.end()
            self._send(*last)
            unfinished += hung
        self._send(self._summary(unfinished))

    def _exit_at_once(self) -> NoReturn:
        """Exit at once, since the run is gone; only the orders placed until now are still written to the ledgers."""
        # The users continue until then: if the disk hangs, they must not continue for ever.
        threading.Timer(LAST_FLUSH_SECONDS, os._exit, [1]).start()
        for client in self._clients:
            client.cut_ledger()
        os._exit(1)

    def _send_until_users_left(self, seconds: float) -> None:
        """Continue to send samples until the last user has left, for at most ``seconds``."""
        deadline = time.monotonic() + seconds
        while any(client.users.is_alive for client in self._clients) and time.monotonic() < deadline:
            self._wait(min(deadline, time.monotonic() + _CHECK_SECONDS))
            second = int(self._timebase.at(time.monotonic()))
            self._send(*(each for client in self._clients for each in client.take_messages(client.take(second))))

    def _summary(self, unfinished: int | None) -> ProcessSummary:
        """Until now, or with the number of unfinished users at the end."""
        return process_summary(
            tuple(client.number for client in self._clients),
            worst_tick_late_ms=round(self._worst_tick_late * 1000, 1),
            unfinished=unfinished,
            health=self._health.totals(),
        )
