"""Connecting to the first of a target's hosts that accepts, where a connection can be made without waiting for it.

Each address of each host has a time-out of its own, and one that is silent does not hold the others up.
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
    """A connection to one address of a host that is being made, until its ``deadline``; nothing of it waits."""

    deadline: float
    events: int

    @property
    def socket(self) -> int:
        """What to wait on for ``events`` before the next ``go_on``; -1 when there is nothing to wait for."""
        ...

    def go_on(self) -> bool:
        """Do what can be done without waiting; whether the connection is made. Raises ``TargetError``."""
        ...

    def give_up(self) -> None: ...


A = TypeVar("A", bound=Attempt)
Start = Callable[[Host, str], A]
"""Begins an attempt to connect to a host at one of its addresses."""
Refusal = Callable[[Host], TargetError]
"""The error of a host whose name leads nowhere."""


def first_accepted(target: Target, first_host: int, start: Start[A], nowhere: Refusal) -> tuple[A, int]:
    """The attempt at the first host that accepts, and that host's number; beginning with ``first_host``.

    One that is silent, or an address of one, does not hold the next up: after ``STAGGER_SECONDS`` both are tried, and
    the first that accepts is taken. Raises the ``TargetError`` of the last that was tried, unless an earlier one's says
    more than "no connection".
    """
    race = _Race(target, first_host, start, nowhere)
    try:
        while race.goes_on:
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
    """The hosts of a target that are tried, at first one alone, then with those that come after it; of each, one
    address after the other in the same way."""

    def __init__(self, target: Target, first_host: int, start: Start[A], nowhere: Refusal) -> None:
        numbers = [(first_host + turn) % len(target.hosts) for turn in range(len(target.hosts))]
        self._under_way: list[tuple[int, A]] = []
        self._target = target
        self._start = start
        self._nowhere = nowhere
        # A host's addresses are looked up when its turn comes, which may take long.
        self._waiting: deque[tuple[int, tuple[str, ...] | None]] = deque((number, None) for number in numbers)
        self._refusals: dict[int, list[TargetError]] = {number: [] for number in numbers}
        self._next_start = 0.0

    @property
    def goes_on(self) -> bool:
        return bool(self._waiting or self._under_way)

    @property
    def next_is_due(self) -> bool:
        return bool(self._waiting) and (not self._under_way or time.monotonic() >= self._next_start)

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
        self._under_way.append((number, self._start(host, address)))
        self._next_start = time.monotonic() + STAGGER_SECONDS

    def wait(self) -> None:
        """Until an attempt can go on, its deadline has come, or the next one's turn has."""
        attempts = [attempt for _, attempt in self._under_way]
        moments = [attempt.deadline for attempt in attempts] + [self._next_start] * bool(self._waiting)
        if attempts:
            wait_for({attempt.socket: attempt.events for attempt in attempts}, min(moments))

    def winner(self) -> tuple[A, int] | None:
        """Let every attempt do what it can; the one that was accepted, if any was, and its host's number."""
        for each in tuple(self._under_way):
            number, attempt = each
            try:
                if attempt.go_on():
                    self._under_way.remove(each)
                    return attempt, number
            except TargetError as refusal:
                self._refusals[number].append(refusal)
                self._under_way.remove(each)
                attempt.give_up()
        return None

    def give_up(self) -> None:
        for _, attempt in self._under_way:
            attempt.give_up()

    def refusal(self) -> TargetError:
        told = [refusal for of_host in self._refusals.values() for refusal in of_host]
        return next((each for each in reversed(told) if each.error_class not in _NO_CONNECTION), told[-1])


def wait_for(sockets: Mapping[int, int], until: float) -> bool:
    """Wait until one of the sockets has its events, or it is ``until``; whether one has. One of -1 has at once."""
    if -1 in sockets:
        return True
    with selectors.DefaultSelector() as selector:
        for socket, events in sockets.items():
            selector.register(socket, events)
        return bool(selector.select(max(0.0, until - time.monotonic())))


def addresses_of(host: Host, nowhere: Refusal) -> tuple[str, ...]:
    """The host's addresses, one at least; the folder of a local socket has one that is empty.

    Raises what ``nowhere`` gives when the name leads nowhere.
    """
    if host.name.startswith("/"):
        return ("",)
    try:
        found = getaddrinfo(host.name, host.port, type=SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise nowhere(host) from error
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))
