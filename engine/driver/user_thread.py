"""An emulated user on a thread of its own with a blocking connection: it does what the script yields.

The thread that ticks may look at a user at any time, for its state and for the deadline of its call, and cut a
connection whose server has fallen silent: a frozen server answers no time-out of its own.
"""

import random
import threading
import time
from collections.abc import Callable
from enum import StrEnum

from engine.databases.database import Session
from engine.driver.outage import Outage
from engine.driver.tally import SecondTally
from engine.dvdstore.user import Call, EmulatedUser, Mix, Outcome, Pause, PauseKind
from engine.errors import ErrorClass, TargetError

FIRST_BACK_OFF_SECONDS = 0.05
LONGEST_BACK_OFF_SECONDS = 1.0
MOST_PATIENCE = 4
_NEVER = float("inf")


class UserState(StrEnum):
    """What a user is doing; the names are those of ``Sample``."""

    DOWN = "down"
    WORKING = "working"
    THINKING = "thinking"
    RECONNECTING = "reconnecting"


Connect = Callable[[int, int], Session]


class StartGate:
    """Holds the users that are connected until the clock starts: as in DVD Store 2, nobody orders before.

    So the users still to come find a server that is free to let them in, however many there are.
    """

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._is_known = threading.Event()
        self._opens_at = 0.0

    def open(self, moment: float) -> None:
        """Let everybody through at a moment of the monotonic clock; one that is over opens at once."""
        self._opens_at = moment
        self._is_known.set()

    def wait(self) -> None:
        """Return when the gate is open, or the run is stopped: whoever stops has to open it as well."""
        self._is_known.wait()
        self._stop.wait(max(0.0, self._opens_at - time.monotonic()))


class UserThread:
    """One emulated user from its start in the ramp to the run's stop.

    It connects at ``starts_at``, and orders when the ``gate`` is open. ``connect`` opens a session and raises
    ``TargetError``; it is told the number of the host to begin with, and how many times the usual time-out to wait.
    Any other error is a fault of our own: it ends this user, and stands in ``failure``.
    """

    def __init__(
        self,
        *,
        name: str,
        connect: Connect,
        mix: Mix,
        seed: int,
        tally: SecondTally,
        outage: Outage,
        starts_at: float,
        call_seconds: float,
        gate: StartGate,
        stop: threading.Event,
    ) -> None:
        self.state = UserState.DOWN
        self.has_connected = False
        self.failure: Exception | None = None
        self._connect = connect
        self._random = random.Random(seed)
        self._script = EmulatedUser(mix, self._random, tally).script()
        self._tally = tally
        self._outage = outage
        self._starts_at = starts_at
        self._call_seconds = call_seconds
        self._gate = gate
        self._stop = stop
        self._session: Session | None = None
        self._first_host = 0
        self._call_ends = _NEVER
        self._cut_because = ""
        self._closing = threading.Lock()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    @property
    def is_in_call(self) -> bool:
        """Whether the user waits for the answer to something that it has asked the server."""
        return self.is_alive and self._call_ends != _NEVER

    def cut_if_late(self, now: float) -> None:
        """Cut the connection when the call under way has outlived its deadline; called by the ticking thread."""
        session = self._session  # looked at first: the user may have left it for another one by the time it is cut
        if now >= self._call_ends:
            self._cut(session, f"no answer within {self._call_seconds:g} s; the connection was cut")

    def cut(self, because: str) -> None:
        """End the call under way with a time-out."""
        self._cut(self._session, because)

    def _cut(self, session: Session | None, because: str) -> None:
        """Cut a session that is still the user's; the lock keeps it from being closed meanwhile."""
        with self._closing:
            if session is not None and session is self._session:
                self._cut_because = because
                session.cut()

    def _run(self) -> None:
        if self._stop.wait(max(0.0, self._starts_at - time.monotonic())):
            return
        try:
            if self._open(UserState.DOWN):
                self._await_start()
                if not self._stop.is_set():
                    self._live()
        except Exception as error:
            self.failure = error
        finally:
            self._close()
            self.state = UserState.DOWN

    def _await_start(self) -> None:
        self.state = UserState.THINKING
        self._gate.wait()
        self.state = UserState.WORKING

    def _live(self) -> None:
        action = next(self._script)
        while True:
            if isinstance(action, Call):
                outcome = self._perform(action)
            elif isinstance(action, Pause):
                outcome = self._pause(action)
                if action.kind is PauseKind.THINK and self._stop.is_set():
                    return
            else:
                if not self._reopen():
                    return
                outcome = (None, None, 0.0)
            action = self._script.send(outcome)

    def _perform(self, call: Call) -> Outcome:
        began = time.monotonic()
        self._call_ends = began + self._call_seconds
        try:
            result = getattr(self._session, call.verb)(*call.arguments)
        except TargetError as error:
            return None, self._as_seen(error), time.monotonic() - began
        else:
            return result, None, time.monotonic() - began
        finally:
            self._call_ends = _NEVER

    def _as_seen(self, error: TargetError) -> TargetError:
        """A call that we cut ourselves failed by its time-out, not by losing the connection."""
        if not self._cut_because:
            return error
        return TargetError(ErrorClass.TIMEOUT, self._cut_because, usable=False)

    def _pause(self, pause: Pause) -> Outcome:
        """A user that waits to try again is still at its order; only one that thinks has none."""
        if pause.seconds <= 0:
            return None, None, 0.0
        if pause.kind is PauseKind.THINK:
            self.state = UserState.THINKING
        began = time.monotonic()
        self._stop.wait(pause.seconds)
        self.state = UserState.WORKING
        return None, None, time.monotonic() - began

    def _reopen(self) -> bool:
        """The connection is lost: get another one, unless the run is being stopped."""
        if self._stop.is_set():
            return False
        lost_at = time.monotonic()
        self._outage.lost(lost_at)
        if not self._open(UserState.RECONNECTING):
            return False
        self._outage.back(lost_at, time.monotonic())
        self._tally.reconnected()
        return True

    def _open(self, state: UserState) -> bool:
        """Connect, however often it takes, with pauses that grow and are drawn by chance; false when stopped."""
        self._close()
        self.state = state
        longest, patience = FIRST_BACK_OFF_SECONDS, 1
        while not self._stop.is_set():
            try:
                session = self._connect(self._first_host, patience)
            except TargetError as error:
                self._tally.error(error)
                self._first_host += 1
                self.state = UserState.RECONNECTING
                self._stop.wait(self._random.uniform(longest / 2, longest))
                longest = min(2 * longest, LONGEST_BACK_OFF_SECONDS)
                if error.error_class is ErrorClass.TIMEOUT:
                    # A server with more work than it can do never serves those who always give up too early.
                    patience = min(2 * patience, MOST_PATIENCE)
                continue
            with self._closing:
                self._cut_because = ""
                self._session = session
            self.has_connected = True
            self.state = UserState.WORKING
            return True
        return False

    def _close(self) -> None:
        with self._closing:
            session, self._session = self._session, None
        if session is not None:
            session.close()
