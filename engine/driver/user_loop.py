"""Emulated users of a client process on one thread, which waits for all their servers' answers at once.

With a thread for each user, half of the client's processor time went into handing the interpreter's lock around. Only
connecting, which may wait, is done on a thread of the user's own. In each round the loop first takes all answers that
have come and makes the next questions ready, and then sends these one after the other: each wakes a process of the
server, which may take the processor, and leaves the caches cold. An answer counts from the moment at
which it came to this machine, or else at which the loop heard of it, and not from its turn in the round, so that a
user's response time holds none of the others' work.

What is in order is done by ``engine.databases.rounds``, compiled where there is a compiler; what is not, and all that
takes time but for an answer or a pause to think, is done here. A loop also makes the samples that are due, see
``engine.driver.sampler``.
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
from engine.dvdstore.user import Action, Call, Outcome, Pause, PauseKind
from engine.errors import TargetError

_NOTHING: Outcome = (None, None, 0.0)
# A selector's time-out is in whole milliseconds: a pause ends at the nearest one, so that pauses keep their mean.
_HALF_A_TICK_SECONDS = 0.0005
# What is made when time is up, another thread tells; were the loop to go on, it would wait for the interpreter's lock.
_FOR_OTHERS_SECONDS = 0.001


class UserLoop:
    """Drives the users that are added to it, from its ``start`` until the last of them has left.

    ``tell_fault`` hears of the fault of our own that has ended it before; one of a user's ends that user alone.
    """

    def __init__(self, gate: StartGate, stop: threading.Event, tell_fault: Callable[[Exception], object]) -> None:
        self.stop = stop
        self._tell_fault = tell_fault
        self._gate = gate
        self._rounds = new_rounds(UserState.THINKING, UserState.WORKING)
        self._woken, self._waker = socket.socketpair()
        for each in (self._woken, self._waker):
            each.setblocking(False)
        self._rounds.add(self._woken.fileno(), None)
        self._users = 0
        self._arrivals: deque[tuple[LoopUser, float | None]] = deque()
        self._at_the_gate: deque[tuple[int, LoopUser]] = deque()  # in the order of their places
        self._pauses: list[tuple[float, int, LoopUser]] = []
        self._pause_numbers = itertools.count()
        self._asking: list[tuple[LoopUser, PolledSession]] = []
        self._tick: Callable[[], float] = lambda: NEVER
        self._tick_at = NEVER
        self._answers_waited: float | None = None
        self._waited_taken = 0.0
        self._thread = threading.Thread(target=self._run, name="user-loop", daemon=True)

    def add(self, _: LoopUser) -> None:
        """One user more; to be called before ``start``."""
        self._users += 1

    def keep_time(self, moment: float, tick: Callable[[], float]) -> None:
        """Call ``tick`` at a moment of the monotonic clock, and again at each moment that it returns.

        Between two users' turns, as soon as the loop runs at all. To be called before ``start``.
        """
        self._tick_at, self._tick = moment, tick

    def start(self) -> None:
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether the last user has left."""
        return not self._users

    def arrive(self, user: LoopUser, seconds: float | None) -> None:
        """A user has connected, anew after so many seconds, or will not any more; from any thread."""
        self._arrivals.append((user, seconds))
        self.wake()

    def wake(self) -> None:
        """Have the loop look at the gate and at whether it is to stop; from any thread."""
        with suppress(OSError):  # it has more to read than fits, or is over: it looks in any case
            self._waker.send(b"w")

    @property
    def thread_id(self) -> int | None:
        return self._thread.native_id

    def take_answers_waited(self) -> float | None:
        """The seconds, in sum, for which answers had come before the loop heard of them since the last call.

        ``None`` where the system stamps none. By one thread only.
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
            self._tell_fault(fault)
        finally:
            self._rounds.close()
            self._woken.close()
            self._waker.close()

    def _round(self) -> None:
        left = self._rounds.turn(self._patience(), self._tick_at, self.stop.is_set())
        now, wall_now = time.monotonic(), wall_clock()
        for user, said in left:
            self._take_care(user, said, now, wall_now)
            if time.monotonic() >= self._tick_at:
                self._keep_time()
        if now >= self._tick_at:
            self._keep_time()
        if self._arrivals:
            self._let_in(now)
        if self._at_the_gate:
            self._let_begin(now)
        if self._pauses:
            self._end_pauses(now)
        while self._asking:
            self._ask()

    def _take_care(self, user: LoopUser | None, said: Action | Exception | None, now: float, wall_now: float) -> None:
        """Of what the rounds have left to the loop."""
        if user is None:
            self._hear()
        elif said is None:
            self._take_answer(user, now, wall_now)
        elif isinstance(said, Exception):
            self._leave(user, said)
        else:
            self._do(user, said, now)

    def _keep_time(self) -> None:
        self._tick_at = self._tick()
        time.sleep(_FOR_OTHERS_SECONDS)

    def _patience(self) -> float | None:
        """How long to wait for answers: until the next pause ends, a user's turn at the gate comes, or time is up."""
        moment = self._tick_at + _HALF_A_TICK_SECONDS
        if self._pauses:
            moment = min(moment, self._pauses[0][0])
        if self._at_the_gate:
            moment = min(moment, self._gate.turn_of(self._at_the_gate[0][0]))
        return None if moment == NEVER else max(0.0, moment - _HALF_A_TICK_SECONDS - time.monotonic())

    def _hear(self) -> None:
        with suppress(OSError):
            self._woken.recv(4096)

    def _take_answer(self, user: LoopUser, now: float, wall_now: float) -> None:
        session = user.session
        if session is None or session.asked_at == NEVER:
            # Its server has gone. Who thinks will hear of that when it asks; whose pause has just ended has a question
            # ready in the rounds, which must not be taken from it.
            if user.waits_since != NEVER:
                self._ignore(user)
            return
        asked_at, error = session.asked_at, None
        try:
            answer = session.answer()
        except TargetError as failure:
            answer, error = None, user.connection.as_seen(failure)
        except Exception as failure:
            self._leave(user, failure)
            return
        if answer is PENDING:
            return
        seconds = now - asked_at
        waited = wall_now - session.arrived if session.arrived else 0.0
        # Below 0, its last part came after the loop had heard of the first. A stamp from outside the call is of a wall
        # clock that was set meanwhile.
        if 0 < waited < seconds or (waited < 0 and waited >= now - time.monotonic()):
            seconds -= waited
            self._answers_waited = (self._answers_waited or 0.0) + max(0.0, waited)
        self._go_on(user, (answer, error, seconds), now)

    def _go_on(self, user: LoopUser, outcome: Outcome | None, now: float) -> None:
        """Tell the script what came of what it said, ``None`` at its beginning, and do what it says next."""
        try:
            action = next(user.script) if outcome is None else user.script.send(outcome)
        except Exception as error:
            self._leave(user, error)
        else:
            self._do(user, action, now)

    def _do(self, user: LoopUser, action: Action, now: float) -> None:
        """Do what the script says, until that takes time."""
        try:
            while type(action) is Pause and action.seconds <= 0:
                if action.kind is PauseKind.THINK and self.stop.is_set():
                    self._leave(user)
                    return
                action = user.script.send(_NOTHING)
            if type(action) is Call:
                session = user.session or self._listen(user)
                session.prepare(action.verb, action.arguments)
                self._asking.append((user, session))
            elif type(action) is Pause:
                self._pause(user, action, now)
            else:
                self._ignore(user)
                user.reconnect()
        except Exception as error:
            self._leave(user, error)

    def _pause(self, user: LoopUser, pause: Pause, now: float) -> None:
        """A user that waits to try again is still at its order; only one that thinks has none."""
        if pause.kind is PauseKind.THINK:
            user.connection.state = UserState.THINKING
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
            if is_stopping and pause.kind is PauseKind.THINK:
                self._leave(user)
            else:
                self._go_on(user, (None, None, now - began), now)

    def _ask(self) -> None:
        asking, self._asking = self._asking, []
        now = 0.0
        for user, session in asking:
            if now >= self._tick_at:
                self._keep_time()
            now = time.monotonic()
            try:
                session.ask()
            except TargetError as error:
                self._go_on(user, (None, user.connection.as_seen(error), 0.0), now)
            except Exception as error:
                self._leave(user, error)

    def _let_in(self, now: float) -> None:
        while self._arrivals:
            user, seconds = self._arrivals.popleft()
            user.waits_since = NEVER
            if user.connection.session is None or user.failure is not None:
                self._leave(user, user.failure)
            elif seconds is None:
                self._at_the_gate.append((self._gate.take_place(), user))
            else:
                self._go_on(user, (None, None, seconds), now)

    def _let_begin(self, now: float) -> None:
        is_stopping = self.stop.is_set()
        until = now + _HALF_A_TICK_SECONDS
        while self._at_the_gate and (is_stopping or self._gate.turn_of(self._at_the_gate[0][0]) <= until):
            user = self._at_the_gate.popleft()[1]
            user.connection.state = UserState.WORKING
            if is_stopping:
                self._leave(user)
            else:
                self._go_on(user, None, now)

    def _listen(self, user: LoopUser) -> PolledSession:
        """Wait for what comes over the user's connection from now on."""
        session = user.session = user.connection.session
        assert session is not None, "only a user that is connected asks"
        user.fileno = session.fileno()
        session.join(self._rounds, user, user.script)
        return session

    def _ignore(self, user: LoopUser) -> None:
        """Wait no longer for what comes over the user's connection."""
        if user.session is not None:
            user.session = None
            self._rounds.remove(user.fileno, user)
            user.fileno = -1

    def _leave(self, user: LoopUser, failure: Exception | None = None) -> None:
        user.failure = failure
        self._ignore(user)
        user.connection.close()
        user.connection.state = UserState.DOWN
        user.is_alive = False
        self._users -= 1
