"""Short pauses of Python's garbage collector in the process of a run; ``Run`` asks for them while it drives.

A full collection looks at every object of the process. In one with a window, or with all that a run in the terminal has
loaded, it takes 60 to 150 ms, in which no thread goes on: no sample is collected and nothing is painted. Collections of
what was made lately go on as ever; what outlives two of these and becomes garbage in a circle waits for the run's end.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_YOUNG, _MIDDLE, _FULL = gc.get_threshold()
_NEVER = 1_000_000_000


@contextmanager
def no_full_collections() -> Iterator[None]:
    """Meanwhile no collection is a full one. Of two such blocks at once, the first that is over ends it for both."""
    gc.set_threshold(_YOUNG, _MIDDLE, _NEVER)
    try:
        yield
    finally:
        gc.set_threshold(_YOUNG, _MIDDLE, _FULL)
