"""Freezes a real server: all its processes are stopped (SIGSTOP), so that nothing is answered and nothing is closed."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil
import psycopg


@contextmanager
def frozen(connection: psycopg.Connection) -> Iterator[None]:
    """Stop the server that a connection leads to, its sessions included, until the block ends."""
    stopped = _processes(connection)
    for process in stopped:
        with suppress(psutil.NoSuchProcess):
            process.suspend()
    try:
        yield
    finally:
        for process in stopped:
            with suppress(psutil.NoSuchProcess):
                process.resume()


def session_process(connection: psycopg.Connection) -> psutil.Process:
    """The server's process that serves a connection."""
    return psutil.Process(connection.info.backend_pid)


def _processes(connection: psycopg.Connection) -> list[psutil.Process]:
    server = session_process(connection).parent()
    assert server is not None
    return [server, *server.children(recursive=True)]
