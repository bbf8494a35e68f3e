"""Connecting to the first of a target's hosts that accepts, in time whatever the drivers do."""

import time
from collections import deque
from collections.abc import Sequence
from queue import Empty, SimpleQueue

from engine.databases.database import Timeouts
from engine.databases.odbc.attempt import NO_CONNECTION, Attempt, Wanted
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.dialect import Dialect
from engine.databases.odbc.drivers import driver_for
from engine.errors import TargetError
from engine.secrets import Secret
from engine.target.target import Target

STAGGER_SECONDS = 0.25


def connect_any(
    dialect: Dialect,
    target: Target,
    secret: Secret | None,
    timeouts: Timeouts,
    *,
    first_host: int = 0,
    autocommit: bool = True,
    writes: bool | None = None,
) -> tuple[OdbcConnection, int]:
    """A connection to the first host that accepts one, and that host's number; beginning with ``first_host``.

    A host that is silent or frozen does not hold the next one up: after ``STAGGER_SECONDS`` both are tried, and the
    first that accepts is taken. Each has ``timeouts.connect_seconds``, the session's first statements included.
    ``writes`` says whether a host that takes none is passed over; unless told, it is when there are several. Raises the
    ``TargetError`` of the last host that was tried, unless an earlier one's says more than "no connection"; and
    ``UserError`` when there is no driver.
    """
    wanted = Wanted(
        dialect=dialect,
        target=target,
        secret=secret,
        timeouts=timeouts,
        driver=driver_for(target.kind, target.driver),
        autocommit=autocommit,
        writes=len(target.hosts) > 1 if writes is None else writes,
    )
    race = _Race(wanted, [(first_host + turn) % len(target.hosts) for turn in range(len(target.hosts))])
    try:
        while race.goes_on:
            if race.next_is_due:
                race.start_next()
            won = race.winner()
            if won is not None:
                return won
    finally:
        race.give_up()
    number, refusal = race.refusal()
    raise dialect.explained(refusal, target.hosts[number], target, secret, timeouts)


class _Race:
    """The hosts of a target that are tried, at first one alone, then with those that come after it in ``turns``."""

    def __init__(self, wanted: Wanted, turns: Sequence[int]) -> None:
        self._wanted = wanted
        self._turns = turns
        self._waiting = deque(turns)
        self._under_way: dict[int, Attempt] = {}
        self._refusals: dict[int, TargetError] = {}
        self._ended: SimpleQueue[int] = SimpleQueue()
        self._next_start = 0.0

    @property
    def goes_on(self) -> bool:
        return bool(self._waiting or self._under_way)

    @property
    def next_is_due(self) -> bool:
        return bool(self._waiting) and (not self._under_way or time.monotonic() >= self._next_start)

    def start_next(self) -> None:
        number = self._waiting.popleft()
        self._next_start = time.monotonic() + STAGGER_SECONDS
        self._under_way[number] = Attempt(self._wanted, self._wanted.target.hosts[number], number, self._ended)

    def winner(self) -> tuple[OdbcConnection, int] | None:
        """Wait until an attempt has ended or has to be looked at; the connection, if it has become one."""
        try:
            number = self._ended.get(timeout=max(0.0, self._next_moment() - time.monotonic()))
        except Empty:
            self._look_after_attempts()
            return None
        attempt = self._under_way.pop(number, None)
        if attempt is None:
            return None
        outcome = attempt.outcome
        if isinstance(outcome, OdbcConnection):
            return outcome, number
        if not isinstance(outcome, TargetError):
            assert outcome is not None, "an attempt that has ended has an outcome"
            raise outcome
        self._refusals[number] = outcome
        return None

    def _next_moment(self) -> float:
        attempts = self._under_way.values()
        moments = [min(attempt.deadline, attempt.looks_at) for attempt in attempts]
        return min([*moments, self._next_start] if self._waiting else moments)

    def _look_after_attempts(self) -> None:
        now = time.monotonic()
        for number, attempt in tuple(self._under_way.items()):
            if now >= attempt.deadline:
                self._under_way.pop(number).give_up()
                self._refusals[number] = self._wanted.silence(self._wanted.target.hosts[number])
            elif now >= attempt.looks_at:
                attempt.look()

    def give_up(self) -> None:
        for attempt in self._under_way.values():
            attempt.give_up()

    def refusal(self) -> tuple[int, TargetError]:
        """The error to be raised, with the number of its host."""
        told = [(number, self._refusals[number]) for number in self._turns]
        return next((each for each in reversed(told) if each[1].error_class not in NO_CONNECTION), told[-1])
