"""The making of samples, each second of each client of a process: when they are due, and who makes them.

A user loop does it between two of its users' turns, of two the one that comes to it first. On a machine whose
processors are wanted by many, a thread of its own for the samples got its moment of a processor, and then waited on for
the interpreter's lock, whose holder had none. The process's main thread only makes what the loops have left undone, and
everything where there is none.
"""

import heapq
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.driver.client import Client
from engine.driver.timebase import NEVER, Timebase
from engine.telemetry.sample import Sample

# Clients that all made their samples at the same moment would hold each other, and their users, up once a second.
_STAGGERED, _STAGGERED_OVER = 24, 0.2
_LOOK_AGAIN_SECONDS = 0.01


@dataclass(frozen=True, kw_only=True, slots=True)
class Made:
    """What a ``client`` has counted when a second is over, and how long after its time that was made."""

    client: Client
    samples: list[Sample]
    late_seconds: float


class _Turn(NamedTuple):
    """A client's next one; turns sort by when they are due."""

    due: float
    stagger: float
    second: int
    client: Client


class Sampler:
    """Makes the samples of ``clients``; ``tell`` hears of each, or of what went wrong, from whatever thread."""

    def __init__(
        self, clients: Sequence[Client], timebase: Timebase, tell: Callable[[Made | Exception], object]
    ) -> None:
        self._timebase = timebase
        self._tell = tell
        self._lock = threading.Lock()
        self._is_over = False
        between = clients[0].number % _STAGGERED / _STAGGERED
        staggers = [_STAGGERED_OVER * (place + between) / len(clients) for place in range(len(clients))]
        # A heap; it is one, since they are in order.
        self._turns = [self._turn(0, stagger, client) for client, stagger in zip(clients, staggers, strict=True)]

    @property
    def due(self) -> float:
        """When the next samples are, on the monotonic clock."""
        return self._turns[0].due

    def make(self) -> float:
        """Make the samples of the client whose turn has come, if it has; when the next turn comes."""
        with self._lock:
            return self._make()

    def make_unless_busy(self) -> float:
        """The same, but while another thread makes some, nothing, and a moment soon after: users wait for the caller.

        Who makes them may have lost its processor to one of the server's processes.
        """
        if not self._lock.acquire(blocking=False):
            return time.monotonic() + _LOOK_AGAIN_SECONDS
        try:
            return self._make()
        finally:
            self._lock.release()

    def end(self) -> None:
        """Make no more; what was made is told when this returns."""
        with self._lock:
            self._is_over = True

    def _make(self) -> float:
        turn, now = self._turns[0], time.monotonic()
        if self._is_over or now < turn.due:
            return NEVER if self._is_over else turn.due
        second = max(turn.second + 1, int(self._timebase.at(now)))
        heapq.heapreplace(self._turns, self._turn(second, turn.stagger, turn.client))
        try:
            samples = turn.client.take(second)
            self._tell(Made(client=turn.client, samples=samples, late_seconds=time.monotonic() - turn.due))
        except Exception as error:
            # Raised in the loop, it would end the users without a word.
            self._tell(error)
        return self.due

    def _turn(self, second: int, stagger: float, client: Client) -> _Turn:
        return _Turn(self._timebase.moment(second + 1 + stagger), stagger, second, client)
