"""The client process: its clients' emulated users on threads, and a sample a second of each from the main thread.

Started by ``Run`` with the spawn method. Nothing heavy is imported here: neither Qt nor numpy nor SQLAlchemy. When
the pipe to the run ends, for whatever reason, the process ends at once: no load without somebody who watches it.
"""

import gc
import os
import signal
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

from engine.databases import database_of
from engine.driver.client import Client
from engine.driver.drive import Drive
from engine.driver.messages import AllConnected, Begin, ClientStart, Farewell, Go, Ready, Stop
from engine.driver.timebase import Timebase
from engine.driver.turns import TIME_KEEPERS_TURN_US, take_short_turns
from engine.driver.vitals import RunQueue, Vitals

_WAIT_FOR_EPOCH_SECONDS = 120.0
# Each look wakes the process; one of many clients on a busy machine pays some 0.2 ms for it.
_LOOK_SECONDS = 0.05
_LAST_CUT_SECONDS = 1.0
# Clients that all made their samples at the same moment would hold each other, and their users, up once a second.
_STAGGERED, _STAGGERED_OVER = 24, 0.2


def run_clients(pipe: "Connection[Any, Any]", starts: Sequence[ClientStart]) -> None:
    """The process's main function; it returns when the run has been told everything.

    The clients are all of databases whose sessions are polled, or it is one alone.
    """
    # Where there are no sessions, Ctrl-C goes to all processes of the run; the run decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    take_short_turns(TIME_KEEPERS_TURN_US)
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


class _Turn:
    """When a client's next samples are due, and when the first of its calls under way would be late."""

    def __init__(self, client: Client, timebase: Timebase, stagger: float) -> None:
        self.client = client
        self.second = 0
        self.first_late = 0.0
        self._timebase = timebase
        self._stagger = stagger

    @property
    def deadline(self) -> float:
        return self._timebase.moment(self.second + 1 + self._stagger)


def _turns_of(clients: Sequence[Client], timebase: Timebase) -> list[_Turn]:
    """Evenly spread over the first part of a second, those of other processes in between."""
    between = clients[0].number % _STAGGERED / _STAGGERED
    staggers = [_STAGGERED_OVER * (place + between) / len(clients) for place in range(len(clients))]
    return [_Turn(client, timebase, stagger) for client, stagger in zip(clients, staggers, strict=True)]


class _ClientProcess:
    def __init__(self, pipe: "Connection[Any, Any]", starts: Sequence[ClientStart], begin: Begin) -> None:
        self._pipe = pipe
        self._timebase = begin.timebase
        databases = [database_of(start.target.kind) for start in starts]
        polled = all(database.sessions_are_polled for database in databases)
        self._drive = Drive(sum(start.threads for start in starts), polled=polled)
        self._clients = [
            Client(start, database, begin.timebase, self._drive)
            for start, database in zip(starts, databases, strict=True)
        ]
        self._connecting = list(self._clients)
        self._turns = _turns_of(self._clients, begin.timebase)
        self._worst_tick_late = 0.0
        self._vitals = Vitals(starts[0].client, RunQueue(self._users_threads), beat_seconds=begin.beat_seconds)

    def start_users(self) -> None:
        for client in self._clients:
            client.crowd.start()
        self._drive.start()
        self._vitals.start()
        # What is alive now stays: the collector need not walk it again while orders are timed.
        gc.collect()
        gc.freeze()

    def tick(self) -> None:
        """Send each client's samples when their seconds are over, until the run says stop or its pipe ends."""
        while True:
            turn = min(self._turns, key=lambda each: each.deadline)
            message = self._wait(min(turn.deadline, self._next_look()))
            if isinstance(message, Stop):
                self._leave(message.within_seconds)
                return
            if isinstance(message, Go):
                self._drive.let_go(self._timebase.moment(message.at_seconds))
                self._vitals.begin_totals()
            self._tell_who_has_connected()
            now = time.monotonic()
            for each in self._turns:
                if now >= min(each.deadline, each.first_late):
                    each.first_late = each.client.crowd.cut_late(now)
            if now >= turn.deadline:
                self._tell_samples(turn, now)

    def _next_look(self) -> float:
        """When to look for users that have connected, or whose calls are late."""
        soon = time.monotonic() + _LOOK_SECONDS
        return soon if self._connecting else max(soon, min(turn.first_late for turn in self._turns))

    def _tell_samples(self, turn: "_Turn", now: float) -> None:
        deadline, turn.second = turn.deadline, max(turn.second + 1, int(self._timebase.at(now)))
        samples = turn.client.take(turn.second)
        told = turn.client.what_to_tell(samples)
        late_seconds = time.monotonic() - deadline
        self._worst_tick_late = max(self._worst_tick_late, late_seconds)
        self._vitals.ticked(
            late_seconds,
            orders=sum(each.orders for each in samples),
            order_us=sum(each.order_us for each in samples),
        )
        if turn is self._turns[0]:
            # The run compares the clock in these with its own as soon as it hears of them.
            self._send(self._vitals.take(answers_waited_ms=self._drive.take_answers_waited_ms()), *told)
        else:
            self._send(*told)

    def _users_threads(self) -> set[int]:
        return set().union(*(client.crowd.thread_ids for client in self._clients))

    def _wait(self, deadline: float) -> object:
        """The run's next message, or ``None`` at the deadline; ends the process when the run is gone."""
        while (seconds := deadline - time.monotonic()) > 0:
            try:
                if self._pipe.poll(seconds):
                    return self._pipe.recv()
            except (EOFError, OSError):
                self._die()
        return None

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
        self._vitals.stop()
        self._drive.end()
        self._tell_while_alive(within_seconds)
        for client in self._clients:
            client.crowd.cut("the run was over before the answer came; the connection was cut")
        self._tell_while_alive(_LAST_CUT_SECONDS)
        unfinished = 0
        for client in self._clients:
            self._send(*client.what_to_tell(client.take_all()))
            hung = client.crowd.in_call
            self._send(*client.close(hung))
            unfinished += hung
        self._send(self._farewell(unfinished))

    def _die(self) -> NoReturn:
        """End at once, since the run is gone; only what was ordered until now is still put down."""
        for client in self._clients:
            client.flush_ledger()
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
