"""Waiting for a condition with a deadline, for every test that watches something real."""

import time
from collections.abc import Callable

_POLL_SECONDS = 0.02


def wait_until(condition: Callable[[], object], what: str, *, timeout_seconds: float = 90.0) -> None:
    """Return as soon as ``condition`` holds; fail the test with ``what`` was awaited when it does not in time."""
    deadline = time.monotonic() + timeout_seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {timeout_seconds:.0f} s in vain: {what}"
        time.sleep(_POLL_SECONDS)
