"""The machine whose disk is measured: this one, or one of the inventory over the system's ssh."""

import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import UserError
from engine.machines.access import SshAccess
from engine.machines.ssh import FAILED, ssh_arguments, ssh_problem

_SUPERVISED = """
exec 3<&0
"$@" </dev/null & program=$!
{ cat <&3; kill -TERM "$program"; sleep 10; kill -KILL "$program"; } >/dev/null 2>&1 & guard=$!
exec 3<&-
wait "$program"; code=$?
kill "$guard" 2>/dev/null
exit "$code"
"""
"""Runs a program until it ends. If the shell's input ends first, the program gets SIGTERM, and is killed if it has not
ended 10 s later."""
_TIMEOUT_SECONDS = 30.0
_SYSTEM = sys.platform


@dataclass(frozen=True)
class CommandResult:
    """The output of a command and its exit code."""

    code: int
    output: str
    errors: str


@dataclass(frozen=True)
class Place:
    """The machine on which commands run: that of the ``ssh`` access, or this one without it."""

    ssh: SshAccess | None = None

    @property
    def name(self) -> str:
        return "this machine" if self.ssh is None else self.ssh.host

    def run(self, words: Sequence[str], *, text: str = "", timeout_seconds: float = _TIMEOUT_SECONDS) -> CommandResult:
        """Run a command to its end, with ``text`` as its input. Raises ``UserError`` where it can't be run at all."""
        try:
            done = subprocess.run(
                self.arguments(words), input=text, capture_output=True, text=True, timeout=timeout_seconds, check=False
            )
        except OSError as error:
            raise UserError(f"{words[0]} can't be started on {self.name} ({error.strerror}); install it.") from error
        except subprocess.TimeoutExpired as error:
            raise UserError(
                f"{words[0]} on {self.name} did not answer within {timeout_seconds:.0f} s; try it by hand."
            ) from error
        if self.ssh is not None and done.returncode == FAILED:
            raise ssh_problem(self.ssh, done.stderr)
        return CommandResult(done.returncode, done.stdout, done.stderr)

    def start(self, words: Sequence[str]) -> "subprocess.Popen[str]":
        """Start a program with pipes for its standard output and error.

        It ends when its input is closed, and so also when this process is killed or the connection to its machine is
        lost. Raises ``UserError``.
        """
        try:
            return subprocess.Popen(
                self.arguments(["sh", "-c", _SUPERVISED, "sh", *words]),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
            )
        except OSError as error:
            raise UserError(f"{words[0]} can't be started on {self.name} ({error.strerror}); install it.") from error

    def arguments(self, words: Sequence[str]) -> list[str]:
        """The arguments to execute on this machine: over ssh, the words are one command for the other machine's shell.

        Raises ``UserError`` if this machine has no POSIX shell.
        """
        if self.ssh is None and _SYSTEM == "win32":
            raise UserError(
                "storage of this machine can't be driven on Windows; give a machine of the inventory that runs Linux."
            )
        return list(words) if self.ssh is None else ssh_arguments(self.ssh, shlex.join(words))
