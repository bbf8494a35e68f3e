"""The ODBC drivers that are installed, and the best one for a target's kind."""

import re
import sys
from collections.abc import Sequence
from types import MappingProxyType

import pyodbc

from engine.databases.odbc import packaged_driver
from engine.errors import Remedy, RemedyKind, UserError
from engine.target.kinds import MARIADB, MSSQL, MYSQL, kind_facts

_MICROSOFT = r"ODBC Driver ([\d.]+) for SQL Server"
_FREETDS = r"FreeTDS|tdsodbc"
_MARIADB = r"MariaDB(?: Unicode| ODBC ([\d.]+) Driver)?"
_MYSQL = r"MySQL(?: ODBC ([\d.]+))?(?: Unicode)?(?: Driver)?"
_BEST_FIRST = MappingProxyType(
    {
        MSSQL: (_MICROSOFT, _FREETDS),
        MARIADB: (_MARIADB, _MYSQL),
        MYSQL: (_MYSQL, _MARIADB),
    }
)
_SQL_SERVER_PAGE = "learn.microsoft.com/sql/connect/odbc"
_MARIADB_PAGE = "mariadb.com/downloads/connectors"
_INSTALL = MappingProxyType(
    {
        (MSSQL, "win32"): f"install Microsoft's ODBC Driver 18 for SQL Server ({_SQL_SERVER_PAGE})",
        (MARIADB, "linux"): "install one with: apt install odbc-mariadb, or dnf install mariadb-connector-odbc",
        (MARIADB, "darwin"): "install one with: brew install mariadb-connector-odbc",
        (MARIADB, "win32"): f"install MariaDB Connector/ODBC ({_MARIADB_PAGE})",
    }
)


def driver_for(kind: str, wanted: str = "") -> str:
    """The name of the installed ODBC driver for a target's kind: the ``wanted`` one, or the best that there is.

    Raises ``UserError`` that names the remedy when there is none.
    """
    return best_driver(available_drivers(), kind, wanted)


def drivers_of(kind: str) -> tuple[str, ...]:
    """The names of the installed drivers that fit a target's kind, the best first."""
    return fitting_drivers(available_drivers(), kind)


def available_drivers() -> list[str]:
    """The names of the installed drivers, and that of Microsoft's where only its package has it."""
    installed = list(pyodbc.drivers())
    if packaged_driver.NAME not in installed and packaged_driver.packaged_library() is not None:
        installed.append(packaged_driver.NAME)
    return installed


def driver_keyword(name: str) -> str:
    """What a connection string's ``Driver`` is for a driver's name: the name, or the library of a packaged driver."""
    library = packaged_driver.packaged_library() if name == packaged_driver.NAME else None
    return name if library is None or name in pyodbc.drivers() else str(library)


def fitting_drivers(installed: Sequence[str], kind: str) -> tuple[str, ...]:
    """``drivers_of`` with the installed drivers given."""
    found: dict[str, None] = {}
    for pattern in _BEST_FIRST[kind]:
        fitting = [name for name in installed if re.fullmatch(pattern, name, re.IGNORECASE)]
        found |= dict.fromkeys(sorted(fitting, key=_version, reverse=True))
    return tuple(found)


def best_driver(installed: Sequence[str], kind: str, wanted: str = "", *, platform: str = sys.platform) -> str:
    """``driver_for`` with the installed drivers given: of those that fit, the newest."""
    if wanted:
        return _wanted(installed, wanted)
    fitting = fitting_drivers(installed, kind)
    if fitting:
        return fitting[0]
    raise _no_driver(kind, platform)


def _no_driver(kind: str, platform: str) -> UserError:
    cause = f"no ODBC driver for {kind_facts(kind).product} is installed"
    if kind == MSSQL and platform != "win32":
        if obstacle := packaged_driver.load_error():
            return UserError(
                f"Microsoft's ODBC driver in the package mssql-python-odbc can't be loaded ({obstacle}); install the"
                " system's package that has the library."
            )
        return UserError(cause, remedy=Remedy(kind=RemedyKind.INSTALL_SQL_SERVER_DRIVER))
    hint = _INSTALL.get((MSSQL if kind == MSSQL else MARIADB, platform), "install one")
    return UserError(f"{cause}; {hint}.")


def _wanted(installed: Sequence[str], wanted: str) -> str:
    for name in installed:
        if name.lower() == wanted.lower():
            return name
    known = f"these are: {', '.join(installed)}" if installed else "no other is either"
    raise UserError(f"driver is '{wanted}', which is not installed; {known}.")


def _version(name: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", name))
