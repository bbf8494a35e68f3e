"""What all users of a client process share: the gate at which they wait, the event that stops them, and their loops.

Called by the process's main thread.
"""

import itertools
import threading
from collections.abc import Callable

from engine.databases.rounds import are_compiled
from engine.driver.async_loop import AsyncLoop
from engine.driver.connector_pool import ConnectorPool
from engine.driver.start_gate import ALL_AT_ONCE, Pace, StartGate
from engine.driver.user_loop import UserLoop


class Drive:
    """``polled`` says that each user has a ``PolledSession``: the users are then divided among ``loops`` threads.

    ``is_async`` says that each has an ``AsyncSession``: ``async_loop`` then drives all of them.

    Without compiled rounds there is only one loop: others would only wait for the interpreter's lock. ``report_fault``
    is called with an internal error that ends a loop, ``report_begin`` with how many seconds late the first user begins
    to place orders.
    """

    def __init__(
        self,
        *,
        polled: bool,
        report_fault: Callable[[Exception], object],
        report_begin: Callable[[float], object] = lambda _: None,
        loops: int = 1,
        is_async: bool = False,
    ) -> None:
        self.stop = threading.Event()
        self.gate = StartGate(self.stop, report_begin)
        count = (loops if are_compiled() else 1) if polled else 0
        self._loops = [UserLoop(self.gate, self.stop, report_fault) for _ in range(count)]
        self._next = itertools.cycle(self._loops)
        self.async_loop = AsyncLoop(self.gate, self.stop, report_fault) if is_async else None
        self._started: list[UserLoop | AsyncLoop] = [*self._loops, *([self.async_loop] if self.async_loop else [])]
        self._connector_pools: list[ConnectorPool] = []

    @property
    def usable_processors(self) -> int:
        """How many processors the threads that drive the users can use at once."""
        return max(1, len(self._loops))

    def next_loop(self) -> UserLoop | None:
        """The loop that drives the next user, ``None`` where each has a thread of its own."""
        return next(self._next, None)

    def new_connector_pool(self, most: int) -> ConnectorPool:
        """Threads that open the connections of a client whose users are driven by loops; at most so many."""
        self._connector_pools.append(ConnectorPool(most, self.stop))
        return self._connector_pools[-1]

    def start(self, due: float, make_samples: Callable[[], float]) -> None:
        """Start the loops, once all users were added to them; the loop that is first makes the samples that are due."""
        for loop in self._started:
            loop.set_timer(due, make_samples)
            loop.start()

    @property
    def has_loop(self) -> bool:
        """Whether any loop is running."""
        return not all(loop.is_over for loop in self._started)

    def open_gate(self, moment: float, pace: Pace = ALL_AT_ONCE) -> None:
        """Let the connected users begin to place orders, from a moment of the monotonic clock on, at a pace."""
        self.gate.open(moment, pace)
        for loop in self._started:
            loop.wake()

    def end(self) -> None:
        """Make every user end its order and leave; returns at once."""
        self.stop.set()
        self.open_gate(0.0)
        for pool in self._connector_pools:
            pool.end()

    def take_answers_waited_ms(self) -> float | None:
        """The total time since the last call for which answers had arrived unread; ``None`` where it is unknown."""
        all_seconds = [seconds for loop in self._started if (seconds := loop.take_answers_waited()) is not None]
        return 1000 * sum(all_seconds) if all_seconds else None
