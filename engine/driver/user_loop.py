"""Drives many emulated users of a client process on one thread, which waits for all their servers' answers at once.

With a thread for each user, half of the client's processor time went into passing the interpreter's lock around.
Connecting, which may block, is left to the threads of a pool (``engine.driver.connector_pool``). In each round the loop
first reads all answers that have arrived and prepares the next requests, and then sends these one after the other,
since each request wakes a process of the server, which may take the processor and leave the caches cold. A response
time ends when the answer arrived at this machine, or else when the loop noticed it, not when the loop came to it in the
round: a user's response time contains none of the work for other users.

The normal course of a user is handled by ``engine.databases.rounds``, compiled where there is a C compiler. Errors and
everything that takes time, other than an answer or think time, are handled here. The loop also makes the samples that
are due, see ``engine.driver.sampler``.
"""

import heapq
import itertools
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from engine.databases.arrival import wall_clock
from engine.databases.polled_session import PENDING, PolledSession
from engine.databases.rounds import new_rounds
from engine.driver.loop_user import LoopUser
from engine.driver.start_gate import StartGate
from engine.driver.timebase import NEVER
from engine.driver.user_connection import UserState
from engine.errors import TargetError
from engine.workload.actions import Action, Call, Outcome, Pause, PauseKind

_NOTHING: Outcome = (None, None, 0.0)
# A selector's time-out is in whole milliseconds: a pause ends at the nearest one, so that its mean is right.
_HALF_A_TICK_SECONDS = 0.0005
# The samples that the loop has made are sent by the process's main thread. The loop sleeps this long after making them:
# if it continued at once, the main thread would have to wait for the interpreter's lock.
_YIELD_SECONDS = 0.001


class UserLoop:
    """Drives the users that are added to it, from its ``start`` until the last of them has left.

    ``report_fault`` is called with an internal error that ends the loop; one in a single user ends only that user.
    """

    def __init__(self, gate: StartGate, stop: threading.Event, report_fault: Callable[[Exception], object]) -> None:
        self.stop = stop
        self._report_fault = report_fault
        self._gate = gate
        self._rounds = new_rounds(UserState.THINKING, UserState.WORKING)
        self._wake_reader, self._wake_writer = socket.socketpair()
        for each in (self._wake_reader, self._wake_writer):
            each.setblocking(False)
        self._rounds.add(self._wake_reader.fileno(), None)
        self._users = 0
        self._connected: deque[tuple[LoopUser, float | None]] = deque()
        self._waiting_at_gate: deque[tuple[int, LoopUser]] = deque()  # in the order of their places
        self._pauses: list[tuple[float, int, LoopUser]] = []
        self._pause_numbers = itertools.count()
        self._requests: list[tuple[LoopUser, PolledSession]] = []
        self._tick: Callable[[], float] = lambda: NEVER
        self._tick_at = NEVER
        self._answers_waited: float | None = None
        self._waited_taken = 0.0
        self._thread = threading.Thread(target=self._run, name="user-loop", daemon=True)

    def add(self, _: LoopUser) -> None:
        """Add a user; to be called before ``start``."""
        self._users += 1

    def set_timer(self, moment: float, tick: Callable[[], float]) -> None:
        """Call ``tick`` at a moment of the monotonic clock, and again at each moment that it returns.

        It is called between the work for two users, once the loop runs. To be called before ``start``.
        """
        self._tick_at, self._tick = moment, tick

    def start(self) -> None:
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether the last user has left."""
        return not self._users

    def connected(self, user: LoopUser, seconds: float | None) -> None:
        """A user has connected, or reconnected after ``seconds``, or has given up; from any thread."""
        self._connected.append((user, seconds))
        self.wake()

    def wake(self) -> None:
        """Make the loop check the start gate and the stop event; from any thread."""
        with suppress(OSError):  # the socket's buffer is full, or the loop is over: it will check, or need not
            self._wake_writer.send(b"w")

    @property
    def thread_id(self) -> int | None:
        return self._thread.native_id

    def take_answers_waited(self) -> float | None:
        """How long answers had arrived before the loop noticed them, in total seconds since the last call.

        ``None`` where the system has no timestamps of arrival. From one thread only.
        """
        both = [each for each in (self._answers_waited, self._rounds.answers_waited) if each is not None]
        if not both:
            return None
        waited = sum(both)
        before, self._waited_taken = self._waited_taken, waited
        return waited - before

    def _run(self) -> None:
        try:
            while self._users:
                self._round()
        except Exception as fault:
            self._report_fault(fault)
        finally:
            self._rounds.close()
            self._wake_reader.close()
            self._wake_writer.close()

    def _round(self) -> None:
        left = self._rounds.turn(self._timeout(), self._tick_at, self.stop.is_set())
        now, wall_now = time.monotonic(), wall_clock()
        for user, result in left:
            self._handle(user, result, now, wall_now)
            if time.monotonic() >= self._tick_at:
                self._run_timer()
        if now >= self._tick_at:
            self._run_timer()
        if self._connected:
            self._admit_connected(now)
        if self._waiting_at_gate:
            self._start_waiting(now)
        if self._pauses:
            self._end_pauses(now)
        while self._requests:
            self._send_requests()

    def _handle(self, user: LoopUser | None, result: Action | Exception | None, now: float, wall_now: float) -> None:
        """Handle what the rounds have left to the loop: a wake-up, an answer, an error or an action."""
        if user is None:
            self._drain_wake_socket()
        elif result is None:
            self._take_answer(user, now, wall_now)
        elif isinstance(result, Exception):
            self._leave(user, result)
        else:
            self._do(user, result, now)

    def _run_timer(self) -> None:
        self._tick_at = self._tick()
        time.sleep(_YIELD_SECONDS)

    def _timeout(self) -> float | None:
        """How long to wait for answers: until a pause ends, a user may pass the gate, or the timer is due."""
        moment = self._tick_at + _HALF_A_TICK_SECONDS
        if self._pauses:
            moment = min(moment, self._pauses[0][0])
        if self._waiting_at_gate:
            moment = min(moment, self._gate.begins_at(self._waiting_at_gate[0][0]))
        return None if moment == NEVER else max(0.0, moment - _HALF_A_TICK_SECONDS - time.monotonic())

    def _drain_wake_socket(self) -> None:
        with suppress(OSError):
            self._wake_reader.recv(4096)

    def _take_answer(self, user: LoopUser, now: float, wall_now: float) -> None:
        session = user.session
        if session is None or session.sent_at == NEVER:
            # The server is gone. A thinking user will find out with its next request. A user whose pause has just ended
            # has a request prepared in the rounds, which must stay there.
            if user.waits_since != NEVER:
                self._unregister(user)
            return
        sent_at, error = session.sent_at, None
        try:
            answer = session.receive()
        except TargetError as failure:
            answer, error = None, user.connection.as_seen(failure)
        except Exception as failure:
            self._leave(user, failure)
            return
        if answer is PENDING:
            return
        seconds = now - sent_at
        waited = wall_now - session.arrived if session.arrived else 0.0
        # Negative if its last part arrived after the loop had noticed the first one. A timestamp from outside the call
        # means that the time of day was set meanwhile.
        if 0 < waited < seconds or (waited < 0 and waited >= now - time.monotonic()):
            seconds -= waited
            self._answers_waited = (self._answers_waited or 0.0) + max(0.0, waited)
        self._resume(user, (answer, error, seconds), now)

    def _resume(self, user: LoopUser, outcome: Outcome | None, now: float) -> None:
        """Send the script the outcome of its last action, ``None`` at its beginning, and do its next action."""
        try:
            action = next(user.script) if outcome is None else user.script.send(outcome)
        except Exception as error:
            self._leave(user, error)
        else:
            self._do(user, action, now)

    def _do(self, user: LoopUser, action: Action, now: float) -> None:
        """Do the actions of the script until one takes time."""
        try:
            while type(action) is Pause and action.seconds <= 0:
                if action.kind.is_between and self.stop.is_set():
                    self._leave(user)
                    return
                action = user.script.send(_NOTHING)
            if type(action) is Call:
                session = user.session or self._listen(user)
                session.prepare(action.name, action.arguments)
                self._requests.append((user, session))
            elif type(action) is Pause:
                self._pause(user, action, now)
            else:
                self._unregister(user)
                user.reconnect()
        except Exception as error:
            self._leave(user, error)

    def _pause(self, user: LoopUser, pause: Pause, now: float) -> None:
        """A user that waits before a retry is still working on its order; a thinking or inactive one has none."""
        if pause.kind.is_between:
            is_thinking = pause.kind is PauseKind.THINK
            user.connection.state = UserState.THINKING if is_thinking else UserState.INACTIVE
        user.paused = pause
        user.waits_since = now
        heapq.heappush(self._pauses, (now + pause.seconds, next(self._pause_numbers), user))

    def _end_pauses(self, now: float) -> None:
        is_stopping = self.stop.is_set()
        until = NEVER if is_stopping else now + _HALF_A_TICK_SECONDS
        while self._pauses and self._pauses[0][0] <= until:
            user = heapq.heappop(self._pauses)[2]
            assert user.paused is not None
            pause, began, user.waits_since = user.paused, user.waits_since, NEVER
            user.connection.state = UserState.WORKING
            if is_stopping and pause.kind.is_between:
                self._leave(user)
            else:
                self._resume(user, (None, None, now - began), now)

    def _send_requests(self) -> None:
        requests, self._requests = self._requests, []
        now = 0.0
        for user, session in requests:
            if now >= self._tick_at:
                self._run_timer()
            now = time.monotonic()
            try:
                session.send()
            except TargetError as error:
                self._resume(user, (None, user.connection.as_seen(error), 0.0), now)
            except Exception as error:
                self._leave(user, error)

    def _admit_connected(self, now: float) -> None:
        while self._connected:
            user, seconds = self._connected.popleft()
            user.waits_since = NEVER
            if user.connection.session is None or user.failure is not None:
                self._leave(user, user.failure)
            elif seconds is None:
                self._waiting_at_gate.append((self._gate.take_place(), user))
            else:
                self._resume(user, (None, None, seconds), now)

    def _start_waiting(self, now: float) -> None:
        is_stopping = self.stop.is_set()
        until = now + _HALF_A_TICK_SECONDS
        while self._waiting_at_gate and (is_stopping or self._gate.begins_at(self._waiting_at_gate[0][0]) <= until):
            place, user = self._waiting_at_gate.popleft()
            user.connection.state = UserState.WORKING
            if is_stopping:
                self._leave(user)
            else:
                self._gate.pass_through(place)
                self._resume(user, None, now)

    def _listen(self, user: LoopUser) -> PolledSession:
        """Wait for data on the user's connection from now on."""
        session = user.session = user.connection.session
        assert session is not None, "only a user that is connected asks"
        user.fileno = session.fileno()
        session.join(self._rounds, user, user.script)
        return session

    def _unregister(self, user: LoopUser) -> None:
        """Wait no longer for data on the user's connection."""
        if user.session is not None:
            user.session = None
            self._rounds.remove(user.fileno, user)
            user.fileno = -1

    def _leave(self, user: LoopUser, failure: Exception | None = None) -> None:
        user.failure = failure
        self._unregister(user)
        user.connection.close()
        user.connection.state = UserState.DOWN
        user.is_alive = False
        self._users -= 1
