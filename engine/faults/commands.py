"""Running a program for an injection, here or over SSH, under a time-out that ends its whole tree.

Called by the injector's doers and by the conditions of campaigns.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import IO

from engine.child_programs import in_own_session
from engine.faults.injections import CommandInjection
from engine.faults.outcome import OUTPUT_LIMIT, Outcome, environment_without_passwords, shortened
from engine.machines import ssh
from engine.machines.access import SshAccess

_TERMINATE_SECONDS = 1.0
_KILL_SECONDS = 5.0
_OUTPUT_SECONDS = 0.5
_PIECE_BYTES = 4_096
_BYTES_KEPT = 4 * OUTPUT_LIMIT


def run_command(command: CommandInjection) -> Outcome:
    """Run it and wait for its end, at most ``timeout_seconds``."""
    return run_program(command.arguments, command.timeout_seconds, shell=command.shell)


def run_ssh(access: SshAccess, command: str, timeout_seconds: float) -> Outcome:
    """Run a command on another machine and wait for its end, at most ``timeout_seconds``."""
    arguments = ssh.ssh_arguments(access, command, connect_seconds=timeout_seconds)
    outcome = run_program(arguments, timeout_seconds)
    if outcome.exit_code != ssh.FAILED:
        return outcome
    # ssh itself failed; whether the command had begun by then is unknown
    return replace(outcome, failure=f"ssh to {access.place} failed or was cut off")


def run_program(arguments: Sequence[str], timeout_seconds: float, *, shell: bool = False) -> Outcome:
    """Run a program with its arguments; what it writes to both outputs is kept in part.

    With ``shell``, the one argument is a text for the system's shell. The program has no input, and a process group of
    its own, so that a time-out ends what it started as well.
    """
    try:
        process = subprocess.Popen(
            arguments[0] if shell else list(arguments),
            shell=shell,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment_without_passwords(),
            **in_own_session(),
        )
    except OSError as error:
        return Outcome.not_begun(f"{arguments[0]} can't be started ({error.strerror or error})")
    assert process.stdout is not None
    output = _Output(process.stdout)
    failure = ""
    try:
        code: int | None = process.wait(timeout_seconds)
    except subprocess.TimeoutExpired:
        _end_tree(process)
        code, failure = process.poll(), f"it was ended after {timeout_seconds:g} s, its time-out"
    if code and not failure:
        failure = f"it was ended by signal {-code}" if code < 0 else "it failed"
    return Outcome(output=output.text(), exit_code=code, failure=failure)


class _Output:
    """Reads all that a program writes, so that it never waits for us, and keeps the beginning."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._kept = b""
        self._dropped = 0
        self._reader = threading.Thread(target=self._read, name="injection-output", daemon=True)
        self._reader.start()

    def text(self) -> str:
        """What was written so far; called when the program has ended, though a child of it may still hold the pipe."""
        self._reader.join(_OUTPUT_SECONDS)
        return shortened(self._kept.decode(errors="replace"), left_out=self._dropped)

    def _read(self) -> None:
        with self._pipe:
            while piece := os.read(self._pipe.fileno(), _PIECE_BYTES):
                room = _BYTES_KEPT - len(self._kept)
                self._kept += piece[:room]
                self._dropped += len(piece) - len(piece[:room])


if sys.platform == "win32":

    def _end_tree(process: subprocess.Popen[bytes]) -> None:
        subprocess.run(
            ["taskkill", "/T", "/F", "/PID", str(process.pid)],  # noqa: S607 - it is the system's own
            capture_output=True,
            timeout=_KILL_SECONDS,
            check=False,
        )
        process.wait(_KILL_SECONDS)

else:

    def _end_tree(process: subprocess.Popen[bytes]) -> None:
        """Ask the group to end, then kill what is left of it: also children that the program left behind."""
        _signal_group(process, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_TERMINATE_SECONDS)
        _signal_group(process, signal.SIGKILL)
        process.wait(_KILL_SECONDS)

    def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            return  # the whole group has ended
