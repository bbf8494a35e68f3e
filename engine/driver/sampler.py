"""Makes the samples of the clients of a process: when they are due each second, and which thread makes them.

A user loop makes them between the work for two users; with two loops, whichever is first. On a machine with busy
processors, a separate thread for the samples would get a processor and then wait for the interpreter's lock, whose
holder has none. The process's main thread makes only what the loops have not, and everything where there are no loops.
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

# If all clients made their samples at the same moment, they would delay each other and their users once a second.
_STAGGERED, _STAGGERED_OVER = 24, 0.2
_LOOK_AGAIN_SECONDS = 0.01


@dataclass(frozen=True, kw_only=True, slots=True)
class SamplesTaken:
    """The samples of a ``client`` when a second is over, and how late they were made."""

    client: Client
    samples: list[Sample]
    late_seconds: float


class _Due(NamedTuple):
    """When a client's next samples are due; sorts by that."""

    due: float
    stagger: float
    second: int
    client: Client


class Sampler:
    """Makes the samples of ``clients``; ``publish`` is called with them, or with an exception, on any thread."""

    def __init__(
        self, clients: Sequence[Client], timebase: Timebase, publish: Callable[[SamplesTaken | Exception], object]
    ) -> None:
        self._timebase = timebase
        self._publish = publish
        self._lock = threading.Lock()
        self._is_over = False
        between = clients[0].number % _STAGGERED / _STAGGERED
        staggers = [_STAGGERED_OVER * (place + between) / len(clients) for place in range(len(clients))]
        # A heap: a sorted list is one.
        self._queue = [self._due(0, stagger, client) for client, stagger in zip(clients, staggers, strict=True)]

    @property
    def due(self) -> float:
        """When the next samples are due, on the monotonic clock."""
        return self._queue[0].due

    def make(self) -> float:
        """Make the samples of the next client if they are due; returns when the next ones are."""
        with self._lock:
            return self._make()

    def make_unless_busy(self) -> float:
        """Like ``make``, but if another thread is making samples, return a moment soon after: the users must not wait.

        The other thread may have lost its processor to one of the server's processes.
        """
        if not self._lock.acquire(blocking=False):
            return time.monotonic() + _LOOK_AGAIN_SECONDS
        try:
            return self._make()
        finally:
            self._lock.release()

    def end(self) -> None:
        """Make no more samples; those made have been published when this returns."""
        with self._lock:
            self._is_over = True

    def _make(self) -> float:
        next_due, now = self._queue[0], time.monotonic()
        if self._is_over or now < next_due.due:
            return NEVER if self._is_over else next_due.due
        second = max(next_due.second + 1, int(self._timebase.at(now)))
        heapq.heapreplace(self._queue, self._due(second, next_due.stagger, next_due.client))
        try:
            samples = next_due.client.take(second)
            self._publish(
                SamplesTaken(client=next_due.client, samples=samples, late_seconds=time.monotonic() - next_due.due)
            )
        except Exception as error:
            # Raised in the loop, it would end the users without being reported.
            self._publish(error)
        return self.due

    def _due(self, second: int, stagger: float, client: Client) -> _Due:
        return _Due(self._timebase.moment(second + 1 + stagger), stagger, second, client)
