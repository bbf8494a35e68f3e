"""The settings of Python's garbage collector, which belong to a whole process: only this module changes them.

``Run`` avoids full collections while it drives the load. Each visits every object of the process: with a window, or
with everything that a run in the terminal has loaded, it takes 60 to 150 ms, in which no other thread runs, no sample
is collected and nothing is painted. Collections of the young generations continue as usual; cyclic garbage in the
oldest one waits for the end of the run. Client processes and the window exclude what they have loaded, and the window
collects by itself (``app.garbage_collections``).
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


def exclude_existing_objects() -> None:
    """Let no collection visit the objects that exist now, for a process in which they stay until its end."""
    gc.freeze()


def disable_automatic_collections() -> None:
    """Let Python start no collection by itself from now on: the process starts them where they do no harm."""
    gc.disable()
