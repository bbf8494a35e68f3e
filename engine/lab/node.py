"""One server of the lab: a data directory, and the PostgreSQL that we run on it as a child of our own.

Called by the lab, in the keeper's main thread. The caller holds the folder's lock.
"""

import os
import random
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from engine.errors import UserError
from engine.lab.account import Account
from engine.lab.configuration import postgresql_conf
from engine.lab.folder import write_private
from engine.lab.processes import end_servers, ending_with_parent, server_environment
from engine.secrets import Secret

USER = "postgres"
HOST = "127.0.0.1"
# Outside the range from which systems take the ports of outgoing connections: a user who reconnects in a loop to a
# server that is down could otherwise be given that very port, connect to itself, and keep the server from starting.
_PORTS = range(20_000, 30_000)
_INITDB_TIMEOUT_SECONDS = 120.0
_START_TIMEOUT_SECONDS = 120.0
_POLL_SECONDS = 0.01
_LOG_LIMIT_BYTES = 16 * 1024 * 1024
_PID_FILE_STATUS_LINE = 7
# The password is 192 random bits: repeated hashing protects guessable ones, and costs each connection 10 ms of CPU.
_SCRAM_ITERATIONS = 16
_INITDB_OPTIONS = (
    f"--username={USER}",
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--data-checksums",
    f"--set=scram_iterations={_SCRAM_ITERATIONS}",
)


class PortTaken(UserError):  # noqa: N818 - it reads as what it is
    """Another program listens on the port that the server was to use: the next one is tried."""


class Node:
    """A server: made, started and stopped here. ``folder`` holds its data directory and its log."""

    def __init__(self, folder: Path, account: Account) -> None:
        self.name = folder.name
        self.data = folder / "data"
        self.log = folder / "server.log"
        self._folder = folder
        self._account = account
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The server's process, or ``None`` when it does not run."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    @property
    def is_made(self) -> bool:
        """Whether the data directory is complete: it gets its name only then."""
        return (self.data / "PG_VERSION").exists()

    def make(self, password: Secret) -> None:
        """Make the data directory; what an earlier attempt left unfinished is thrown away.

        Raises ``UserError`` when initdb can't do it, or when something else stands in its place.
        """
        self._folder.mkdir(exist_ok=True)
        if self._account.uid is not None:
            self._folder.chmod(0o711)
        unfinished = self._folder / "data.unfinished"
        password_file = self._folder / "initdb.password"
        end_servers(unfinished)
        shutil.rmtree(unfinished, ignore_errors=True)
        self._clear_place()
        unfinished.mkdir(mode=0o700)
        self._account.own(unfinished)
        try:
            write_private(password_file, password.reveal())
            self._account.own(password_file)
            self._run_initdb(unfinished, password_file)
        finally:
            password_file.unlink(missing_ok=True)
        unfinished.rename(self.data)

    def start(self, port: int) -> None:
        """Start the server and wait until it accepts connections; what was left of an earlier one is ended first.

        Raises ``PortTaken``, or ``UserError`` when it does not start.
        """
        end_servers(self.data)
        # With the lock held and the directory swept nobody serves it: a pid file that is still there is stale, and
        # the server would heed it if its number now belonged to another process of the same account.
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        configuration = self.data / "postgresql.conf"
        write_private(configuration, postgresql_conf())
        self._account.own(configuration)
        self._rotate_log()
        log_start = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._account.command(
                    "postgres", "-D", str(self.data), "-p", str(port), "-c", f"cluster_name={self.name}"
                ),
                cwd=self.data.anchor,
                env=server_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=ending_with_parent(),  # noqa: PLW1509 - the keeper has one thread
                **self._account.identity,
            )
        self._await_ready(self._process, log_start)

    def stop(self, *, timeout_seconds: float) -> None:
        """Shut the server down: its sessions are cut and its data written out; after the time it is killed."""
        process = self._process
        if process is not None and process.poll() is None:
            self._ask_to_stop(process)
            try:
                process.wait(timeout_seconds)
            except subprocess.TimeoutExpired:
                end_servers(self.data)
                process.kill()
                process.wait(timeout_seconds)
        end_servers(self.data)
        self._process = None

    def _clear_place(self) -> None:
        if self.data.exists():
            try:
                self.data.rmdir()
            except OSError as error:
                raise UserError(
                    f"{self.data} is no PostgreSQL data directory; move it away, or give --home (or SPINDLE_HOME) "
                    "another folder."
                ) from error

    def _run_initdb(self, data: Path, password_file: Path) -> None:
        try:
            answer = subprocess.run(
                self._account.command("initdb", "-D", str(data), f"--pwfile={password_file}", *_INITDB_OPTIONS),
                cwd=data.anchor,
                env=server_environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                timeout=_INITDB_TIMEOUT_SECONDS,
                preexec_fn=ending_with_parent(),
                **self._account.identity,
            )
        except subprocess.TimeoutExpired as error:
            end_servers(data)
            raise UserError(
                f"the embedded server's data were not made within {_INITDB_TIMEOUT_SECONDS:.0f} s; look whether the "
                f"disk of {data.parent} is overloaded, and start again."
            ) from error
        if answer.returncode != 0:
            output = answer.stderr.decode(errors="replace") + answer.stdout.decode(errors="replace")
            with self.log.open("a", encoding="utf-8") as log:
                log.write(output)
            raise UserError(
                f"the embedded server's data could not be made: {_complaint(output)}; the whole story is in {self.log}."
            )

    def _rotate_log(self) -> None:
        if self.log.exists() and self.log.stat().st_size > _LOG_LIMIT_BYTES:
            self.log.replace(self.log.with_name("server.log.1"))

    def _await_ready(self, process: subprocess.Popen[bytes], log_start: int) -> None:
        deadline = time.monotonic() + _START_TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise self._start_failure(log_start)
            if self._is_ready(process.pid):
                return
            time.sleep(_POLL_SECONDS)
        self.stop(timeout_seconds=1.0)
        raise UserError(
            f"the embedded server did not accept connections within {_START_TIMEOUT_SECONDS:.0f} s; "
            f"look into {self.log}."
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
            return PortTaken("the embedded server's port was taken by another program just now; start it again.")
        return UserError(f"the embedded server did not start: {_complaint(output)}; the whole story is in {self.log}.")

    def _ask_to_stop(self, process: subprocess.Popen[bytes]) -> None:
        if os.name != "nt":
            process.send_signal(signal.SIGINT)
            return
        # Windows has no signals; pg_ctl knows the server's own way (untested).
        subprocess.run(
            self._account.command("pg_ctl", "stop", "-D", str(self.data), "-m", "fast", "--no-wait"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=30.0,
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
        "end what listens there."
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


def _complaint(output: str) -> str:
    """The line of a program's output that says what is wrong."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    wrong = [line for line in lines if "FATAL:" in line or "PANIC:" in line or "error:" in line]
    line = (wrong or lines or ["it said nothing"])[-1]
    for mark in ("FATAL:", "PANIC:", "error:"):
        line = line.rpartition(mark)[2]
    return line.strip().rstrip(".")
