"""One server of the lab: a data directory, and the PostgreSQL server that runs on it as a child process.

Called by the lab, in the keeper's main thread. The caller holds the folder's lock.
"""

import os
import random
import signal
import socket
import subprocess
import time
from pathlib import Path

from engine.child_programs import without_console
from engine.errors import UserError
from engine.lab.account import Account
from engine.lab.configuration import HOST, conninfo
from engine.lab.data_directory import DataDirectory, complaint
from engine.lab.processes import (
    end_servers,
    freeze_tree,
    is_stopped,
    kill_all,
    server_environment,
    thaw_tree,
    tree_of,
)
from engine.secrets import Secret

DOWN, FROZEN, RUNNING = "down", "frozen", "running"
# Outside the range from which systems take the ports of outgoing connections: a user who reconnects in a loop to a
# server that is down could otherwise be given that very port, connect to itself, and keep the server from starting.
_PORTS = range(20_000, 30_000)
_START_TIMEOUT_SECONDS = 120.0
_POLL_SECONDS = 0.01
_LOG_LIMIT_BYTES = 16 * 1024 * 1024
_PID_FILE_STATUS_LINE = 7


class PortTaken(UserError):  # noqa: N818 - it reads as what it is
    """Another program listens on the port that the server was to use: the next one is tried."""


class Node:
    """A server: made, started, ended and made to suffer here. ``folder`` holds its data directory and its log."""

    def __init__(self, folder: Path, account: Account) -> None:
        self.name = folder.name
        self.files = DataDirectory(folder, account)
        self.port: int | None = None
        self._account = account
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def data(self) -> Path:
        return self.files.path

    @property
    def log(self) -> Path:
        return self.files.log

    @property
    def is_made(self) -> bool:
        """Whether the data directory is complete: it gets its name only then."""
        return self.files.is_made

    @property
    def pid(self) -> int | None:
        """The server's process, or ``None`` when it does not run."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    @property
    def state(self) -> str:
        """``running``, ``frozen`` or ``down``."""
        pid = self.pid
        if pid is None:
            return DOWN
        return FROZEN if is_stopped(pid) else RUNNING

    def make(self, password: Secret) -> None:
        """Make the data directory of an empty server. Raises ``UserError``."""
        self.files.make(password)

    def start(
        self,
        port: int,
        *,
        follows: int | None = None,
        synchronous: tuple[str, ...] = (),
        timeout_seconds: float = _START_TIMEOUT_SECONDS,
    ) -> None:
        """Start the server and wait until it accepts connections; what was left of an earlier one is ended first.

        ``follows`` is the port over which a standby reaches its primary; ``None`` starts a primary, whose commits
        wait for one of the ``synchronous`` standbys. Raises ``PortTaken``, or ``UserError`` when it does not start.
        """
        end_servers(self.data)
        # With the lock held and the directory swept nobody serves it: a pid file that is still there is stale, and
        # the server would heed it if its number now belonged to another process of the same account.
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        self.files.configure(synchronous)
        self.files.follow(follows=follows is not None)
        self._rotate_log()
        log_start = self.log.stat().st_size if self.log.exists() else 0
        options = ["-D", str(self.data), "-p", str(port), "-c", f"cluster_name={self.name}"]
        if follows is not None:
            options += ["-c", f"primary_conninfo={conninfo(follows, self.files.passfile)}"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._account.command("postgres", *options),
                cwd=self.data.anchor,
                env=server_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **self._account.identity,
                **without_console(),
            )
        self._await_ready(self._process, log_start, timeout_seconds)
        self.port = port

    def synchronize(self, names: tuple[str, ...]) -> None:
        """Have commits wait for one of these standbys from now on, or for none. The server heeds it in a moment."""
        self.files.configure(names)
        pid = self.pid
        if pid is None:
            return
        if os.name != "nt":
            os.kill(pid, signal.SIGHUP)
        else:  # Windows has no signals (untested)
            self._control("reload")

    def stop(self, *, timeout_seconds: float) -> bool:
        """Shut the server down: its sessions are cut and its data written out; after the time it is killed.

        Frozen processes go on first. Returns whether it ended in order.
        """
        process = self._process
        in_order = False
        if process is not None and process.poll() is None:
            thaw_tree(process.pid)
            self._request_stop(process)
            in_order = self._await_end(process, timeout_seconds)
        self.kill()
        return in_order

    def stop_immediately(self, *, timeout_seconds: float) -> None:
        """End the server without a checkpoint: its next start recovers from the WAL, as after a crash."""
        process = self._process
        if process is not None and process.poll() is None and os.name != "nt":
            process.send_signal(signal.SIGQUIT)
            self._await_end(process, timeout_seconds)
        self.kill()

    def kill(self) -> int:
        """Kill the server and everything that serves its directory, frozen or not; return how many processes."""
        process = self._process
        tree = tree_of(process.pid) if process is not None and process.poll() is None else []
        kill_all(tree)
        left_over = end_servers(self.data)
        if process is not None:
            process.wait(_START_TIMEOUT_SECONDS)
        self._process = None
        return max(len(tree), left_over)

    def freeze(self) -> int:
        """Stop all of the server's processes where they are; return how many."""
        return freeze_tree(self.pid) if self.pid is not None else 0

    def thaw(self) -> int:
        """Continue the server's frozen processes; returns how many there were."""
        return thaw_tree(self.pid) if self.pid is not None else 0

    def _await_end(self, process: subprocess.Popen[bytes], timeout_seconds: float) -> bool:
        try:
            return process.wait(timeout_seconds) == 0
        except subprocess.TimeoutExpired:
            return False

    def _rotate_log(self) -> None:
        if self.log.exists() and self.log.stat().st_size > _LOG_LIMIT_BYTES:
            self.log.replace(self.log.with_name("server.log.1"))

    def _await_ready(self, process: subprocess.Popen[bytes], log_start: int, timeout_seconds: float) -> None:
        deadline = time.monotonic() + timeout_seconds
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise self._start_failure(log_start)
            if self._is_ready(process.pid):
                return
            time.sleep(_POLL_SECONDS)
        self.stop(timeout_seconds=1.0)
        raise UserError(
            f"the embedded server did not accept connections within {timeout_seconds:.0f} s; see {self.log}."
        )

    def _is_ready(self, pid: int) -> bool:
        try:
            lines = (self.data / "postmaster.pid").read_bytes().splitlines()
        except (FileNotFoundError, PermissionError):  # not written yet, or (Windows) just being written
            return False
        if len(lines) <= _PID_FILE_STATUS_LINE:
            return False
        return lines[0] == str(pid).encode() and lines[_PID_FILE_STATUS_LINE].strip() == b"ready"

    def _start_failure(self, log_start: int) -> Exception:
        with self.log.open("rb") as log:
            log.seek(log_start)
            output = log.read().decode(errors="replace")
        if "could not create any TCP/IP sockets" in output or "could not bind" in output:
            return PortTaken("the embedded server's port has just been taken by another program; start it again.")
        return UserError(f"the embedded server did not start: {complaint(output)}; details are in {self.log}.")

    def _request_stop(self, process: subprocess.Popen[bytes]) -> None:
        if os.name != "nt":
            process.send_signal(signal.SIGINT)
        else:  # Windows has no signals; pg_ctl knows the server's own way (untested)
            self._control("stop", "-m", "fast", "--no-wait")

    def _control(self, *arguments: str) -> None:
        subprocess.run(
            self._account.command("pg_ctl", *arguments, "-D", str(self.data)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=30.0,
            **without_console(),
        )


def pick_port(favourite: int | None) -> int:
    """A port of the loopback that nobody listens on: the favourite if it is free."""
    if favourite is not None and _is_free(favourite):
        return favourite
    for port in random.sample(_PORTS, 100):
        if _is_free(port):
            return port
    raise UserError(
        f"no free port for the embedded server was found from {_PORTS.start} to {_PORTS.stop - 1}; "
        "stop a program that listens there."
    )


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        if os.name != "nt":  # as the server does; on Windows the option would let two listen on one port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True
