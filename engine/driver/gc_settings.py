"""Avoids long pauses of Python's garbage collector in the process of a run; used by ``Run`` while it drives the load.

A full collection visits every object of the process. With a window, or with everything that a run in the terminal has
loaded, it takes 60 to 150 ms, in which no other thread runs: no sample is collected and nothing is painted. Collections
of the young generations continue as usual; cyclic garbage in the oldest one waits for the end of the run.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_YOUNG, _MIDDLE, _FULL = gc.get_threshold()
_NEVER = 1_000_000_000


@contextmanager
def no_full_collections() -> Iterator[None]:
    """No full collections within the block. Of two blocks at the same time, the first to end ends it for both."""
    gc.set_threshold(_YOUNG, _MIDDLE, _NEVER)
    try:
        yield
    finally:
        gc.set_threshold(_YOUNG, _MIDDLE, _FULL)
