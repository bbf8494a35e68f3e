"""The embedded server on one half of this machine's processors, whatever drives it on the other half.

So neither takes processors from the other, as on two machines; the way between them stays the loopback.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from engine.lab.server import EmbeddedServer


def can_be_apart() -> bool:
    """Whether this system lets processes be put on processors, and has two or more."""
    return hasattr(os, "sched_setaffinity") and len(os.sched_getaffinity(0)) > 1


@contextmanager
def apart_from(server: EmbeddedServer) -> Iterator[None]:
    """Meanwhile, whatever this process starts has the first half of the processors, and the server the others."""
    everywhere = os.sched_getaffinity(0)
    processors = sorted(everywhere)
    half = len(processors) // 2
    put_on(_processes_of(server), set(processors[half:]))
    os.sched_setaffinity(0, processors[:half])
    try:
        yield
    finally:
        os.sched_setaffinity(0, everywhere)
        put_on(_processes_of(server), everywhere)


def put_on(processes: list[psutil.Process], processors: set[int]) -> None:
    """Also what these processes start from now on."""
    for process in processes:
        os.sched_setaffinity(process.pid, processors)


def _processes_of(server: EmbeddedServer) -> list[psutil.Process]:
    """The server's own process, which starts all others, and those that it has started."""
    port = server.target("postgres").hosts[0].port
    (parent,) = {
        process
        for process in psutil.process_iter(["name", "cmdline"])
        if process.info["name"] == "postgres" and f"-p {port}" in " ".join(process.info["cmdline"] or ())
    }
    return [parent, *parent.children(recursive=True)]
