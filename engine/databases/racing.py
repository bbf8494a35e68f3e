"""Connects to the first of a target's hosts that accepts, where a connection can be made without blocking.

Each address of each host has its own time-out, and a silent one does not delay the others.
"""

import selectors
import time
from collections import deque
from collections.abc import Callable, Mapping
from socket import SOCK_STREAM, getaddrinfo
from typing import Generic, Protocol, TypeVar

from engine.errors import ErrorClass, TargetError
from engine.target.target import Host, Target

STAGGER_SECONDS = 0.25
_NO_CONNECTION = (ErrorClass.CONNECTION_LOST, ErrorClass.TIMEOUT)


class Attempt(Protocol):
    """A non-blocking attempt to connect to one address of a host, until its ``deadline``."""

    deadline: float
    events: int

    @property
    def socket(self) -> int:
        """The socket to wait on for ``events`` before the next ``advance``; -1 if there is nothing to wait for."""
        ...

    def advance(self) -> bool:
        """Do what is possible without blocking; returns whether the connection is made. Raises ``TargetError``."""
        ...

    def give_up(self) -> None: ...


A = TypeVar("A", bound=Attempt)
Start = Callable[[Host, str], A]
"""Begins an attempt to connect to a host at one of its addresses."""
Refusal = Callable[[Host], TargetError]
"""Makes the error of a host whose name can't be resolved."""


def first_accepted(target: Target, first_host: int, start: Start[A], nowhere: Refusal) -> tuple[A, int]:
    """The attempt at the first host that accepts, and that host's number; the first one tried is ``first_host``.

    A silent host or address does not delay the next one: after ``STAGGER_SECONDS`` both are tried, and the first that
    accepts is taken. Raises the ``TargetError`` of the last host tried, unless an earlier one is more informative than
    "no connection".
    """
    race = _Race(target, first_host, start, nowhere)
    try:
        while race.is_running:
            if race.next_is_due:
                race.start_next()
            race.wait()
            won = race.winner()
            if won is not None:
                return won
    finally:
        race.give_up()
    raise race.refusal()


class _Race(Generic[A]):
    """The attempts at a target's hosts and their addresses: one at first, more at the same time if it is slow."""

    def __init__(self, target: Target, first_host: int, start: Start[A], nowhere: Refusal) -> None:
        numbers = [(first_host + turn) % len(target.hosts) for turn in range(len(target.hosts))]
        self._in_progress: list[tuple[int, A]] = []
        self._target = target
        self._start = start
        self._nowhere = nowhere
        # A host's addresses are resolved only when it is tried, since that may take long.
        self._waiting: deque[tuple[int, tuple[str, ...] | None]] = deque((number, None) for number in numbers)
        self._refusals: dict[int, list[TargetError]] = {number: [] for number in numbers}
        self._next_start = 0.0

    @property
    def is_running(self) -> bool:
        return bool(self._waiting or self._in_progress)

    @property
    def next_is_due(self) -> bool:
        return bool(self._waiting) and (not self._in_progress or time.monotonic() >= self._next_start)

    def start_next(self) -> None:
        number, addresses = self._waiting.popleft()
        host = self._target.hosts[number]
        try:
            address, *others = addresses or addresses_of(host, self._nowhere)
        except TargetError as refusal:
            self._refusals[number].append(refusal)
            return
        if others:
            self._waiting.appendleft((number, tuple(others)))
        self._in_progress.append((number, self._start(host, address)))
        self._next_start = time.monotonic() + STAGGER_SECONDS

    def wait(self) -> None:
        """Wait until an attempt can advance, its deadline is reached, or the next one has to be started."""
        attempts = [attempt for _, attempt in self._in_progress]
        moments = [attempt.deadline for attempt in attempts] + [self._next_start] * bool(self._waiting)
        if attempts:
            wait_for({attempt.socket: attempt.events for attempt in attempts}, min(moments))

    def winner(self) -> tuple[A, int] | None:
        """Advance every attempt; returns the one that was accepted, if any, and its host's number."""
        for each in tuple(self._in_progress):
            number, attempt = each
            try:
                if attempt.advance():
                    self._in_progress.remove(each)
                    return attempt, number
            except TargetError as refusal:
                self._refusals[number].append(refusal)
                self._in_progress.remove(each)
                attempt.give_up()
        return None

    def give_up(self) -> None:
        for _, attempt in self._in_progress:
            attempt.give_up()

    def refusal(self) -> TargetError:
        errors = [refusal for of_host in self._refusals.values() for refusal in of_host]
        return next((each for each in reversed(errors) if each.error_class not in _NO_CONNECTION), errors[-1])


def wait_for(sockets: Mapping[int, int], until: float) -> bool:
    """Wait until one of the sockets has its events, at most until ``until``; returns whether one has.

    A socket of -1 counts as having them.
    """
    if -1 in sockets:
        return True
    with selectors.DefaultSelector() as selector:
        for socket, events in sockets.items():
            selector.register(socket, events)
        return bool(selector.select(max(0.0, until - time.monotonic())))


def addresses_of(host: Host, nowhere: Refusal) -> tuple[str, ...]:
    """The host's addresses, at least one; for the folder of a local socket it is an empty string.

    Raises the error made by ``nowhere`` if the name can't be resolved.
    """
    if host.name.startswith("/"):
        return ("",)
    try:
        found = getaddrinfo(host.name, host.port, type=SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise nowhere(host) from error
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))
