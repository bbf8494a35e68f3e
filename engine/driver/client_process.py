"""The client process: its clients' emulated users, and a sample a second of each, which its main thread tells the run.

Started by ``Run`` with the spawn method. Nothing heavy is imported here: neither Qt nor numpy nor SQLAlchemy. When
the pipe to the run ends, for whatever reason, the process ends at once: no load without somebody who watches it.
"""

import gc
import os
import queue
import signal
import threading
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

from engine.databases import database_of
from engine.driver.client import Client
from engine.driver.drive import Drive
from engine.driver.messages import AllConnected, Begin, ClientStart, Farewell, Go, Measuring, Ready, Stop
from engine.driver.sampler import Made, Sampler
from engine.driver.turns import TIME_KEEPERS_TURN_US, take_short_turns, users_turns
from engine.driver.vitals import RunQueue, Vitals

_WAIT_FOR_EPOCH_SECONDS = 120.0
# Each look wakes the process; one of many clients on a busy machine pays some 0.2 ms for it.
_LOOK_SECONDS = 0.05
_LAST_CUT_SECONDS = 1.0
# So long after their time samples are left to the user loops, which are hardly ever that late.
_LOOPS_PATIENCE_SECONDS = 0.08
# Of a process whose run is gone.
LAST_FLUSH_SECONDS = 1.0
_RUN_IS_GONE = object()


def run_clients(pipe: "Connection[Any, Any]", starts: Sequence[ClientStart]) -> None:
    """The process's main function; it returns when the run has been told everything.

    The clients are all of databases whose sessions are polled, or it is one alone.
    """
    # Where there are no sessions, Ctrl-C goes to all processes of the run; the run decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for start in starts:
        database_of(start.target.kind)  # its driver is loaded before the epoch
    begin = _await_begin(pipe)
    if begin is not None:
        process = _ClientProcess(pipe, starts, begin)
        process.start_users()
        process.tick()


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
        databases = [database_of(start.target.kind) for start in starts]
        polled = all(
            database.sessions_are_polled(start.target) for start, database in zip(starts, databases, strict=True)
        )
        # What the run says, and what is made for it: ``Go``, ``Measuring``, ``Stop``; ``Made``; what ends the process.
        self._said: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._drive = Drive(polled=polled, tell_fault=self._said.put, loops=begin.loops)
        self._clients = [
            Client(start, database, begin.timebase, self._drive)
            for start, database in zip(starts, databases, strict=True)
        ]
        self._connecting = list(self._clients)
        self._sampler = Sampler(self._clients, begin.timebase, self._said.put)
        self._worst_tick_late = 0.0
        self._vitals = Vitals(
            starts[0].client,
            RunQueue(self._users_threads),
            usable_processors=self._drive.usable_processors,
            beat_seconds=begin.beat_seconds,
        )

    def start_users(self) -> None:
        # Of all threads that are started here; the heart's tells what users meet.
        with users_turns(self._begin.users_turn_us, preempting=self._begin.users_may_preempt):
            for client in self._clients:
                client.crowd.start()
            self._drive.start(self._sampler.due, self._sampler.make_unless_busy)
            self._vitals.start()
        take_short_turns(TIME_KEEPERS_TURN_US)
        # What is alive now stays: the collector need not walk it again while orders are timed.
        gc.collect()
        gc.freeze()

    def tick(self) -> None:
        """Tell each client's samples when they are made, until the run says stop or its pipe ends."""
        threading.Thread(target=self._listen, name="listener", daemon=True).start()
        while True:
            said = self._wait(self._next_look())
            if isinstance(said, Stop):
                self._leave(said.within_seconds)
                return
            if isinstance(said, Go):
                self._drive.let_go(self._timebase.moment(said.at_seconds), said.pace)
                self._vitals.begin_totals()
            elif isinstance(said, Measuring):
                for client in self._clients:
                    client.measure(said.first, said.end)
            elif isinstance(said, Made):
                self._tell(said)
            self._tell_who_has_connected()
            now = time.monotonic()
            for client in self._clients:
                if now >= client.first_late:
                    client.cut_late(now)
            if now >= self._sampler.due + self._patience:
                self._sampler.make()

    @property
    def _patience(self) -> float:
        return _LOOPS_PATIENCE_SECONDS if self._drive.has_loop else 0.0

    def _next_look(self) -> float:
        """When to look for users that have connected, calls that are late, or samples that nobody has made."""
        soon = time.monotonic() + _LOOK_SECONDS
        look = soon if self._connecting else max(soon, min(client.first_late for client in self._clients))
        return min(look, self._sampler.due + self._patience)

    def _tell(self, made: Made) -> None:
        told = made.client.what_to_tell(made.samples)
        self._worst_tick_late = max(self._worst_tick_late, made.late_seconds)
        self._vitals.ticked(
            made.late_seconds,
            orders=sum(each.orders for each in made.samples),
            order_us=sum(each.order_us for each in made.samples),
        )
        made.client.cut_late(time.monotonic())
        if made.client is self._clients[0]:
            # The run compares the clock in these with its own as soon as it hears of them.
            self._send(self._vitals.take(answers_waited_ms=self._drive.take_answers_waited_ms()), *told)
        else:
            self._send(*told)
        made.client.pack_step_times()

    def _users_threads(self) -> set[int]:
        return set().union(*(client.crowd.thread_ids for client in self._clients))

    def _listen(self) -> None:
        """Pass on what the run says, for as long as it is there."""
        try:
            while True:
                self._said.put(self._pipe.recv())
        except (EOFError, OSError):
            self._said.put(_RUN_IS_GONE)

    def _wait(self, deadline: float) -> object:
        """What is said next, or ``None`` at the deadline; ends the process when the run is gone."""
        try:
            said = self._said.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            return None
        if said is _RUN_IS_GONE:
            self._die()
        if isinstance(said, Exception):
            self._drive.end()  # of two loops the other goes on; what it orders from now on may be in no ledger
            for client in self._clients:
                client.flush_ledger()
            raise said
        return said

    def _tell_who_has_connected(self) -> None:
        if connected := [client for client in self._connecting if client.crowd.all_have_connected]:
            self._connecting = [client for client in self._connecting if client not in connected]
            self._send(*(AllConnected(client=client.number) for client in connected))

    def _send(self, *messages: object) -> None:
        """In one piece: each that arrives costs the run's collector two waits for its interpreter's lock."""
        try:
            self._pipe.send(messages)
        except OSError:
            self._die()

    def _leave(self, within_seconds: float) -> None:
        """Let the orders end, cut those that don't, and tell what was counted until the last."""
        self._sampler.end()
        while (said := self._wait(0.0)) is not None:
            if isinstance(said, Made):
                self._tell(said)
        self._vitals.stop()
        self._send(*(event for client in self._clients for event in client.end_measuring()))
        self._drive.end()
        self._tell_while_alive(within_seconds)
        for client in self._clients:
            client.crowd.cut("the run was over before the answer came; the connection was cut")
        self._tell_while_alive(_LAST_CUT_SECONDS)
        unfinished = 0
        for client in self._clients:
            last, hung = client.end()
            self._send(*last)
            unfinished += hung
        self._send(self._farewell(unfinished))

    def _die(self) -> NoReturn:
        """End at once, since the run is gone; only what was ordered until now is still put down."""
        # The users go on until then: a disk that hangs must not let them go on for ever.
        threading.Timer(LAST_FLUSH_SECONDS, os._exit, [1]).start()
        for client in self._clients:
            client.cut_ledger()
        os._exit(1)

    def _tell_while_alive(self, seconds: float) -> None:
        """Go on telling until the last user has left, for so many seconds at most."""
        deadline = time.monotonic() + seconds
        while any(client.crowd.is_alive for client in self._clients) and time.monotonic() < deadline:
            self._wait(min(deadline, time.monotonic() + _LOOK_SECONDS))
            second = int(self._timebase.at(time.monotonic()))
            self._send(*(each for client in self._clients for each in client.what_to_tell(client.take(second))))

    def _farewell(self, unfinished: int) -> Farewell:
        times = os.times()
        return Farewell(
            clients=tuple(client.number for client in self._clients),
            cpu_user_seconds=times.user,
            cpu_system_seconds=times.system,
            peak_memory_mb=_peak_memory_mb(),
            worst_tick_late_ms=round(self._worst_tick_late * 1000, 1),
            unfinished_users=unfinished,
            vitals=self._vitals.totals(),
        )


def _peak_memory_mb() -> float | None:
    """The most memory this process has held; ``None`` where the system does not tell.

    Not getrusage: what it says of a child begins with what the parent held when it was started.
    """
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    return next((round(int(line.split()[1]) / 1024, 1) for line in lines if line.startswith("VmHWM:")), None)
