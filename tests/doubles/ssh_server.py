"""A real SSH server on loopback, with host key, keys and known hosts of its own; needs the system's sshd and ssh.

The fixture ``local_sshd`` keeps one for the session; a test that ends it, or wants its own, enters an ``SshServer``. It
logs in the user who runs the tests, since only root could log in others, and takes keys only.
"""

import getpass
import os
import shutil
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

from engine.lab.node import pick_port
from engine.lab.processes import ending_with_parent
from engine.machines.access import SshAccess
from tests.waiting import wait_until

HOST = "127.0.0.1"
_SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
_RUN_FOLDER = Path("/run/sshd")  # root's sshd refuses to start without this folder


def why_no_ssh_server() -> str:
    """Why no SSH server can be had here; empty when one can."""
    if os.name == "nt":
        return "the tests' SSH server needs a Unix system"
    if _SSHD is None or shutil.which("ssh") is None:
        return "openssh-server and openssh-client are not installed"
    return ""


class SshServer:
    """Runs while it is entered. ``access`` reaches it; ``access_with`` with other known hosts or another key.

    ``host_key`` and ``other_key`` are public keys as known_hosts has them; ``unknown_key`` is the file of a private key
    that it does not accept. ``path`` are folders that come first on the PATH of what runs there; its home is empty.
    """

    def __init__(self, folder: Path, *, path: Sequence[Path] = ()) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.port = pick_port(None)
        self._key, self.unknown_key = _new_key(folder / "key"), _new_key(folder / "unknown_key")
        host_key, other = _new_key(folder / "host_key"), _new_key(folder / "other_host_key")
        self.host_key, self.other_key = _public(host_key), _public(other)
        self.known_hosts = f"[{HOST}]:{self.port} {self.host_key}\n"
        self._configurations = 0
        self._configuration = folder / "sshd_config"
        authorized = folder / "authorized_keys"
        authorized.write_text(_public(self._key) + "\n")
        # A shell that reads the start-up files of the account may wait in them, as for a lock of a killed session.
        home = folder / "home"
        home.mkdir()
        environment = [f"HOME={home}"]
        if path:
            environment.append(f"PATH={':'.join(map(str, path))}:{os.environ['PATH']}")
        lines: dict[str, object] = {
            "ListenAddress": f"{HOST}:{self.port}",
            "HostKey": host_key,
            "AuthorizedKeysFile": authorized,
            "PidFile": folder / "sshd.pid",
            "StrictModes": "no",  # the folder of the tests may be anybody's to write
            "UsePAM": "no",
            "PasswordAuthentication": "no",
            "KbdInteractiveAuthentication": "no",
            "PermitRootLogin": "prohibit-password",
            "MaxStartups": "100",
            "SetEnv": " ".join(environment),
        }
        self._configuration.write_text("".join(f"{name} {value}\n" for name, value in lines.items()))
        self.access = self.access_with()

    def access_with(self, *, known_hosts: str | None = None, key: Path | None = None) -> SshAccess:
        """An access with these known hosts in place of the right ones, or this private key."""
        self._configurations += 1
        at = self._folder / f"ssh_config_{self._configurations}"
        known = self._folder / f"known_hosts_{self._configurations}"
        known.write_text(self.known_hosts if known_hosts is None else known_hosts)
        lines = {
            "UserKnownHostsFile": known,
            "GlobalKnownHostsFile": "none",
            "IdentityFile": key or self._key,
            "IdentitiesOnly": "yes",
            "IdentityAgent": "none",
        }
        at.write_text("".join(f"{name} {value}\n" for name, value in lines.items()))
        return SshAccess(host=HOST, port=self.port, user=getpass.getuser(), config_file=str(at))

    def __enter__(self) -> Self:
        """Start it, and wait until it accepts connections."""
        assert _SSHD is not None
        if os.geteuid() == 0:
            _RUN_FOLDER.mkdir(mode=0o755, exist_ok=True)
        log = self._folder / "sshd.log"
        command = (_SSHD, "-D", "-f", str(self._configuration), "-E", str(log))
        self._process = subprocess.Popen((*ending_with_parent(), *command), stdin=subprocess.DEVNULL)
        wait_until(self._accepts, f"the SSH server listens (see {log})")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it, and with it the sessions that are open."""
        assert self._process is not None
        sessions = psutil.Process(self._process.pid).children(recursive=True)
        self._process.terminate()
        self._process.wait(60)
        for each in sessions:
            with suppress(psutil.NoSuchProcess):
                each.kill()

    def _accepts(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self._folder / "sshd.log").read_text()
        with suppress(OSError), socket.create_connection((HOST, self.port), timeout=5):
            return True
        return False


def _new_key(path: Path) -> Path:
    arguments = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "spindle-tests", "-f", str(path))
    subprocess.run(arguments, check=True, timeout=120)
    return path


def _public(key: Path) -> str:
    return " ".join(key.with_name(f"{key.name}.pub").read_text().split()[:2])
