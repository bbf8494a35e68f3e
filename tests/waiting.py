"""Waiting for a condition with a deadline, for every test that watches something real."""

import time
from collections.abc import Callable

_POLL_SECONDS = 0.02
_LARGEST_SHARE = 0.05
"""The share of a processor for evaluating conditions: one that takes long is evaluated less often."""


def wait_until(condition: Callable[[], object], what: str, *, timeout_seconds: float = 90.0) -> None:
    """Return as soon as ``condition`` holds; fail the test with ``what`` was awaited when it does not in time."""
    deadline = time.monotonic() + timeout_seconds
    began = time.thread_time()
    while not condition():
        assert time.monotonic() < deadline, f"waited {timeout_seconds:.0f} s in vain: {what}"
        ended = time.thread_time()
        time.sleep(max(_POLL_SECONDS, (ended - began) / _LARGEST_SHARE))
        began = time.thread_time()
