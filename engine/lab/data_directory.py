"""How a server's data directory comes to be: made empty, copied from the primary, or rewound to follow it.

Called by the nodes. A directory gets its name only when it is complete.
"""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from engine.child_programs import without_console
from engine.errors import Remedy, RemedyKind, UserError
from engine.lab.account import Account
from engine.lab.configuration import USER, conninfo, postgresql_conf
from engine.lab.folder import write_private
from engine.lab.processes import end_servers, server_environment
from engine.secrets import Secret

_INITDB_TIMEOUT_SECONDS = 120.0
_REWIND_TIMEOUT_SECONDS = 300.0
_COPY_TIMEOUT_SECONDS = 3_600.0
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


@dataclass(frozen=True)
class DataDirectory:
    """The data directory of one node, in the node's ``folder``, owned by the servers' account."""

    folder: Path
    account: Account

    @property
    def path(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    @property
    def passfile(self) -> Path:
        """The password as libpq reads it, for the server that follows another."""
        return self.folder / "passfile"

    @property
    def is_made(self) -> bool:
        return (self.path / "PG_VERSION").exists()

    @property
    def is_standbys(self) -> bool:
        """Whether a server that starts here would follow another one."""
        return (self.path / "standby.signal").exists()

    def make(self, password: Secret) -> None:
        """Make the data of an empty server; what an earlier attempt left unfinished is thrown away.

        Raises ``UserError`` when initdb can't do it, or when something else stands in its place.
        """
        self._make_folder()
        unfinished = self._fresh("data.unfinished")
        self._clear_place()
        password_file = self.folder / "initdb.password"
        try:
            self._write_owned(password_file, password.reveal())
            command = ["-D", str(unfinished), f"--pwfile={password_file}", *_INITDB_OPTIONS]
            self._run("initdb", command, unfinished, _INITDB_TIMEOUT_SECONDS)
        finally:
            password_file.unlink(missing_ok=True)
        unfinished.rename(self.path)

    def copy_from(self, port: int, password: Secret) -> None:
        """Take a base backup of the server on a port in the place of what is here. Raises ``UserError``."""
        self._make_folder()
        self.write_passfile(password)
        unfinished = self._fresh("data.unfinished")
        command = ["-D", str(unfinished), "-d", conninfo(port, self.passfile), "-X", "stream", "-c", "fast"]
        self._run("pg_basebackup", [*command, "--no-manifest", "--no-sync"], unfinished, _COPY_TIMEOUT_SECONDS)
        end_servers(self.path)
        shutil.rmtree(self.path, ignore_errors=True)
        unfinished.rename(self.path)

    def rewind_to(self, port: int, password: Secret) -> None:
        """Take back what the server on a port never had, so that it can be followed. Raises ``UserError``."""
        self.write_passfile(password)
        (self.path / "postmaster.pid").unlink(missing_ok=True)
        # The rewind begins with a crash recovery, by a server that reads our settings and must not follow anybody.
        self.configure(())
        self.follow(follows=False)
        source = f"--source-server={conninfo(port, self.passfile)}"
        self._run("pg_rewind", ["-D", str(self.path), source, "--no-sync"], self.path, _REWIND_TIMEOUT_SECONDS)

    def configure(self, synchronous: tuple[str, ...]) -> None:
        """Write postgresql.conf; a running server applies it when it is reloaded."""
        self._write_owned(self.path / "postgresql.conf", postgresql_conf(synchronous))

    def follow(self, *, follows: bool) -> None:
        """Have the next start follow another server, or not."""
        signal_file = self.path / "standby.signal"
        if follows:
            self._write_owned(signal_file, "")
        else:
            signal_file.unlink(missing_ok=True)

    def write_passfile(self, password: Secret) -> None:
        self._write_owned(self.passfile, f"*:*:*:{USER}:{password.reveal()}\n")

    def _make_folder(self) -> None:
        self.folder.mkdir(exist_ok=True)
        if self.account.uid is not None:
            self.folder.chmod(0o711)

    def _fresh(self, name: str) -> Path:
        directory = self.folder / name
        end_servers(directory)
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(mode=0o700)
        self.account.own(directory)
        return directory

    def _write_owned(self, path: Path, text: str) -> None:
        write_private(path, text)
        self.account.own(path)

    def _clear_place(self) -> None:
        if self.path.exists():
            try:
                self.path.rmdir()
            except OSError as error:
                raise UserError(
                    f"{self.path} is in the way: it is not a PostgreSQL data directory",
                    remedy=Remedy(kind=RemedyKind.OTHER_HOME),
                ) from error

    def _run(self, name: str, arguments: list[str], data: Path, timeout_seconds: float) -> None:
        try:
            answer = subprocess.run(
                self.account.command(name, *arguments),
                cwd=data.anchor,
                env=server_environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                timeout=timeout_seconds,
                **self.account.identity,
                **without_console(),
            )
        except subprocess.TimeoutExpired as error:
            end_servers(data)
            raise UserError(
                f"the embedded server's data were not created within {timeout_seconds:.0f} s ({name}); check whether "
                f"the disk of {data.parent} is overloaded, and start again."
            ) from error
        if answer.returncode != 0:
            output = answer.stderr.decode(errors="replace") + answer.stdout.decode(errors="replace")
            with self.log.open("a", encoding="utf-8") as log:
                log.write(output)
            raise UserError(
                f"the embedded server's data could not be created ({name}): {complaint(output)}; details are in "
                f"{self.log}."
            )


def complaint(output: str) -> str:
    """The line of a program's output with the error."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    wrong = [line for line in lines if "FATAL:" in line or "PANIC:" in line or "error:" in line]
    line = (wrong or lines or ["it said nothing"])[-1]
    for mark in ("FATAL:", "PANIC:", "error:"):
        line = line.rpartition(mark)[2]
    return line.strip().rstrip(".")
