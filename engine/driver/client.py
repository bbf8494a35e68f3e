"""The client process: one target, its emulated users on threads, and a sample a second from the main thread.

Started by ``Run`` with the spawn method. Nothing heavy is imported here: neither Qt nor numpy nor SQLAlchemy. When
the pipe to the run ends, for whatever reason, the process ends at once: no load without somebody who watches it.
"""

import gc
import os
import signal
import time
import traceback
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

from engine.audit.ledger import Ledger
from engine.databases import database_of
from engine.databases.database import Session
from engine.driver.crowd import Crowd
from engine.driver.messages import AllConnected, Begin, ClientStart, Farewell, Go, Ready, Stop
from engine.driver.outage import Outage
from engine.driver.tally import SecondTally
from engine.driver.turns import TIME_KEEPERS_TURN_US, take_short_turns
from engine.driver.user_connection import Connect
from engine.driver.vitals import RunQueue, Vitals
from engine.sample import EventKind, RunEvent, Sample

_WAIT_FOR_EPOCH_SECONDS = 120.0
# Each look wakes the process; one of many clients on a busy machine pays some 0.2 ms for it.
_LOOK_SECONDS = 0.05
_LAST_CUT_SECONDS = 1.0
# Clients that all made their samples at the same moment would hold each other, and their users, up once a second.
_STAGGERED, _STAGGERED_OVER = 24, 0.2


def run_client(pipe: "Connection[Any, Any]", start: ClientStart) -> None:
    """The process's main function; it returns when the run has been told everything."""
    # Where there are no sessions, Ctrl-C goes to all processes of the run; the run decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    take_short_turns(TIME_KEEPERS_TURN_US)
    database = database_of(start.target.kind)
    begin = _await_begin(pipe, start.client)
    if begin is None:
        return

    def connect(first_host: int, patience: int) -> Session:
        timeouts = replace(start.timeouts, connect_seconds=start.timeouts.connect_seconds * patience)
        return database.connect(start.target, start.secret, timeouts, first_host=first_host)

    client = _Client(pipe, start, begin, connect, polled=database.sessions_are_polled)
    client.start_users()
    client.tick()


def _await_begin(pipe: "Connection[Any, Any]", client: int) -> Begin | None:
    """The epoch; ``None`` when the run was stopped, or is gone, before it began."""
    try:
        pipe.send((Ready(client=client, pid=os.getpid()),))
        message = pipe.recv() if pipe.poll(_WAIT_FOR_EPOCH_SECONDS) else None
    except (EOFError, OSError):
        return None
    return message if isinstance(message, Begin) else None


class _Client:
    def __init__(
        self,
        pipe: "Connection[Any, Any]",
        start: ClientStart,
        begin: Begin,
        connect: Connect[Session],
        *,
        polled: bool,
    ) -> None:
        self._pipe = pipe
        self._start = start
        self._timebase = timebase = begin.timebase
        self._ledger = None if start.ledger is None else Ledger(start.ledger, start.client)
        think_seconds = start.mix.think_time_ms / 1000
        self._tally = SecondTally(start.client, timebase, ledger=self._ledger, think_seconds=think_seconds)
        self._outage = Outage(start.client, timebase)
        self._crowd = Crowd(start, connect, polled=polled, timebase=timebase, tally=self._tally, outage=self._outage)
        self._all_connected = False
        self._users_failed = 0
        self._worst_tick_late = 0.0
        self._stagger = _STAGGERED_OVER * (start.client % _STAGGERED) / _STAGGERED
        run_queue = RunQueue(lambda: self._crowd.thread_ids)
        self._vitals = Vitals(start.client, run_queue, beat_seconds=begin.beat_seconds)

    def start_users(self) -> None:
        self._crowd.start()
        self._vitals.start()
        # What is alive now stays: the collector need not walk it again while orders are timed.
        gc.collect()
        gc.freeze()

    def tick(self) -> None:
        """Send the sample of each second when it is over, until the run says stop or its pipe ends."""
        second, first_late = 0, 0.0
        while True:
            deadline = self._timebase.moment(second + 1 + self._stagger)
            soon = time.monotonic() + _LOOK_SECONDS
            message = self._wait(min(deadline, max(soon, first_late) if self._all_connected else soon))
            if isinstance(message, Stop):
                self._leave(message.within_seconds)
                return
            if isinstance(message, Go):
                self._crowd.let_go(self._timebase.moment(message.at_seconds))
                self._vitals.begin_totals()
            if not self._all_connected:
                self._tell_all_connected()
            now = time.monotonic()
            first_late = self._crowd.cut_late(now)
            if now < deadline:
                continue
            self._worst_tick_late = max(self._worst_tick_late, now - deadline)
            second = max(second + 1, int(self._timebase.at(now)))
            samples = self._tally.take(second, self._crowd.states())
            told = self._what_to_tell(samples)
            vitals = self._vitals.take(
                tick_late_seconds=now - deadline,
                orders=sum(each.orders for each in samples),
                order_us=sum(each.order_us for each in samples),
                answers_waited_ms=self._crowd.take_answers_waited_ms(),
            )
            # The run compares the clock in these with its own as soon as it hears of them.
            self._send(vitals, *told)

    def _wait(self, deadline: float) -> object:
        """The run's next message, or ``None`` at the deadline; ends the process when the run is gone."""
        while (seconds := deadline - time.monotonic()) > 0:
            try:
                if self._pipe.poll(seconds):
                    return self._pipe.recv()
            except (EOFError, OSError):
                self._die()
        return None

    def _what_to_tell(self, samples: list[Sample]) -> tuple[object, ...]:
        """What was counted, and what happened beside; the orders are in the ledger by then."""
        return (*self._flushed_ledger(), *samples, *self._tally.take_step_times(), *self._events())

    def _tell_all_connected(self) -> None:
        if self._crowd.all_have_connected:
            self._all_connected = True
            self._send(AllConnected(client=self._start.client))

    def _send(self, *messages: object) -> None:
        """In one piece: each that arrives costs the run's collector two waits for its interpreter's lock."""
        try:
            self._pipe.send(messages)
        except OSError:
            self._die()

    def _events(self) -> list[RunEvent]:
        events = [
            self._event(EventKind.TARGET_ERROR, f"{error_class}: {text}")
            for error_class, text in self._tally.take_remarks()
        ]
        failures = self._crowd.failures
        if len(failures) > self._users_failed:
            label = f"users ended by a fault of Spindle's own ×{len(failures) - self._users_failed}"
            events.append(self._event(EventKind.CLIENT_FAILED, label, detail=_where_it_failed(failures[-1])))
        self._users_failed = len(failures)
        return events + self._outage.take_events()

    def _flushed_ledger(self) -> list[RunEvent]:
        """What there is to say of the ledger, now that all that was noted stands in it."""
        remark = None if self._ledger is None else self._ledger.flush()
        return [] if remark is None else [self._event(EventKind.WARNING, remark)]

    def _event(self, kind: EventKind, label: str, *, detail: str = "") -> RunEvent:
        at_seconds = round(self._timebase.at(time.monotonic()), 3)
        return RunEvent(at_seconds=at_seconds, kind=kind, label=label, client=self._start.client, detail=detail)

    def _leave(self, within_seconds: float) -> None:
        """Let the orders end, cut those that don't, and tell what was counted until the last."""
        self._vitals.stop()
        self._crowd.stop()
        self._tell_while_alive(within_seconds)
        self._crowd.cut("the run was over before the answer came; the connection was cut")
        self._tell_while_alive(_LAST_CUT_SECONDS)
        self._send(*self._what_to_tell(self._tally.take_all(self._crowd.states())))
        unfinished = self._crowd.in_call
        self._close_ledger(complete=not unfinished)
        self._send(self._farewell(unfinished))

    def _close_ledger(self, *, complete: bool) -> None:
        """Users that are still in a call may have ordered something that nobody will note."""
        if self._ledger is not None:
            moment_ms = int(self._timebase.at(time.monotonic()) * 1000)
            if (remark := self._ledger.close(moment_ms, complete=complete)) is not None:
                self._send(self._event(EventKind.WARNING, remark))

    def _die(self) -> NoReturn:
        """End at once, since the run is gone; only what was ordered until now is still put down."""
        if self._ledger is not None:
            self._ledger.flush()
        os._exit(1)

    def _tell_while_alive(self, seconds: float) -> None:
        """Go on telling until the last user has left, for so many seconds at most."""
        deadline = time.monotonic() + seconds
        while self._crowd.is_alive and time.monotonic() < deadline:
            self._wait(min(deadline, time.monotonic() + _LOOK_SECONDS))
            samples = self._tally.take(int(self._timebase.at(time.monotonic())), self._crowd.states())
            self._send(*self._what_to_tell(samples))

    def _farewell(self, unfinished: int) -> Farewell:
        times = os.times()
        return Farewell(
            client=self._start.client,
            cpu_user_seconds=times.user,
            cpu_system_seconds=times.system,
            peak_memory_mb=_peak_memory_mb(),
            worst_tick_late_ms=round(self._worst_tick_late * 1000, 1),
            unfinished_users=unfinished,
            vitals=self._vitals.totals(),
        )


def _where_it_failed(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error}, in {os.path.basename(frame.filename)} line {frame.lineno}"


def _peak_memory_mb() -> float | None:
    """The most memory this process has held; ``None`` where the system does not tell.

    Not getrusage: what it says of a child begins with what the parent held when it was started.
    """
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    return next((round(int(line.split()[1]) / 1024, 1) for line in lines if line.startswith("VmHWM:")), None)
