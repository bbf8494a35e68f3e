"""Calls the command line as a user does: as a process with pipes, or on a pseudo-terminal."""

import fcntl
import io
import logging
import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest

from app.cli.main import run_program

COMMAND = (sys.executable, "-m", "app")
REPOSITORY = Path(__file__).parents[2]
_DEADLINE_SECONDS = 180.0


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


@contextmanager
def logging_restored() -> Iterator[None]:
    """The logging that the program sets up does not outlive the block; what a client of Dask that an earlier test of
    this process has left reports meanwhile is none of the program's."""
    root, dask = logging.getLogger(), logging.getLogger("distributed")
    handlers, level, raises = root.handlers[:], root.level, logging.raiseExceptions
    propagates, dask.propagate = dask.propagate, False
    yield
    dask.propagate = propagates
    for handler in set(root.handlers) - set(handlers):
        handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.raiseExceptions = raises


def in_this_process(*arguments: str) -> Outcome:
    """Run the command in this process, since starting a process takes longer than most commands; for commands that
    start nothing."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with logging_restored(), redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        run_program(list(arguments))
    assert isinstance(ended.value.code, int)
    return Outcome(ended.value.code, *(each.buffer.getvalue().decode() for each in (out, err)))


def in_process(*arguments: str, typed: str = "") -> Outcome:
    """Run the command as a process, with pipes for its standard streams."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        cwd=REPOSITORY,
        input=typed,
        capture_output=True,
        text=True,
        timeout=_DEADLINE_SECONDS,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def in_terminal(
    *arguments: str,
    typed: Mapping[str, str] = MappingProxyType({}),
    columns: int = 100,
    lines: int = 30,
    command: Sequence[str] = COMMAND,
) -> tuple[int, str]:
    """Run the command on a terminal of that size; returns all that the terminal received.

    ``typed`` says what to type when a text has appeared, each once and in this order.
    """
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (lines, columns))
    process = subprocess.Popen(
        [*command, *arguments],
        cwd=REPOSITORY,
        env=os.environ | {"TERM": "xterm-256color"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=_take_terminal,
    )
    os.close(theirs)
    try:
        received = _converse(ours, dict(typed))
        return process.wait(_DEADLINE_SECONDS), received
    finally:
        process.kill()
        process.wait(_DEADLINE_SECONDS)
        os.close(ours)


def without_styles(shown: str) -> list[str]:
    """The lines that a terminal shows for what it received, without colours and carriage returns."""
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown).replace("\r", "").splitlines()


def _take_terminal() -> None:
    """Make the terminal on standard input the one whose Ctrl-C reaches this process."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _converse(descriptor: int, typed: dict[str, str]) -> str:
    """Read until the other side has closed or the deadline has passed, and type what is due meanwhile."""
    deadline = time.monotonic() + _DEADLINE_SECONDS
    received = b""
    while select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))[0]:
        try:
            received += os.read(descriptor, 65_536)
        except OSError:  # how Linux says that nobody has the terminal any more
            break
        awaited = next(iter(typed), None)
        if awaited is not None and awaited in received.decode(errors="replace"):
            os.write(descriptor, typed.pop(awaited).encode())
    assert not typed, f"never came up: {list(typed)} in {received.decode(errors='replace')}"
    return received.decode()
