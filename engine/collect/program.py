"""A program whose output is read line by line while it runs, such as ssh with a command on another machine."""

import queue
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import IO, NamedTuple

from engine.child_programs import in_own_session
from engine.collect.clock import utc_now
from engine.errors import UserError
from engine.faults.outcome import environment_without_passwords, shortened

_LOOK_SECONDS = 0.25
_TERMINATE_SECONDS = 0.5
# The line of columns of a large ESXi host has some 5 MB.
_LONGEST_LINE_BYTES = 32_000_000
_WAITING_LINES = 1_000
_ERROR_LINES_KEPT = 10


class Line(NamedTuple):
    """A line without its end, and when it arrived by this workstation's clock."""

    text: str
    arrived_utc_seconds: float


class StreamedProgram:
    """Starts a program; its lines are taken one after the other, and it can be given input.

    ``what`` names it in errors, such as ``ssh to db1``. ``explain`` says what its end means, from its exit code
    (``None`` when that is unknown) and the last lines of its messages. Ended by ``close``, which kills it if needed.
    """

    def __init__(
        self, arguments: Sequence[str], *, what: str, explain: Callable[[int | None, str], UserError] | None = None
    ) -> None:
        self._what = what
        self._explain = explain or self._plain_end
        try:
            self._process = subprocess.Popen(
                list(arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment_without_passwords(),
                **in_own_session(),
            )
        except OSError as error:
            raise UserError(
                f"{what}: {arguments[0]} can't be started ({error.strerror or error}); install it."
            ) from error
        self._lines: queue.Queue[Line | None] = queue.Queue(_WAITING_LINES)
        self._errors: deque[str] = deque(maxlen=_ERROR_LINES_KEPT)
        self._is_closed = threading.Event()
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._reader = threading.Thread(
            target=self._read, args=(self._process.stdout,), name="program-output", daemon=True
        )
        self._error_reader = threading.Thread(
            target=self._read_errors, args=(self._process.stderr,), name="program-errors", daemon=True
        )
        self._reader.start()
        self._error_reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def line(self, stop: threading.Event, timeout_seconds: float) -> Line | None:
        """The next line; ``None`` when ``stop`` is set first.

        Raises ``UserError`` when the program ends or writes nothing for ``timeout_seconds``.
        """
        until = time.monotonic() + timeout_seconds
        while not stop.is_set():
            left = until - time.monotonic()
            try:
                line = self._lines.get(timeout=max(0.0, min(_LOOK_SECONDS, left)))
            except queue.Empty:
                if left <= 0:
                    raise UserError(f"{self._what} sent nothing for {timeout_seconds:g} s.") from None
                continue
            if line is None:
                self._lines.put(None)  # the next call ends in the same way
                raise self._end()
            return line
        return None

    def write(self, text: str) -> None:
        """Give it a line of input. Raises ``UserError`` when it has ended."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{text}\n".encode())
            self._process.stdin.flush()
        except OSError:
            raise self._end() from None

    def close(self) -> None:
        """End it, and wait until it has ended."""
        self._is_closed.set()
        self._process.terminate()
        try:
            self._process.wait(_TERMINATE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(_TERMINATE_SECONDS)
        self._error_reader.join(_TERMINATE_SECONDS)
        if self._process.stdin is not None:
            with suppress(OSError):  # what it did not read is lost
                self._process.stdin.close()

    def _end(self) -> UserError:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_TERMINATE_SECONDS)
        self._error_reader.join(_TERMINATE_SECONDS)
        return self._explain(self._process.poll(), "\n".join(self._errors))

    def _plain_end(self, code: int | None, messages: str) -> UserError:
        said = shortened(messages).rstrip(".")
        return UserError(f"{self._what} ended with exit code {code}{f': {said}' if said else ''}.")

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe:
            while text := pipe.readline(_LONGEST_LINE_BYTES):
                self._put(Line(text.decode(errors="replace").rstrip("\r\n"), utc_now()))
        self._put(None)

    def _put(self, line: Line | None) -> None:
        while not self._is_closed.is_set():
            with suppress(queue.Full):
                self._lines.put(line, timeout=_LOOK_SECONDS)
                return

    def _read_errors(self, pipe: IO[bytes]) -> None:
        with pipe:
            while text := pipe.readline(_LONGEST_LINE_BYTES):
                self._errors.append(text.decode(errors="replace").rstrip())
