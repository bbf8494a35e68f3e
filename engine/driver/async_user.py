"""An emulated user whose session is a coroutine: an ``AsyncLoop`` performs the actions that its script yields."""

import time
from collections.abc import Awaitable, Callable

from engine.databases.async_system import AsyncSession
from engine.driver.async_loop import AsyncLoop
from engine.driver.calling_user import CallingUser
from engine.driver.timebase import NEVER
from engine.driver.user_connection import BaseConnection, UserState
from engine.errors import TargetError
from engine.workload.actions import Call, Outcome, Pause, Script

OpenSession = Callable[[int, int], Awaitable[AsyncSession]]
"""Opens a session, as ``engine.driver.user_connection.Connect`` does."""


class AsyncUser(CallingUser[AsyncSession]):
    """Implements ``engine.driver.user_pool.User``: from its start in the ramp, at ``starts_at``, to the run's stop.

    Any error but a ``TargetError`` is an internal one: it ends this user and is kept in ``failure``.
    """

    def __init__(
        self,
        *,
        connection: BaseConnection[AsyncSession],
        open_session: OpenSession,
        script: Script,
        starts_at: float,
        call_seconds: float,
        loop: AsyncLoop,
    ) -> None:
        super().__init__(connection, call_seconds)
        self.is_alive = True
        self._open_session = open_session
        self._script = script
        self._starts_at = starts_at
        self._loop = loop

    def start(self) -> None:
        self._loop.add(self)

    @property
    def thread_id(self) -> int | None:
        return self._loop.thread_id

    async def run(self) -> None:
        try:
            await self._loop.sleep_until(lambda: self._starts_at)
            if await self._open():
                self.connection.state = UserState.THINKING
                place = self._loop.gate.take_place()
                await self._loop.sleep_until(lambda: self._loop.gate.begins_at(place))
                self.connection.state = UserState.WORKING
                if not self._loop.stop.is_set():
                    self._loop.gate.pass_through(place)
                    await self._live()
        except Exception as error:
            self.failure = error
        finally:
            self.connection.close()
            self.connection.state = UserState.DOWN
            self.is_alive = False

    async def _live(self) -> None:
        action = next(self._script)
        while True:
            if isinstance(action, Call):
                outcome = await self._perform(action)
            elif isinstance(action, Pause):
                outcome = await self._pause(action)
                if action.kind.is_between and self._loop.stop.is_set():
                    return
            else:
                began = self._waits_since = time.monotonic()
                if not await self._reopen(began):
                    return
                self._waits_since = NEVER
                outcome = (None, None, time.monotonic() - began)
            action = self._script.send(outcome)

    async def _sleep_until(self, moment: float) -> None:
        """Sleep; a connection that ends meanwhile is replaced at once, as mail clients do it."""
        while not self._loop.stop.is_set() and moment > time.monotonic():
            session, state = self.connection.session, self.connection.state
            await self._loop.sleep_until(lambda: moment, None if session is None else session.ended)
            if session is not None and session.ended.done() and not self._loop.stop.is_set():
                await self._reopen(time.monotonic())
                self.connection.state = state

    async def _open(self) -> bool:
        """Connect with as many attempts as needed; false if the run is stopped before."""
        attempts = self.connection.begin_opening()
        while not self._loop.stop.is_set():
            try:
                session = await self._open_session(attempts.first_host, attempts.timeout_factor)
            except TargetError as error:
                again_at = time.monotonic() + self.connection.failed(attempts, error)
                await self._loop.sleep_until(lambda moment=again_at: moment)  # type: ignore[misc]
            else:
                self.connection.opened(session)
                return True
        return False

    async def _reopen(self, lost_at: float) -> bool:
        if not self._loop.stop.is_set():
            self.connection.lost(lost_at)
        is_open = await self._open()
        if is_open:
            self.connection.back(lost_at)
        return is_open

    async def _perform(self, call: Call) -> Outcome:
        session = self.connection.session
        assert session is not None, "a user that calls is connected"
        began = time.monotonic()
        self._call_ends = began + self._call_seconds
        try:
            result = await session.call(call.name, call.arguments)
        except TargetError as error:
            return None, self.connection.as_seen(error), time.monotonic() - began
        else:
            return result, None, time.monotonic() - began
        finally:
            self._call_ends = NEVER

    async def _pause(self, pause: Pause) -> Outcome:
        if pause.seconds <= 0:
            return None, None, 0.0
        began = self._begin_pause(pause)
        await self._sleep_until(began + pause.seconds)
        return self._end_pause(began)
