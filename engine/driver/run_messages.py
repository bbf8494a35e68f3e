"""What a client process receives from its run, until the run is gone."""

from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from engine.driver.messages import KeepAlive


def run_messages(pipe: "Connection[Any, Any]", silent_seconds: float | None) -> Iterator[object]:
    """The messages other than ``KeepAlive``; ends with the pipe, or when nothing has come for ``silent_seconds``."""
    with suppress(EOFError, OSError):
        while pipe.poll(silent_seconds):
            message = pipe.recv()
            if not isinstance(message, KeepAlive):
                yield message
