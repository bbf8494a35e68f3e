"""A small process that kills the remaining servers when the keeper has ended.

The keeper holds the only other end of a pipe to it, which the system closes however the keeper dies. The servers' death
signal is not enough, since it has no effect on a frozen server. Started by the lab with its first server.
"""

import subprocess
import sys
from pathlib import Path

import engine
from engine.child_programs import in_own_session
from engine.lab.processes import end_servers, server_environment
from engine.own_program import own_command

_END_TIMEOUT_SECONDS = 10.0


class Reaper:
    """The keeper's hold on that process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def ensure_running(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self._process = subprocess.Popen(
            own_command("reaper", str(self._folder)),
            cwd=Path(engine.__path__[0]).parent,
            env=server_environment(),
            stdin=subprocess.PIPE,
            **in_own_session(),
        )

    def stop(self) -> None:
        """End it: the servers have been stopped."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate(timeout=_END_TIMEOUT_SECONDS)


def main(arguments: list[str]) -> int:
    """Wait until the standard input ends, then kill every server under the folder named in the arguments."""
    folder = Path(arguments[0])
    sys.stdin.buffer.read()
    end_servers(*folder.glob("node*/data*"))
    return 0
