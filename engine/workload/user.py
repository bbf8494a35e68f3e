"""What all emulated users have in common: transaction after transaction, and what follows an error.

A workload's user is a subclass that says what a transaction is. No error ends a user: a transaction that fails is given
up and counted, and a lost connection is opened again. The script adds up the seconds of its outcomes, to know how long
a transaction has been due.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from random import Random
from typing import Any

from engine.errors import ErrorClass, TargetError
from engine.workload.actions import Action, Call, Outcome, Pause, PauseKind, Reconnect, Script
from engine.workload.pacing import Pacing
from engine.workload.schedule import Delay
from engine.workload.tally import Tally

MOST_RETRIES = 100
_LONGEST_RETRY_PAUSE_SECONDS = 1.0
_BACK_OFF_SECONDS = 1.0
# A user that is inactive to the end of the run looks again after so long: no pause is infinite.
_LONGEST_INACTIVE_SECONDS = 3_600.0
NO_PAUSE = Pause(0.0, PauseKind.THINK)
"""The pause after a transaction of a user that does not think."""


class EmulatedUser(ABC):
    """One user; ``think_seconds`` is the mean pause between two transactions, which ``_pause_seconds`` draws."""

    def __init__(self, random: Random, tally: Tally, think_seconds: float) -> None:
        self._random = random
        self._tally = tally
        self._think_seconds = think_seconds
        self._never_thinks = not think_seconds
        """Whether it has no think time, and no stage of the load gives it one."""
        self._since_due = 0.0  # seconds since the present transaction was first due
        self._has_failed = False
        self._pacing: Pacing | None = None
        self._number = 0
        self._clock: Callable[[], float] = time.monotonic
        self._due: float | None = None  # the moment of the transaction that was taken from an open loop
        self._late = 0.0  # seconds from when the present transaction was due to when this attempt at it began

    def pace(self, pacing: Pacing, number: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Let the user be paced, as that of a number from 0 within its client. To be called before ``script``."""
        self._pacing, self._number, self._clock = pacing, number, clock
        self._never_thinks = False

    @property
    def since_due(self) -> float:
        """For how many seconds the present transaction has been due, without the action in progress.

        Can be read from any thread. 0 after a transaction succeeded, until the first call of the next one has ended.
        """
        return self._since_due

    @property
    def has_failed(self) -> bool:
        """Whether an attempt at the present transaction has failed: then it stays due while its user thinks."""
        return self._has_failed

    def script(self) -> Script:
        """The user's actions, which end only when the script is closed. Called once."""
        while self._pacing is not None and (pause := self._held_back()) is not None:
            yield pause
        while True:
            try:
                yield from self._transaction()
                # What failed stays due: only a transaction that succeeded lets the user's schedule begin anew.
                self._has_failed = False
                self._since_due = 0.0
                self._due = None
            except TargetError as error:
                self._has_failed = True
                yield from self._recover(error)
            think = self._pause_seconds()
            _, _, seconds = yield Pause(think, PauseKind.THINK) if think else NO_PAUSE
            if self._has_failed:
                self._since_due += seconds
            while self._pacing is not None and (pause := self._held_back()) is not None:
                _, _, seconds = yield pause
                if self._has_failed:
                    self._since_due += seconds

    @abstractmethod
    def _transaction(self) -> Script:
        """One transaction; adds the seconds of its actions to ``_since_due``, and raises ``TargetError``.

        Its response time includes ``_late``.
        """

    def _pause_seconds(self) -> float:
        """How long to think now: uniform from 0 to twice the mean, as DVD Store 2 has it."""
        if self._pacing is not None:
            self._think_seconds = self._pacing.think_seconds(self._clock())
        return self._random.random() * 2 * self._think_seconds

    def _held_back(self) -> Pause | None:
        """The pause that the pacing demands before the next attempt at a transaction; ``None`` to begin it now.

        What has failed stays due: it is tried again, by a user that is active.
        """
        assert self._pacing is not None
        now = self._clock()
        if inactive := self._pacing.inactive_seconds(self._number, now):
            return Pause(min(inactive, _LONGEST_INACTIVE_SECONDS), PauseKind.INACTIVE)
        if self._due is None:
            self._due = self._pacing.next_due(self._number)
            if self._due is not None and self._due > now:
                return Pause(self._due - now, PauseKind.THINK)
        if self._due is not None:
            self._late = max(0.0, now - self._due)  # a pause may end half a millisecond early
        if not self._has_failed:
            self._since_due = self._late
        return None

    def _recover(self, error: TargetError) -> Script:
        """Handle an error that ended a transaction: reconnect, or back off."""
        self._tally.error(error)
        if not error.usable:
            _, _, seconds = yield Reconnect()
        elif error.error_class is not ErrorClass.TIMEOUT:
            # A store that answers every call with an error must not be asked thousands of times a second.
            _, _, seconds = yield Pause(self._random.uniform(0, _BACK_OFF_SECONDS), PauseKind.RETRY)
        else:
            return
        self._since_due += seconds

    def _retry(self, call: Call, error: TargetError, spent: float) -> Generator[Action, Outcome, tuple[Any, float]]:
        """Repeat a call that failed with a deadlock; returns its result, and the seconds of all attempts and pauses.

        Raises the first ``TargetError`` that is not a deadlock.
        """
        for attempt in range(1, MOST_RETRIES + 1):
            if error.error_class is not ErrorClass.DEADLOCK:
                raise error
            self._tally.retry()
            self._tally.error(error)
            if attempt == MOST_RETRIES:
                break
            _, _, pause_seconds = yield Pause(self._random.uniform(0, _LONGEST_RETRY_PAUSE_SECONDS), PauseKind.RETRY)
            result, failure, seconds = yield call
            spent += pause_seconds + seconds
            self._since_due += pause_seconds + seconds
            if failure is None:
                return result, spent
            error = failure
        raise TargetError(ErrorClass.OTHER, f"{call.name} ended in a deadlock {MOST_RETRIES} times")

    def _report_delay(self, spent: float) -> None:
        """Report how late a transaction was whose response time is ``spent``, unless it was in time.

        Its response time may exclude what delayed it: failed attempts, or calls that are not part of it. In the
        ordinary course the latter take less time than the rest of the transaction.
        """
        think, since_due = self._think_seconds, self._since_due
        if not think or not (since_due > think or self._has_failed or since_due > 2 * spent):
            return
        is_ordinary = not self._has_failed and since_due <= 2 * spent
        unmeasured = 0.0 if is_ordinary else max(0.0, since_due - spent)
        self._tally.delayed(Delay(since_due, unmeasured))
