"""One client: a target's emulated users with their tally, ledger and events; its only input and output is the ledger's.

``client_process`` has one for each client of its process. Only ``take`` may be called by another thread than the main
one.
"""

import itertools
import os
import random
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.audit.ledger import End, Ledger, LedgerWarning
from engine.databases.async_system import AsyncSession, AsyncSystem
from engine.databases.database import Database, Session, System, Timeouts
from engine.driver.async_user import OpenSession
from engine.driver.drive import Drive
from engine.driver.messages import ClientStart
from engine.driver.outage import Outage
from engine.driver.tally import SecondTally
from engine.driver.timebase import Timebase
from engine.driver.user_connection import Connect
from engine.driver.user_pool import UserPool
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.sample import Sample
from engine.workload.pacing import new_pacing
from engine.workload.transaction import transactions_of
from engine.workloads.bindings import calls_of

_UNCOUNTED = "the {units} due meanwhile by their schedules are not part of any figure"


class Client:
    """The client that ``start`` specifies; its ``users`` are driven by the process's ``drive``.

    ``transactions`` are the ids of what it counts, without steps.

    Users record their orders in the ledger's memory; only the main thread writes to the disk.
    """

    def __init__(self, start: ClientStart, system: System, timebase: Timebase, drive: Drive) -> None:
        self.number = start.client
        self._timebase = timebase
        self._ledger = None if start.ledger is None else Ledger(start.ledger, start.client)
        self._ledger_warnings: list[LedgerWarning] = []
        think_seconds = start.mean_think_seconds
        self._pacing_plan = start.pacing
        self._pacing = None
        if start.pacing is not None:
            # A stream of its own, which no user draws from: with more users, the same arrivals.
            self._pacing = new_pacing(start.pacing, random.Random(f"{start.seed} arrivals {start.client}"))
        self._has_schedule = think_seconds > 0 or self._is_open_loop
        self._measured: tuple[int, int | None] | None = None
        self._is_charged = False
        workload = start.found_workload()
        types = workload.transactions
        self._uncounted = _UNCOUNTED.format(units=f"{workload.wording.unit}s")
        self.transactions = [each.id for each in transactions_of(types)]
        self._tally = SecondTally(
            start.client,
            timebase,
            types=types,
            ledger=self._ledger,
            think_seconds=think_seconds,
            is_open_loop=self._is_open_loop,
        )
        self._backlog = workload.backlog
        self._received = (0, 0)
        self._outage = Outage(start.client, timebase)
        self._failures: list[Exception] = []
        self.next_deadline = 0.0
        self.users = UserPool(
            start,
            _connect_for(start, system),
            drive=drive,
            timebase=timebase,
            tally=self._tally,
            outage=self._outage,
            pacing=self._pacing,
        )
        self.flush_ledger()  # there is room in it before the first order

    @property
    def _is_open_loop(self) -> bool:
        return self._pacing_plan is not None and self._pacing_plan.is_open_loop

    def begin_load(self, at_seconds: float, measuring_from: int) -> None:
        """The clock starts ``at_seconds`` after the epoch, and the first stage of the load ends so long after a second.

        To be called before the gate opens.
        """
        if self._pacing is None or self._pacing_plan is None:
            return
        ends = itertools.accumulate((stage.seconds for stage in self._pacing_plan.stages), initial=measuring_from)
        changes = [self._timebase.moment(second) for second in ends]
        self._pacing.begin(self._timebase.moment(at_seconds), changes[1:-1])

    def cut_overdue(self, now: float) -> None:
        """Cut the calls past their deadlines; ``next_deadline`` is then the earliest deadline of the others."""
        self.next_deadline = self.users.cut_overdue(now)

    def take(self, before: int) -> list[Sample]:
        """The samples of all seconds below ``before`` that were not taken yet; by one thread at a time.

        The last second of measuring includes the orders that users were still waiting for at its end.
        """
        if self._tally.must_charge(before):
            self._charge_waits()
        return self._with_received(self._tally.take(before, self._levels()))

    def take_all(self) -> list[Sample]:
        """All samples, including the second in progress: for a client that ends."""
        return self._with_received(self._tally.take_all(self._levels()))

    def _with_received(self, samples: list[Sample]) -> list[Sample]:
        """The samples, the last of them with what was received since the last time: of sessions, not of calls."""
        if not samples:
            return samples
        before, self._received = self._received, self.users.received()
        rows, size = (max(0, now - then) for now, then in zip(self._received, before, strict=True))
        return [*samples[:-1], replace(samples[-1], rows_received=rows, bytes_received=size)]

    def _levels(self) -> dict[str, int]:
        """What a sample says of the moment: users by state, the workload's backlog, and the queue of an open loop."""
        states, now = self.users.states(), time.monotonic()
        if self._backlog is not None:
            states["backlog"] = self._backlog.depth(self._tally, now)
        if self._pacing is None:
            return states
        self._tally.set_think_time(self._pacing.think_seconds(now))
        return {**states, "queue": len(self._pacing.queue(now))}

    def measure(self, first: int, end: int | None) -> None:
        """Set which seconds are measured, as far as it is known."""
        self._is_charged = self._is_charged and self._measured == (first, end)
        self._measured = (first, end)
        self._tally.measure(first, end)

    def end_measuring(self) -> list[RunEvent]:
        """The run is stopping: count the orders still waited for, before users whose order has failed leave.

        If the run is stopped early, the samples of its seconds were sent already; a warning then says who waited.
        """
        now = time.monotonic()
        at_seconds = self._timebase.at(now)
        if self._tally.must_charge(int(at_seconds)):
            self._charge_waits()
        has_begun = self._measured is not None and at_seconds >= self._measured[0]
        if self._is_charged or not (has_begun and self._has_schedule):
            return []
        waits = self._tally.stalled(self._waits(now))
        if not waits:
            return []
        data = {"users": len(waits), "longest_seconds": round(max(waits), 1)}
        were = "user was" if len(waits) == 1 else "users were"
        label = f"{len(waits)} {were} waiting when measuring ended, for up to {max(waits):.1f} s"
        return [self._event(EventKind.WARNING, label, code=EventCode.USERS_WAITED, data=data, detail=self._uncounted)]

    def _charge_waits(self) -> None:
        now = time.monotonic()
        self._tally.charge(self._waits(now), now)
        self._is_charged = True

    def _waits(self, now: float) -> list[float]:
        """For how many seconds each transaction has been due that has not succeeded, with those in the queue."""
        queue = [] if self._pacing is None else self._pacing.queue(now)
        return [*self.users.waits(now), *(now - due for due in queue)]

    def take_messages(self, samples: list[Sample]) -> tuple[object, ...]:
        """The messages to send: samples and events. What they count is in the ledger by then."""
        return (*self._flushed_ledger(), *samples, *self._events())

    def flush_ledger(self) -> None:
        """Write all recorded orders to the ledger's file."""
        if self._ledger is not None and (warning := self._ledger.flush()) is not None:
            self._ledger_warnings.append(warning)

    def cut_ledger(self) -> None:
        """Write what was ordered until now to the ledger, and that the process ends while users may be ordering."""
        if self._ledger is not None:
            self._ledger.cut(self._moment_ms())

    def end(self) -> tuple[Sequence[object], int]:
        """The last messages, and how many users hang, still working on an order.

        These may place an order that is recorded nowhere, or too late for the last samples: so they are counted first.
        If there are any, the ledger is not closed as a complete one.
        """
        hung = self.users.at_work
        return (*self.take_messages(self.take_all()), *self._close_ledger(hung)), hung

    def _close_ledger(self, hung: int) -> list[RunEvent]:
        events = []
        if hung:
            label = f"{hung} user{'' if hung == 1 else 's'} hung in a call at the end"
            events.append(self._event(EventKind.WARNING, label, code=EventCode.USERS_HUNG, data={"users": hung}))
        if self._ledger is not None:
            warning = self._ledger.close(self._moment_ms(), End.HUNG if hung else End.COMPLETE)
            if warning is not None:
                events.append(self._event(EventKind.WARNING, warning.text, code=warning.code))
        return events

    def _moment_ms(self) -> int:
        return max(0, int(self._timebase.at(time.monotonic()) * 1000))

    def _events(self) -> list[RunEvent]:
        events = [each.event(self.number, self._timebase) for each in self._tally.take_error_messages()]
        if failures := [each for each in self.users.failures if each not in self._failures]:
            label = f"users ended by a fault of Spindle's own ×{len(failures)}"
            events.append(self._event(EventKind.CLIENT_FAILED, label, detail=_where_it_failed(failures[-1])))
            self._failures += failures
        return events + self._outage.take_events()

    def _flushed_ledger(self) -> list[RunEvent]:
        """Write all recorded orders to the ledger's file; returns warnings about the ledger."""
        self.flush_ledger()
        warning, self._ledger_warnings = self._ledger_warnings, []
        return [self._event(EventKind.WARNING, each.text, code=each.code) for each in warning]

    def _event(
        self,
        kind: EventKind,
        label: str,
        *,
        code: EventCode = EventCode.NONE,
        data: Mapping[str, Any] | None = None,
        detail: str = "",
    ) -> RunEvent:
        """An event of this moment."""
        return RunEvent(
            at_seconds=self._timebase.event_seconds(time.monotonic()),
            kind=kind,
            label=label,
            code=code,
            data=data or {},
            client=self.number,
            detail=detail,
        )


def _connect_for(start: ClientStart, system: System) -> Callable[[int], Connect[Any] | OpenSession]:
    """What opens the sessions of the client's users, by their numbers over all clients of the store."""

    def timeouts(factor: int) -> Timeouts:
        return replace(start.timeouts, connect_seconds=start.timeouts.connect_seconds * factor)

    if isinstance(system, AsyncSystem):

        def open_for(user: int) -> OpenSession:
            async def open_session(first_host: int, timeout_factor: int) -> AsyncSession:
                return await system.open_session(
                    start.target, start.secret, timeouts(timeout_factor), user, first_host=first_host
                )

            return open_session

        return open_for
    assert isinstance(system, Database), "a system with users has sessions"
    calls = calls_of(start.workload, start.target.kind)

    def connect(first_host: int, timeout_factor: int) -> Session:
        return system.connect(start.target, start.secret, timeouts(timeout_factor), calls, first_host=first_host)

    return lambda _user: connect


def _where_it_failed(error: Exception) -> str:
    """The last frame of the traceback; an error raised and caught in a compiled module has none."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{os.path.basename(frames[-1].filename)} line {frames[-1].lineno}" if frames else "a compiled module"
    return f"{type(error).__name__}: {error}, in {where}"
