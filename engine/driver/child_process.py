"""A child process: started here, sent messages through its pipe, and killed if necessary. It is a ``WorkerLink``."""

import logging
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

_log = logging.getLogger(__name__)
# Where the pipe has ended, the process has only to be reaped, which a busy machine may do late.
_EXIT_SECONDS = 5.0
_KILL_SECONDS = 5.0
PRELOADED = (
    "engine.driver.client_process",
    "engine.driver.probe",
    "engine.databases.postgresql.prober",
    "engine.databases.postgresql.session",
)
"""What the fork server loads for all child processes: what most of them need, and nothing that starts a thread."""


class ChildProcess:
    """Started by the constructor; ``main`` gets its end of the pipe and ``arguments``, and must end when the pipe does.

    ``is_gone`` is set by whoever finds that the pipe has ended.
    """

    def __init__(self, main: Callable[..., None], *arguments: object, name: str) -> None:
        self.name = name
        self.is_gone = False
        context = process_context()
        self.pipe: Connection[Any, Any]
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_on_its_own,
            args=(dict(os.environ), main, theirs, *arguments),
            name=f"spindle-{name}",
            daemon=True,
        )
        self._process.start()
        theirs.close()
        assert self._process.pid is not None, "the process was started"
        self.pid = self._process.pid

    @property
    def waitable(self) -> "Connection[Any, Any]":
        """The pipe, which is ready to be read when there is a message, or when it has ended."""
        return self.pipe

    def send(self, message: object) -> None:
        """Send the process a message; without effect if it is gone."""
        if self.is_gone:
            return
        try:
            self.pipe.send(message)
        except (BrokenPipeError, OSError):
            _log.debug("%s is gone; its pipe will say so", self.name)

    def receive(self) -> Sequence[object]:
        """The messages that the process has sent as one; raises ``EOFError`` or ``OSError`` when the pipe has ended."""
        messages: Sequence[object] = self.pipe.recv()
        return messages

    def close(self) -> None:
        """Close the pipe, which makes the process end."""
        self.pipe.close()

    def how_it_ended(self) -> str:
        """How a process ended whose pipe has, in words."""
        self._process.join(_EXIT_SECONDS)
        code = self._process.exitcode
        if code is None:
            return "its pipe broke"
        return f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}"

    def end(self, within_seconds: float) -> None:
        """Wait for the process to end by itself, as it does when its pipe is closed; then kill it."""
        self.is_gone = True
        self._process.join(within_seconds)
        if self._process.is_alive():
            self._process.kill()
            self._process.join(_KILL_SECONDS)
        if self._process.is_alive():
            _log.warning("%s could not be ended: it is blocked in the system, perhaps in a disk call", self.name)
        else:
            self._process.close()


def process_context() -> "ForkServerContext | SpawnContext":
    """How child processes are started: on Linux forked from a server, which this process starts with the first one.

    An interpreter of its own takes each process 0.2 s of a processor to load its modules; those that are forked share
    what the server has loaded once. The server is a fresh interpreter with a single thread and without
    connections, so that forking is safe there. Elsewhere forking is not safe, or does not exist.
    """
    if sys.platform != "linux":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", *PRELOADED])
    return context


def _on_its_own(environment: Mapping[str, str], main: Callable[..., None], *arguments: object) -> None:
    """Call ``main`` in a session of its own, with the environment of the process that started it (a fork server has
    that of its own start).

    Linux divides the processors among sessions (autogroups), and every backend of a PostgreSQL server is a session. On
    the server's machine all clients in one session would together get the share of a single backend, and would measure
    how long they wait for it. Besides, a terminal's signals then reach only the run.
    """
    if hasattr(os, "setsid"):
        os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    main(*arguments)


@contextmanager
def interrupts_kept_from_children() -> Iterator[None]:
    """Block SIGINT meanwhile, which children that are started inherit: Ctrl-C reaches all processes, even a child that
    does not ignore it yet. Programs that the calling thread starts later get it again."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
