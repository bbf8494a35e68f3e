"""Microsoft's ODBC Driver 18 for SQL Server from the package ``mssql-python-odbc``, which needs no installation.

The extra ``mssql`` installs the package. ODBC's driver managers of Linux and macOS take the path of a driver's library
in place of a name. That of Windows takes only names from the registry, where an administrator's installer writes them:
the package has the library for Windows, but there Microsoft's own installer is needed.
"""

import ctypes
import importlib.util
import platform
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

NAME = "ODBC Driver 18 for SQL Server"
_PACKAGE = "mssql_python_odbc"
_FAMILIES = {
    "alpine": "alpine",
    "rhel": "rhel",
    "fedora": "rhel",
    "centos": "rhel",
    "suse": "suse",
    "opensuse": "suse",
    "sles": "suse",
}
_DEFAULT_FAMILY = "debian_ubuntu"
_ARCHITECTURES = {"amd64": "x86_64", "aarch64": "arm64"}


def packaged_library() -> Path | None:
    """The driver's library, if the package is installed, has it for this system, and it can be loaded."""
    return _loaded()[0]


def load_error() -> str:
    """Why the package's library for this system can't be loaded, in the system's words; else empty."""
    return _loaded()[1]


@cache
def _loaded() -> tuple[Path | None, str]:
    library = library_in(_folder(), sys.platform, platform.machine(), _release())
    if library is None:
        return None, ""
    try:
        ctypes.CDLL(str(library))
    except OSError as error:  # most often Kerberos' libraries are not installed
        return None, str(error)
    return library, ""


def library_in(folder: Path | None, system: str, machine: str, release: Mapping[str, str]) -> Path | None:
    """The library in the package's folder for a system (``sys.platform``), a machine and a Linux' ``os-release``."""
    if folder is None or system == "win32":
        return None
    architecture = _ARCHITECTURES.get(machine.lower(), machine.lower())
    if system == "darwin":
        place, pattern = folder / "libs" / "macos" / architecture, "libmsodbcsql*.dylib"
    else:
        names = f"{release.get('ID', '')} {release.get('ID_LIKE', '')}".lower().replace("-", " ").split()
        family = next((_FAMILIES[name] for name in names if name in _FAMILIES), _DEFAULT_FAMILY)
        place, pattern = folder / "libs" / "linux" / family / architecture, "libmsodbcsql*.so*"
    found = sorted(place.glob(f"lib/{pattern}"))
    return found[-1] if found else None


def _folder() -> Path | None:
    spec = importlib.util.find_spec(_PACKAGE)
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def _release() -> Mapping[str, str]:
    try:
        return platform.freedesktop_os_release()
    except OSError:
        return {}
