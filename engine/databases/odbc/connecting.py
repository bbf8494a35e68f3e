"""Connects to the first of a target's hosts that accepts, within the time-out even if a driver hangs."""

import time
from collections import deque
from collections.abc import Sequence
from queue import Empty, SimpleQueue

from engine.databases.database import Timeouts
from engine.databases.odbc.attempt import NO_CONNECTION, Attempt, ConnectRequest
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
    ``writes`` says whether a host that takes none is passed over; by default it is when there are several. Raises the
    ``TargetError`` of the last host that was tried, unless an earlier one's says more than "no connection"; and
    ``UserError`` when there is no driver.
    """
    request = ConnectRequest(
        dialect=dialect,
        target=target,
        secret=secret,
        timeouts=timeouts,
        driver=driver_for(target.kind, target.driver),
        autocommit=autocommit,
        writes=len(target.hosts) > 1 if writes is None else writes,
    )
    race = _Race(request, [(first_host + turn) % len(target.hosts) for turn in range(len(target.hosts))])
    try:
        while race.is_running:
            if race.next_is_due:
                race.start_next()
            connected = race.winner()
            if connected is not None:
                return connected
    finally:
        race.give_up()
    number, refusal = race.refusal()
    raise dialect.refined(refusal, target.hosts[number], target, secret, timeouts)


class _Race:
    """The attempts at a target's hosts, in ``order``: one alone at first, more at the same time if it is slow."""

    def __init__(self, request: ConnectRequest, order: Sequence[int]) -> None:
        self._request = request
        self._order = order
        self._waiting = deque(order)
        self._in_progress: dict[int, Attempt] = {}
        self._refusals: dict[int, TargetError] = {}
        self._ended: SimpleQueue[int] = SimpleQueue()
        self._next_start = 0.0

    @property
    def is_running(self) -> bool:
        return bool(self._waiting or self._in_progress)

    @property
    def next_is_due(self) -> bool:
        return bool(self._waiting) and (not self._in_progress or time.monotonic() >= self._next_start)

    def start_next(self) -> None:
        number = self._waiting.popleft()
        self._next_start = time.monotonic() + STAGGER_SECONDS
        self._in_progress[number] = Attempt(self._request, self._request.target.hosts[number], number, self._ended)

    def winner(self) -> tuple[OdbcConnection, int] | None:
        """Wait until an attempt has ended or has to be checked; returns the connection, if there is one."""
        try:
            number = self._ended.get(timeout=max(0.0, self._next_moment() - time.monotonic()))
        except Empty:
            self._check_attempts()
            return None
        attempt = self._in_progress.pop(number, None)
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
        attempts = self._in_progress.values()
        moments = [min(attempt.deadline, attempt.checks_at) for attempt in attempts]
        return min([*moments, self._next_start] if self._waiting else moments)

    def _check_attempts(self) -> None:
        now = time.monotonic()
        for number, attempt in tuple(self._in_progress.items()):
            if now >= attempt.deadline:
                self._in_progress.pop(number).give_up()
                self._refusals[number] = self._request.silence(self._request.target.hosts[number])
            elif now >= attempt.checks_at:
                attempt.check()

    def give_up(self) -> None:
        for attempt in self._in_progress.values():
            attempt.give_up()

    def refusal(self) -> tuple[int, TargetError]:
        """The error to raise, with the number of its host."""
        errors = [(number, self._refusals[number]) for number in self._order]
        return next((each for each in reversed(errors) if each[1].error_class not in NO_CONNECTION), errors[-1])
