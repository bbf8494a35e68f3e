"""Drives the emulated users of a client process whose sessions are coroutines: one thread with a loop of asyncio.

The loop also makes the samples that are due, as ``engine.driver.user_loop`` does.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Protocol

from engine.driver.start_gate import StartGate
from engine.driver.timebase import NEVER


class AsyncDriven(Protocol):
    """A user that the loop drives."""

    async def run(self) -> None:
        """The whole life of the user; raises nothing."""
        ...


class AsyncLoop:
    """Runs the users that are added to it, from its ``start`` until the last of them has left.

    ``report_fault`` is called with an internal error that ends the loop.
    """

    def __init__(self, gate: StartGate, stop: threading.Event, report_fault: Callable[[Exception], object]) -> None:
        self.gate = gate
        self.stop = stop
        self._report_fault = report_fault
        self._loop = asyncio.new_event_loop()
        self._users: list[AsyncDriven] = []
        self._left = 0
        self._sleepers: set[asyncio.Future[None]] = set()
        self._tick: Callable[[], float] = lambda: NEVER
        self._tick_at = NEVER
        self._thread = threading.Thread(target=self._run, name="async-loop", daemon=True)

    def add(self, user: AsyncDriven) -> None:
        """Add a user; to be called before ``start``."""
        self._users.append(user)

    def set_timer(self, moment: float, tick: Callable[[], float]) -> None:
        """Call ``tick`` at a moment of the monotonic clock, and again at each moment that it returns; before
        ``start``."""
        self._tick_at, self._tick = moment, tick

    def start(self) -> None:
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether the last user has left."""
        return self._left == len(self._users)

    @property
    def thread_id(self) -> int | None:
        return self._thread.native_id

    def wake(self) -> None:
        """Make every user that sleeps look at the start gate and the stop event; from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake_sleepers)

    def take_answers_waited(self) -> float | None:
        """Asyncio has no timestamps of arrival: how long answers waited is not known."""
        return None

    async def sleep_until(self, moment: Callable[[], float], ended: "asyncio.Future[None] | None" = None) -> None:
        """Return at a moment of the monotonic clock, when the run is stopped, or when ``ended`` is done.

        ``moment`` is called again whenever the loop is woken: that of the start gate is infinite until it is opened.
        """
        while not self.stop.is_set() and (seconds := moment() - time.monotonic()) > 0:
            if ended is not None and ended.done():
                return
            sleeper = self._loop.create_future()
            wake = partial(_wake, sleeper)
            if ended is not None:
                ended.add_done_callback(wake)
            timer = self._loop.call_later(seconds, _end, sleeper) if seconds < NEVER else None
            self._sleepers.add(sleeper)
            try:
                await sleeper
            finally:
                self._sleepers.discard(sleeper)
                if timer is not None:
                    timer.cancel()
                if ended is not None:
                    ended.remove_done_callback(wake)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._run_users())
        except Exception as fault:
            self._report_fault(fault)
        finally:
            self._loop.close()

    async def _run_users(self) -> None:
        self._loop.call_at(self._tick_at, self._run_timer)
        # A task of its own for each, made now: users begin in the order of the ramp by themselves.
        await asyncio.gather(*(self._run_user(user) for user in self._users))
        await asyncio.sleep(0)  # in which the last connections are closed

    async def _run_user(self, user: AsyncDriven) -> None:
        try:
            await user.run()
        finally:
            self._left += 1

    def _run_timer(self) -> None:
        self._tick_at = self._tick()
        if self._tick_at < NEVER:
            self._loop.call_at(self._tick_at, self._run_timer)

    def _wake_sleepers(self) -> None:
        for sleeper in self._sleepers:
            _end(sleeper)


def _wake(sleeper: "asyncio.Future[None]", _ended: object) -> None:
    _end(sleeper)


def _end(sleeper: "asyncio.Future[None]") -> None:
    if not sleeper.done():
        sleeper.set_result(None)
