"""Tries each file that ``make package`` has built in a clean root: ``make package-test``. The roots contain only
Debian's base packages, without any Python, and Spindle runs there as an ordinary user without ``PATH``. Needs root.
Prints the seconds of each test; the first failure ends it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
    """The wheel, installed by pipx outside the tree and run by its command from another folder."""
    with _python_environment() as folder:
        _call(folder / "bin/pip", "install", "-q", "pipx")
        variables = {"PIPX_HOME": str(folder / "pipx"), "PIPX_BIN_DIR": str(folder / "commands")}
        versions = f"--pip-args=--constraint={ROOT / 'packaging/constraints.txt'}"
        _call(folder / "bin/pipx", "install", versions, f"{_only('*.whl')}[cluster]", **variables)
        _try_here(folder / "commands/spindle", folder)


def _sdist() -> None:
    """The sdist, installed by pip outside the tree, which compiles its modules."""
    with _python_environment() as folder:
        versions = ROOT / "packaging/constraints.txt"
        _call(folder / "bin/pip", "install", "-q", "-c", versions, f"{_only('*.tar.gz')}[cluster]")
        _call(folder / "bin/python", "-c", "import engine.driver._counting")
        _try_here(folder / "bin/spindle", folder)


@contextmanager
def _python_environment() -> Iterator[Path]:
    """A fresh environment in a folder that everybody may read."""
    with tempfile.TemporaryDirectory(prefix="spindle-smoke-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        _call("/usr/bin/python3", "-m", "venv", folder)
        yield folder


def _try_here(spindle: Path, folder: Path) -> None:
    home = folder / "home"
    home.mkdir()
    _call("sh", ROOT / "packaging/smoke/command_line.sh", spindle, home)


def _call(*command: str | Path, **variables: str) -> None:
    """Run a program outside the tree. Raises ``SystemExit`` if it fails."""
    done = subprocess.run(command, cwd="/", env=os.environ | variables, check=False)
    if done.returncode != 0:
        raise SystemExit(f"make package-test: {' '.join(map(str, command))} failed with exit code {done.returncode}")


def _archive() -> None:
    """The archive, unpacked into a folder with a space in its name, in a system without any window libraries."""
    with CleanRoot(WORK) as root:
        _try_folder(root, _only("spindle-*.tar.zst"), "my programs", "spindle/spindle")


def _debian() -> None:
    """The Debian package: installed by apt, tried with its window, removed."""
    package = _only("*.deb")
    with CleanRoot(WORK) as root:
        shutil.copy(package, root.path / "srv")
        root.call("apt-get update -q")
        before = root.files()
        root.call(f"apt-get install -q -y --no-install-recommends /srv/{package.name}")
        _try_command_line(root, "/usr/bin/spindle")
        root.call("cd /usr/share && test -s bash-completion/completions/spindle -a -s applications/spindle.desktop")
        print(f"  {try_window(root, '/usr/bin/spindle')}", flush=True)
        root.call("apt-get purge -q -y spindle && apt-get autoremove -q -y --purge")
        _require_removed(root, before)


def _appdir() -> None:
    with CleanRoot(WORK) as root:
        _try_folder(root, _only("Spindle-*.AppDir.tar.zst"), "apps", "Spindle.AppDir/AppRun")


def _try_folder(root: CleanRoot, archive: Path, place: str, program: str) -> None:
    """Unpack an archive into a folder of the user's, use the program in it, and remove the folder."""
    before = root.files()
    home = f"/home/{root.user}"
    folder = root.path / home[1:] / place
    folder.mkdir()
    subprocess.run(["tar", "--extract", "--zstd", "--file", archive, "--directory", folder], check=True)
    _try_command_line(root, f"{home}/{place}/{program}")
    shutil.rmtree(folder)
    _require_removed(root, before)


def _try_command_line(root: CleanRoot, spindle: str) -> None:
    shutil.copy(ROOT / "packaging/smoke/command_line.sh", root.path / "srv")
    root.call(f"sh /srv/command_line.sh '{spindle}' /home/{root.user}", user=root.user, is_shown=True)


def _require_removed(root: CleanRoot, before: set[str]) -> None:
    """Raise ``SystemExit`` if a removed program has left files, or if the user's own data was removed too."""
    if left := root.files() - before:
        raise SystemExit(f"left after its removal: {', '.join(sorted(left)[:10])}")
    home = root.path / "home" / root.user
    if not (home / "spindle data" / "library.sqlite").exists():
        raise SystemExit("the user's library is gone with the program")
    print("  removed without a trace, the user's library kept", flush=True)


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
