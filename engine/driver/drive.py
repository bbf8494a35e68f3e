"""What all users of a client process have in common: the gate at which they wait, the word to stop, and their loop.

Called by the process's main thread.
"""

import threading
from collections.abc import Callable

from engine.driver.start_gate import ALL_AT_ONCE, Pace, StartGate
from engine.driver.user_loop import UserLoop


class Drive:
    """``polled`` says that users have a ``PolledSession`` each: one thread, the ``loop``'s, then drives all of them.

    ``tell_fault`` hears of a fault of our own that has ended the loop.
    """

    def __init__(self, *, polled: bool, tell_fault: Callable[[Exception], object]) -> None:
        self.stop = threading.Event()
        self.gate = StartGate(self.stop)
        self.loop = UserLoop(self.gate, self.stop, tell_fault) if polled else None

    def start(self, due: float, make_samples: Callable[[], float]) -> None:
        """To be called when all users were added to the loop, which from then on makes the samples that are due."""
        if self.loop is not None:
            self.loop.keep_time(due, make_samples)
            self.loop.start()

    @property
    def has_loop(self) -> bool:
        """Whether there is a loop at work."""
        return self.loop is not None and not self.loop.is_over

    def let_go(self, moment: float, pace: Pace = ALL_AT_ONCE) -> None:
        """The users that are connected begin to order from a moment of the monotonic clock on, at a pace."""
        self.gate.open(moment, pace)
        if self.loop is not None:
            self.loop.wake()

    def end(self) -> None:
        """Every user ends its order and leaves; returns at once."""
        self.stop.set()
        self.let_go(0.0)

    def take_answers_waited_ms(self) -> float | None:
        """How long answers that had come waited since the last call, in sum; ``None`` where nobody tells."""
        seconds = None if self.loop is None else self.loop.take_answers_waited()
        return None if seconds is None else 1000 * seconds
