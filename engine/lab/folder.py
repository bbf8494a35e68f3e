"""What stands in a lab's folder besides the servers' data: the keeper's address, password, ports, roles, the lock.

The keeper writes these files, the apps that attach to it read them.
"""

import json
import os
import secrets
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import Remedy, RemedyKind, UserError
from engine.files.lock import FileLock
from engine.secrets import Secret

_SECRET_BYTES = 24


@dataclass(frozen=True, kw_only=True)
class KeeperAddress:
    """The port of the lab's keeper on loopback, and the token that it requires."""

    port: int
    token: str = field(repr=False)
    pid: int


@dataclass(frozen=True, kw_only=True)
class Roles:
    """The node that is the primary, and the nodes whose data lead to the primary's: they can follow as they are."""

    primary: str = "node1"
    in_line: frozenset[str] = frozenset()


class LabFolder:
    """The folder of one lab and the files in it; every file with a secret has the mode 0600."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.keeper_log = self.root / "keeper.log"
        self._address = self.root / "keeper.json"
        self._password = self.root / "password"
        self._ports = self.root / "ports.json"
        self._roles = self.root / "roles.json"

    def create(self) -> None:
        """Make the folder; as root others may enter it, since the servers run under another account.

        Raises ``UserError`` when it can't be made or written.
        """
        try:
            with suppress(FileExistsError):  # made before, or by another app at the same time
                self.root.mkdir(parents=True)
                self.root.chmod(0o711 if is_root() else 0o700)
            usable = self.root.is_dir() and os.access(self.root, os.W_OK | os.X_OK)
        except OSError as error:
            raise self._unusable(error.strerror or str(error)) from error
        if not usable:
            raise self._unusable("it is not a folder that can be written")

    def node(self, name: str) -> Path:
        """The folder of one of the lab's servers."""
        return self.root / name

    def read_address(self) -> KeeperAddress | None:
        """The running keeper's address, or ``None`` without one. Raises ``UserError`` when it is another user's."""
        try:
            kept = json.loads(self._address.read_text(encoding="utf-8"))
            return KeeperAddress(port=int(kept["port"]), token=str(kept["token"]), pid=int(kept["pid"]))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None
        except PermissionError as error:
            raise self._unusable("its files belong to another user") from error

    def write_address(self, address: KeeperAddress) -> None:
        write_private(
            self._address, json.dumps({"port": address.port, "token": address.token, "pid": address.pid}) + "\n"
        )

    def forget_address(self) -> None:
        self._address.unlink(missing_ok=True)

    def read_ports(self) -> dict[str, int]:
        """The ports of the last start: by node for the servers, and by what listens for the lab's proxies."""
        try:
            return {str(name): int(port) for name, port in json.loads(self._ports.read_text("ascii")).items()}
        except (FileNotFoundError, ValueError, TypeError, AttributeError):
            return {}

    def write_port(self, name: str, port: int) -> None:
        """Keep a port for the next start."""
        ports = self.read_ports()
        if ports.get(name) != port:
            write_private(self._ports, json.dumps(ports | {name: port}) + "\n")

    def read_roles(self) -> Roles:
        """The primary and the nodes that can follow it; without the file, the first node and none."""
        try:
            kept = json.loads(self._roles.read_text("ascii"))
            return Roles(primary=str(kept["primary"]), in_line=frozenset(str(name) for name in kept["in_line"]))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return Roles()

    def write_roles(self, roles: Roles) -> None:
        text = json.dumps({"primary": roles.primary, "in_line": sorted(roles.in_line)})
        write_private(self._roles, text + "\n")

    def password(self) -> Secret:
        """The servers' password. Raises ``UserError`` when its file is missing."""
        try:
            return Secret(self._password.read_text(encoding="ascii").strip())
        except FileNotFoundError as error:
            raise UserError(
                f"the embedded server's password file {self._password} is missing; put it back, or remove the folder "
                f"{self.root} to start with an empty server."
            ) from error

    def make_password(self) -> Secret:
        """The servers' password, made up when there is none yet: for the first start of a server."""
        if not self._password.exists():
            write_private(self._password, secrets.token_urlsafe(_SECRET_BYTES) + "\n")
        return self.password()

    def _unusable(self, reason: str) -> UserError:
        return UserError(
            f"the lab's folder {self.root} can't be used: {reason}", remedy=Remedy(kind=RemedyKind.OTHER_HOME)
        )


class FolderLock(FileLock):
    """The right to run the servers of a folder: held by the one keeper for as long as it lives."""

    def __init__(self, folder: LabFolder) -> None:
        super().__init__(folder.root / "keeper.lock")


def is_root() -> bool:
    """Whether we run as the superuser, whom PostgreSQL refuses to serve."""
    return sys.platform != "win32" and os.geteuid() == 0


def write_private(path: Path, text: str) -> None:
    """Replace a file at once by one that only its owner can read."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    fresh.replace(path)
