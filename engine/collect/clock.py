"""The clock and the pace of collectors on this workstation."""

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime

_UTC_AT_ZERO = datetime.now(UTC).timestamp() - time.monotonic()


def utc_now() -> float:
    """Seconds since 1970 by the wall clock as it was set when this process began.

    A clock that is set later does not move it, as it does not move the seconds of a run.
    """
    return time.monotonic() + _UTC_AT_ZERO


def ticks(interval_seconds: float, stop: threading.Event) -> Iterator[None]:
    """Yield once an interval, the first time at once, until ``stop`` is set.

    The pace has no drift. An interval in which the caller was still busy is left out, and not made up for.
    """
    began = time.monotonic()
    number = 0
    while not stop.wait(max(0.0, began + number * interval_seconds - time.monotonic())):
        yield
        number = max(number, int((time.monotonic() - began) / interval_seconds)) + 1
