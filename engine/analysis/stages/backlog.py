"""Whether the rate of an open loop is held: the queue of what is due and not begun must not grow for long.

A queue that grows without end means that the servers complete less than is due; a queue that an outage or a short stall
has filled grows as well, but not for long. So a rate is not held when the queue has grown through ``LIMIT_SECONDS``,
each window of ``WINDOW_SECONDS`` longer on average than the one before, and holds more than is due in a second.
Seconds in which users are reconnecting or down do not count: then the connection is what is missing.
"""

from collections import deque
from itertools import pairwise

from engine.telemetry.sample import Sample

LIMIT_SECONDS = 60
WINDOW_SECONDS = 10
_HELD_SHARE = 0.98
_SIGMAS = 3.0


class Backlog:
    """The queue of a run with so many clients, second by second."""

    def __init__(self, clients: int) -> None:
        self._clients = clients
        self._open: dict[int, list[Sample]] = {}
        self._queues: deque[int] = deque(maxlen=LIMIT_SECONDS)

    def add(self, sample: Sample) -> None:
        """Add a sample of a measured second; a second counts when all clients' samples are there."""
        samples = self._open.setdefault(sample.second, [])
        samples.append(sample)
        if len(samples) < self._clients:
            return
        for second in [each for each in self._open if each <= sample.second]:
            del self._open[second]
        if any(each.reconnecting or each.down for each in samples):
            self._queues.clear()
        else:
            self._queues.append(sum(each.queue for each in samples))

    @property
    def queue(self) -> int:
        """The newest length of the queue."""
        return self._queues[-1] if self._queues else 0

    def has_outgrown(self, due_per_second: float) -> bool:
        """Whether the queue has grown for as long as the limit."""
        if len(self._queues) < LIMIT_SECONDS:
            return False
        queues = list(self._queues)
        means = [
            sum(queues[first : first + WINDOW_SECONDS]) / WINDOW_SECONDS
            for first in range(0, LIMIT_SECONDS, WINDOW_SECONDS)
        ]
        return queues[-1] > due_per_second and all(a < b for a, b in pairwise(means))


def is_held(count: int, due: float) -> bool:
    """Whether ``count`` transactions of ``due`` in a stage hold its rate: at least 98 per cent, or no fewer than chance
    explains, three standard deviations of Poisson arrivals."""
    return count >= _HELD_SHARE * due or count >= due - _SIGMAS * due**0.5
