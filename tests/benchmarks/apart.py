"""Puts a server on one half of this machine's processors and its drivers on the other half.

So neither takes processor time from the other, as on two machines; the connection is still the loopback.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import psutil

from engine.lab.server import EmbeddedServer
from tests.benchmarks.figures import Figure

Processes = Callable[[], list[psutil.Process]]
"""Finds all processes of a server."""


def compared_apart(processes: Processes, compare: Callable[[], list[Figure]]) -> list[Figure]:
    """The result of ``compare`` with server and drivers apart; where that is not possible, it says so and returns
    nothing."""
    if not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < 2:
        print("server and drivers can't have processors of their own here: that part is left out\n")
        return []
    print("server and drivers on processors of their own, as on two machines\n")
    with _apart_from(processes):
        return compare()


@contextmanager
def _apart_from(processes: Processes) -> Iterator[None]:
    """Within the block, processes that this one starts use the first half of the processors, and the server the
    others."""
    everywhere = os.sched_getaffinity(0)
    processors = sorted(everywhere)
    half = len(processors) // 2
    _put_on(processes(), set(processors[half:]))
    os.sched_setaffinity(0, processors[:half])
    try:
        yield
    finally:
        os.sched_setaffinity(0, everywhere)
        _put_on(processes(), everywhere)


def _put_on(processes: list[psutil.Process], processors: set[int]) -> None:
    """All threads of the processes, and what these start from now on."""
    for process in processes:
        with suppress(ProcessLookupError, psutil.NoSuchProcess):  # a helper process of the server that has ended
            for thread in process.threads():
                with suppress(ProcessLookupError):
                    os.sched_setaffinity(thread.id, processors)


def embedded_processes(server: EmbeddedServer) -> Processes:
    """The embedded server's own process, which starts all others, and those that it has started."""
    port = server.target("postgres").hosts[0].port

    def processes() -> list[psutil.Process]:
        (parent,) = {
            process
            for process in psutil.process_iter(["name", "cmdline"])
            if process.info["name"] == "postgres" and f"-p {port}" in " ".join(process.info["cmdline"] or ())
        }
        return [parent, *parent.children(recursive=True)]

    return processes
