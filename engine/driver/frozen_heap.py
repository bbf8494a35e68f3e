"""Short pauses of Python's garbage collector in the process of a run; ``Run`` asks for them while it drives.

A full collection looks at every object of the process. In one with a window, or with all that a run in the terminal has
loaded, it takes 60 to 150 ms, in which no thread goes on: no sample is collected and nothing is painted. What a run
itself makes is little, and soon looked at.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def frozen_heap() -> Iterator[None]:
    """The collector leaves alone what is there already. Of two at once, the first that is over ends it for both."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
