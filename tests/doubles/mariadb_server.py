"""A real MariaDB or MySQL server for the tests: its program on a data directory and a port of its own.

The fixture ``mariadb_server`` keeps a MariaDB of the distribution for the session; a test that needs another one, or
other options, opens it with ``running_server``. ``tests.doubles.mysql_server`` has the builds of MySQL. A server
listens on the loopback alone, and shuts down when the tests' process is killed.
"""

import os
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from engine.lab.account import Identity
from engine.lab.node import pick_port
from engine.lab.processes import ending_with_parent, server_environment
from engine.secrets import Secret
from engine.target.target import MARIADB, Host, Target
from tests.templates import copy_or_make
from tests.waiting import wait_until

if os.name != "nt":
    import pwd

HOST = "127.0.0.1"
USER = "root"
_ACCOUNTS = ("mysql", "nobody")
_PORT_ATTEMPTS = 5
_START_SECONDS = 240.0
_STOP_SECONDS = 240.0
_READY = b"ready for connections"
_PORT_TAKEN = b"Bind on TCP/IP port"
# Small, so that several servers fit beside each other; the durability of a commit is the server's default.
_OPTIONS = (
    "--skip-networking=0",
    f"--bind-address={HOST}",
    "--skip-name-resolve",
    "--character-set-server=utf8mb4",
    "--max-connections=500",
    "--innodb-buffer-pool-size=128M",
    "--innodb-log-file-size=64M",
    "--innodb-flush-log-at-trx-commit=1",
    "--innodb-buffer-pool-dump-at-shutdown=OFF",
    "--key-buffer-size=1M",
)


@dataclass(frozen=True, slots=True)
class ServerBuild:
    """What differs between the builds of MariaDB and MySQL that the tests start.

    ``name`` is the build's among the others; ``server`` and ``installer`` are programs, by name or path, with the
    arguments that they always take; ``version`` finds the version in the log; ``first_statements`` are executed before
    anybody is let in for the first time.
    """

    kind: str
    name: str
    server: tuple[str, ...]
    installer: tuple[str, ...]
    options: tuple[str, ...]
    version: re.Pattern[str]
    first_statements: tuple[str, ...]


MARIADB_BUILD = ServerBuild(
    kind=MARIADB,
    name="mariadb",
    server=("mariadbd", "--no-defaults"),
    installer=(
        "mariadb-install-db",
        "--no-defaults",
        "--auth-root-authentication-method=normal",
        "--skip-test-db",
        "--force",  # where the machine's own name leads nowhere
    ),
    options=("--aria-pagecache-buffer-size=8M",),
    version=re.compile(r"Starting MariaDB ([\d.]+)"),
    first_statements=("DELETE FROM mysql.global_priv WHERE User IN ('root', '')", "FLUSH PRIVILEGES"),
)


_kept: "list[MariaDBServer]" = []


class MariaDBServer:
    """One MariaDB or MySQL server and its data. Start it from the main thread; its port is the same at each start.

    ``secret`` is the password of the user ``root``, who may connect over TCP alone.
    """

    def __init__(self, folder: Path, options: Sequence[str] = (), build: ServerBuild = MARIADB_BUILD) -> None:
        """Make the data in a folder, which has to be empty; ``options`` are the server's, such as ``--read-only``."""
        self.secret = Secret(secrets.token_urlsafe(12))
        self._folder = folder
        self._build = build
        self._options = [*_OPTIONS, *build.options, *options]
        self._identity = server_identity()
        self._port: int | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._install()

    @property
    def port(self) -> int:
        assert self._port is not None, "the server was never started"
        return self._port

    @property
    def host(self) -> Host:
        return Host(HOST, self.port)

    @property
    def pid(self) -> int | None:
        """The server's process; ``None`` when it is down."""
        return None if self._process is None or self._process.poll() is not None else self._process.pid

    @property
    def log(self) -> str:
        """What the server has said since its data were made."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    @property
    def version(self) -> str:
        """The version that the server has written to its log, such as ``10.11.19``."""
        said = self._build.version.search(self.log)
        assert said is not None, "the server was never started"
        return said[1]

    def target(self, database: str = "ds2") -> Target:
        return Target(kind=self._build.kind, hosts=(self.host,), database=database, user=USER, tls="disable")

    def start(self) -> None:
        """Start the server, and return when it lets clients in; nothing happens when it runs."""
        if self.pid is not None:
            return
        known = self._port
        for _ in range(_PORT_ATTEMPTS):
            self._port = known or pick_port(None)
            if self._starts():
                return
        pytest.fail(f"{self._name} did not start; it said:\n{self.log[-2000:]}")

    def stop(self) -> None:
        """Shut the server down in order."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the server (SIGKILL), frozen or not."""
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        self.stop()
        self.start()

    def freeze(self) -> None:
        """Stop the server where it is (SIGSTOP): it accepts connections, and answers nothing."""
        process = self._running()
        process.suspend()
        wait_until(lambda: process.status() == psutil.STATUS_STOPPED, "the server is frozen")

    def thaw(self) -> None:
        """Let a frozen server go on."""
        self._running().resume()

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    @property
    def _log(self) -> Path:
        return self._folder / "server.log"

    @property
    def _name(self) -> str:
        return Path(self._build.server[0]).name

    @property
    def _socket(self) -> Path:
        return self._data / "server.sock"

    @property
    def _first_words(self) -> Path:
        """What the server executes before it lets anybody in for the first time."""
        return self._folder / "first.sql"

    def _install(self) -> None:
        # As root the server runs under another account, which has to be able to enter; pytest's own folders are closed.
        self._folder.chmod(0o755)
        copy_or_make(self._build.name, self._data, self._make_data)
        statements = (
            *self._build.first_statements,
            f"CREATE USER '{USER}'@'%' IDENTIFIED BY '{self.secret.reveal()}'",
            f"GRANT ALL ON *.* TO '{USER}'@'%' WITH GRANT OPTION",
        )
        self._first_words.write_text("".join(f"{statement};\n" for statement in statements), encoding="utf-8")
        self._first_words.chmod(0o644)

    def _make_data(self) -> None:
        self._data.mkdir()
        if self._identity:
            os.chown(self._data, self._identity["user"], self._identity["group"])
        made = self._run(
            *self._build.installer,
            f"--datadir={self._data}",
            f"--tmpdir={self._data}",  # a server that starts removes what another has in the same one
            *_OPTIONS,
            *self._build.options,
        )
        _, errors = made.communicate(timeout=_START_SECONDS)
        assert made.returncode == 0, f"{self._build.installer[0]} failed: {errors.decode(errors='replace')}"
        # The identity of a MySQL server, which gives itself another one when it starts.
        (self._data / "auto.cnf").unlink(missing_ok=True)

    def _starts(self) -> bool:
        """Whether the server runs now; false when its port was taken meanwhile."""
        is_first = self._first_words.exists()
        # MySQL does not start beside the lock of a socket whose server was killed.
        self._socket.with_name(f"{self._socket.name}.lock").unlink(missing_ok=True)
        with self._log.open("ab") as log:
            before = log.tell()
            self._process = self._run(
                *self._build.server,
                f"--datadir={self._data}",
                f"--tmpdir={self._data}",
                f"--socket={self._socket}",
                f"--pid-file={self._data / 'server.pid'}",
                f"--port={self.port}",
                *([f"--init-file={self._first_words}"] if is_first else []),
                *self._options,
                output=log.fileno(),
            )
        process = self._process
        wait_until(
            lambda: process.poll() is not None or _READY in self._log_from(before),
            f"{self._name} is ready",
            timeout_seconds=_START_SECONDS,
        )
        if process.poll() is None:
            self._first_words.unlink(missing_ok=True)
            return True
        assert _PORT_TAKEN in self._log_from(before), f"{self._name} failed: {self.log[-2000:]}"
        return False

    def _log_from(self, offset: int) -> bytes:
        with self._log.open("rb") as log:
            log.seek(offset)
            return log.read()

    def _run(self, name: str, *arguments: str, output: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*ending_with_parent(), _program(name), *arguments],
            cwd=self._data,
            env=server_environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            **self._identity,
        )

    def _end(self, signal_number: int) -> None:
        if self._process is None:
            return
        self._process.send_signal(signal_number)
        self._process.wait(_STOP_SECONDS)

    def _running(self) -> psutil.Process:
        assert self.pid is not None, "the server is down"
        return psutil.Process(self.pid)


@contextmanager
def running_server(*options: str, build: ServerBuild = MARIADB_BUILD) -> Iterator[MariaDBServer]:
    """A server with data of its own, made in about two seconds and removed in the end; ``options`` are the server's."""
    folder = Path(tempfile.mkdtemp(prefix="spindle-mariadb-"))
    try:
        server = MariaDBServer(folder, options, build)
        _kept.append(server)
        try:
            server.start()
            yield server
        finally:
            server.kill()
            _kept.remove(server)
    finally:
        shutil.rmtree(folder)


def kept_processes() -> set[int]:
    """The processes of the servers that whoever opened them still keeps, in whichever test they were started."""
    return {server.pid for server in _kept if server.pid is not None}


def server_identity() -> Identity:
    """Nobody's identity when we are root, as whom the servers refuse to run."""
    if os.name == "nt" or os.geteuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = next(known[name] for name in _ACCOUNTS if name in known)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def _program(name: str) -> str:
    path = shutil.which(
        name, path=os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin"])
    )
    if path is None:
        pytest.fail(f"{name} is not installed; run make setup for the tests (packaging/setup.sh dev).")
    return path
