"""The account under which the servers run: our own, or an unprivileged one when we are root, whom PostgreSQL refuses.

Root has two ways. Where the lab's folder can be entered by others, the servers run under an account such as nobody
and own their data. Where it can't (a home with the mode 0700), they run in a user namespace in which root is nobody
(Linux; some containers forbid it). The owner of an existing data directory decides which way it was, and stays.
Called by the lab before anything is started.
"""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from engine.child_programs import without_console
from engine.errors import Remedy, RemedyKind, UserError
from engine.lab.binaries import bin_directory, copy_into, program
from engine.lab.folder import is_root
from engine.lab.processes import ending_with_parent, server_environment

if sys.platform != "win32":
    import pwd

_NOBODY = 65_534
_FAVOURITE = "nobody"
_NAMESPACE = ("unshare", "-U", f"--map-user={_NOBODY}", f"--map-group={_NOBODY}")
_PROBE_TIMEOUT_SECONDS = 30.0


class Identity(TypedDict, total=False):
    """The part of ``subprocess.Popen``'s arguments that says who runs a child."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, kw_only=True)
class Account:
    """Who runs the servers, and the directory of programs that this account can reach.

    ``prefix`` are the words before a server's command; ``uid`` and ``gid`` are ``None`` for our own account;
    ``note`` is what the user should know about it, empty when there is nothing.
    """

    programs: Path
    uid: int | None = None
    gid: int | None = None
    prefix: tuple[str, ...] = ()
    note: str = ""

    def command(self, name: str, *arguments: str) -> list[str]:
        """The words that run one of the programs under this account until we end, together with ``identity``."""
        return [*self.prefix, *ending_with_parent(), str(program(self.programs, name)), *arguments]

    @property
    def identity(self) -> Identity:
        if self.uid is None or self.gid is None:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def own(self, path: Path) -> None:
        """Make a file or directory of ours this account's."""
        if sys.platform != "win32" and self.uid is not None and self.gid is not None:
            os.chown(path, self.uid, self.gid)

    def can_run(self) -> bool:
        """Whether the server's programs start under this account: shown by one that needs the package's libraries."""
        try:
            answer = subprocess.run(
                self.command("initdb", "--version"),
                cwd=self.programs.anchor,
                env=server_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
                timeout=_PROBE_TIMEOUT_SECONDS,
                **self.identity,
                **without_console(),
            )
        except (OSError, subprocess.SubprocessError):
            return False
        return answer.returncode == 0


def choose_account(folder: Path, data: Path) -> Account:
    """The account for the servers of a lab's folder; ``data`` is the data directory, which may not exist yet.

    Raises ``UserError`` when there is none, or when the data directory is another user's.
    """
    if sys.platform == "win32":
        return Account(programs=bin_directory())
    owner = data.stat().st_uid if data.exists() else None
    if not is_root():
        if owner not in (None, os.geteuid()):
            raise UserError(
                f"the embedded server's data {data} belong to another user", remedy=Remedy(kind=RemedyKind.OTHER_HOME)
            )
        return Account(programs=bin_directory())
    account = None
    if owner != 0:
        account = _other_account(folder, owner)
    if account is None and owner in (None, 0):
        account = _namespace(folder)
    if account is None:
        raise UserError(
            f"the lab's folder {folder} can't be entered by an unprivileged account, and PostgreSQL refuses to run as"
            " root",
            remedy=Remedy(kind=RemedyKind.OTHER_HOME),
        )
    return account


if sys.platform != "win32":

    def _other_account(folder: Path, owner: int | None) -> Account | None:
        for entry in _candidates(owner):
            groups = os.getgrouplist(entry.pw_name, entry.pw_gid)
            if not may_enter(folder, entry.pw_uid, groups):
                continue
            note = f"PostgreSQL refuses to run as root: the embedded server runs under the account {entry.pw_name}."
            account = Account(programs=bin_directory(), uid=entry.pw_uid, gid=entry.pw_gid, note=note)
            if account.can_run():
                return account
            account = Account(programs=copy_into(folder), uid=entry.pw_uid, gid=entry.pw_gid, note=note)
            if account.can_run():
                return account
        return None

    def _candidates(owner: int | None) -> Iterator[pwd.struct_passwd]:
        entries = [entry for entry in pwd.getpwall() if entry.pw_uid != 0 and owner in (None, entry.pw_uid)]
        yield from sorted(entries, key=lambda entry: (entry.pw_name != _FAVOURITE, entry.pw_uid))


def _namespace(folder: Path) -> Account | None:
    note = "PostgreSQL refuses to run as root: the embedded server runs as nobody in a user namespace of its own."
    account = Account(programs=bin_directory(), prefix=_NAMESPACE, note=note)
    # Inside, root's rights over other people's folders are gone; what belongs to root remains within reach.
    return account if may_enter(folder, 0, [0]) and account.can_run() else None


def may_enter(folder: Path, uid: int, groups: Sequence[int]) -> bool:
    """Whether the modes of a folder and of every folder above it let an account pass through."""
    return all(_passes(place.stat(), uid, groups) for place in (folder, *folder.parents))


def _passes(status: os.stat_result, uid: int, groups: Sequence[int]) -> bool:
    if status.st_uid == uid:
        return bool(status.st_mode & stat.S_IXUSR)
    if status.st_gid in groups:
        return bool(status.st_mode & stat.S_IXGRP)
    return bool(status.st_mode & stat.S_IXOTH)
