"""What all users of a client process have in common: the gate at which they wait, the word to stop, and their loops.

Called by the process's main thread.
"""

import itertools
import threading
from collections.abc import Callable

from engine.databases.rounds import are_compiled
from engine.driver.start_gate import ALL_AT_ONCE, Pace, StartGate
from engine.driver.user_loop import UserLoop


class Drive:
    """``polled`` says that users have a ``PolledSession`` each: one of ``loops``, a thread each, then drives a user.

    Without compiled rounds there is one: others would only wait for the interpreter's lock. ``tell_fault`` hears of a
    fault of our own that has ended one.
    """

    def __init__(self, *, polled: bool, tell_fault: Callable[[Exception], object], loops: int = 1) -> None:
        self.stop = threading.Event()
        self.gate = StartGate(self.stop)
        count = (loops if are_compiled() else 1) if polled else 0
        self._loops = [UserLoop(self.gate, self.stop, tell_fault) for _ in range(count)]
        self._next = itertools.cycle(self._loops)

    @property
    def usable_processors(self) -> int:
        """How many processors the threads that drive the users can use at once."""
        return max(1, len(self._loops))

    def next_loop(self) -> UserLoop | None:
        """The loop that drives the next user, ``None`` where each has a thread of its own."""
        return next(self._next, None)

    def start(self, due: float, make_samples: Callable[[], float]) -> None:
        """To be called when all users were added to their loops, of which from then on the first that has a processor
        makes the samples that are due."""
        for loop in self._loops:
            loop.keep_time(due, make_samples)
            loop.start()

    @property
    def has_loop(self) -> bool:
        """Whether there is a loop at work."""
        return not all(loop.is_over for loop in self._loops)

    def let_go(self, moment: float, pace: Pace = ALL_AT_ONCE) -> None:
        """The users that are connected begin to order from a moment of the monotonic clock on, at a pace."""
        self.gate.open(moment, pace)
        for loop in self._loops:
            loop.wake()

    def end(self) -> None:
        """Every user ends its order and leaves; returns at once."""
        self.stop.set()
        self.let_go(0.0)

    def take_answers_waited_ms(self) -> float | None:
        """How long answers that had come waited since the last call, in sum; ``None`` where nobody tells."""
        all_seconds = [seconds for loop in self._loops if (seconds := loop.take_answers_waited()) is not None]
        return 1000 * sum(all_seconds) if all_seconds else None
