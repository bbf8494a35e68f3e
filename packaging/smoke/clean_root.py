"""A root with only Debian's base packages, in which programs are run as another user."""

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Self

_SUITE = "bookworm"
# The mounts and the processes end with the namespace.
_NAMESPACE = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
_MOUNTS = """\
mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t tmpfs -o mode=1777 tmpfs "$0/dev/shm" &&
exec chroot --userspec="$1" "$0" env -i HOME="$2" PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
DEBIAN_FRONTEND=noninteractive $4 sh -c "$3"
"""


class CleanRoot:
    """A fresh copy of the base packages below ``work``, removed at the end."""

    user = "tester"

    def __init__(self, work: Path) -> None:
        self._base = _base_packages(work)
        self.path = Path(tempfile.mkdtemp(prefix="root-", dir=work))

    def __enter__(self) -> Self:
        self.path.rmdir()
        subprocess.run(["cp", "-a", self._base, self.path], check=True)
        self.path.chmod(0o755)
        self.call(f"useradd --create-home {self.user} && test ! -e /usr/bin/python3")
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path)

    def start(self, command: str, *, user: str = "root", variables: str = "", **options: Any) -> subprocess.Popen[str]:
        """Start a shell's command in the root, with its own processes, ``/proc`` and ``/dev``."""
        home = "/root" if user == "root" else f"/home/{user}"
        words = [*_NAMESPACE, "sh", "-c", _MOUNTS, self.path, user, home, command, variables]
        return subprocess.Popen(words, text=True, stdin=subprocess.DEVNULL, **options)

    def call(self, command: str, *, user: str = "root", is_shown: bool = False) -> str:
        """Run a shell's command in the root; returns its output, or shows it. Raises ``SystemExit`` if it fails."""
        pipe = None if is_shown else subprocess.PIPE
        process = self.start(command, user=user, stdout=pipe, stderr=None if is_shown else subprocess.STDOUT)
        printed, _ = process.communicate()
        if process.returncode != 0:
            raise SystemExit(f"{(printed or '')[-3000:]}\nin the clean root: {command} failed ({process.returncode})")
        return printed or ""

    def files(self) -> set[str]:
        """All files of the system except those of users, the package manager's records, and the tests' files."""
        others = ("home/", "srv/", "var/cache/", "var/lib/apt/", "var/lib/dpkg/", "var/log/")
        found = (str(each.relative_to(self.path)) for each in self.path.rglob("*"))
        return {each for each in found if not each.startswith(others)}


def _base_packages(work: Path) -> Path:
    base = work / f"base-{_SUITE}"
    if not base.exists():
        print(f"  fetching the base packages of {_SUITE}", flush=True)
        unfinished = work / f"unfinished-{_SUITE}"
        shutil.rmtree(unfinished, ignore_errors=True)
        subprocess.run(["debootstrap", "--variant=minbase", _SUITE, unfinished], check=True, stdout=subprocess.DEVNULL)
        unfinished.rename(base)
    return base
