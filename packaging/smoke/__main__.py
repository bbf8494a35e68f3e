"""Tries what ``make package`` has built, each in a clean root: ``make package-test``.

The roots are Debian's base packages alone, without any Python, and Spindle runs there as an ordinary user without
``PATH``. Needs root. Prints the seconds of each test; the first failure ends it.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from clean_root import CleanRoot
from window import try_window

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
WORK = ROOT / "build" / "smoke"


def main() -> int:
    chosen = sys.argv[1:] or list(_TESTS)
    if os.geteuid() != 0:
        raise SystemExit("make package-test: needs root, for roots of its own.")
    WORK.mkdir(parents=True, exist_ok=True)
    for name in chosen:
        began = time.monotonic()
        print(f"{name}:", flush=True)
        _TESTS[name]()
        print(f"{name}: passed in {time.monotonic() - began:.0f} s", flush=True)
    return 0


def _wheel() -> None:
    """Installed into a fresh environment outside the tree, and by that environment's own command used elsewhere."""
    _in_python_environment(_only("*.whl"))


def _sdist() -> None:
    _in_python_environment(_only("*.tar.gz"))


def _in_python_environment(package: Path) -> None:
    environment = Path("/tmp/spindle-smoke") / package.name.split("-")[-1]  # noqa: S108 - outside the tree
    shutil.rmtree(environment, ignore_errors=True)
    try:
        subprocess.run(["python3", "-m", "venv", environment], check=True)
        constraints = ROOT / "packaging" / "constraints.txt"
        subprocess.run([environment / "bin/pip", "install", "-q", "-c", constraints, f"{package}[cluster]"], check=True)
        home = environment / "home"
        home.mkdir()
        subprocess.run(["sh", ROOT / "packaging/smoke/command_line.sh", environment / "bin/spindle", home], check=True)
    finally:
        shutil.rmtree(environment, ignore_errors=True)


def _archive() -> None:
    """Unpacked into a folder with a space in its name, in a system without any of the libraries of a window."""
    with CleanRoot(WORK) as root:
        place = root.path / "home" / root.user / "my programs"
        place.mkdir()
        _unpack(_only("spindle-*.tar.zst"), place)
        _try_command_line(root, f"/home/{root.user}/my programs/spindle/spindle")


def _debian() -> None:
    """Installed by apt, tried with its window, removed: only what the user has made is left."""
    package = _only("*.deb")
    with CleanRoot(WORK) as root:
        shutil.copy(package, root.path / "tmp")
        root.call("apt-get update -q && apt-get install -q -y --no-install-recommends fonts-dejavu-core", is_quiet=True)
        before = root.files()
        root.call(f"apt-get install -q -y --no-install-recommends /tmp/{package.name}", is_quiet=True)
        _try_command_line(root, "/usr/bin/spindle")
        root.call("cd /usr/share && test -s bash-completion/completions/spindle -a -s applications/spindle.desktop")
        print(f"  {try_window(root, '/usr/bin/spindle')}", flush=True)
        root.call("apt-get purge -q -y spindle && apt-get autoremove -q -y --purge", is_quiet=True)
        if left := root.files() - before:
            raise SystemExit(f"left after its removal: {', '.join(sorted(left)[:10])}")
        if not (root.path / "home" / root.user / "spindle data" / "library.sqlite").exists():
            raise SystemExit("the user's library is gone with the package")


def _appdir() -> None:
    with CleanRoot(WORK) as root:
        place = root.path / "home" / root.user
        _unpack(_only("Spindle-*.AppDir.tar.zst"), place)
        _try_command_line(root, f"/home/{root.user}/Spindle.AppDir/AppRun")


def _try_command_line(root: CleanRoot, spindle: str) -> None:
    shutil.copy(ROOT / "packaging/smoke/command_line.sh", root.path / "tmp")
    root.call(f"sh /tmp/command_line.sh '{spindle}' /home/{root.user}", user=root.user)


def _unpack(archive: Path, place: Path) -> None:
    subprocess.run(["tar", "--extract", "--zstd", "--file", archive, "--directory", place], check=True)


def _only(pattern: str) -> Path:
    found = sorted(DIST.glob(pattern))
    if len(found) != 1:
        raise SystemExit(f"make package-test: there are {len(found)} files dist/{pattern}; run make package first.")
    return found[0]


_TESTS: dict[str, Callable[[], None]] = {
    "wheel": _wheel,
    "sdist": _sdist,
    "archive": _archive,
    "debian": _debian,
    "appdir": _appdir,
}

if __name__ == "__main__":
    sys.exit(main())
