"""Prepares a library's file before ``engine.library.library`` connects to it.

A missing file is created, one of an older version is backed up and migrated, one of a newer version is refused
unchanged, and a damaged one is renamed. Of a current one only the version is read, and SQLite's quick check is run if
the file is small or the last program that wrote it left its WAL behind.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from engine.errors import Remedy, RemedyKind, UserError
from engine.library.connecting import BUSY_SECONDS, is_damage, refused

REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009", "0010", "0011", "0012", "0013")
"""The versions that this Spindle can read, oldest first, the last being its own: so that Alembic needn't be asked."""

QUICK_CHECK_BYTES = 32_000_000
_LOCK_SECONDS = 30.0


class _Damaged(Exception):  # noqa: N818 - a finding about the file, for this module only
    """The file is not an SQLite database, or a damaged one."""


def prepare_library_file(path: Path, *, notify: Callable[[str], None]) -> None:
    """Create, migrate or replace the library at ``path`` as needed; creates the folder too.

    ``notify`` gets one sentence when a damaged library was renamed. Raises ``UserError`` for a library of a newer
    version, for another program's database, and for a file or folder that can't be written.
    """
    _make_folder(path)
    try:
        if _revision(path) == REVISIONS[-1]:
            return
    except (_Damaged, UserError, FileNotFoundError):
        pass  # looked at again below, where no other process can be setting it aside
    with _exclusive_lock(path):
        _migrate_file(path, notify)


def is_current(path: Path) -> bool:
    """Whether there is a library of this version at ``path``, without changing anything.

    A large file is not checked for damage: that takes seconds, and this runs when a command line is completed.
    """
    return _revision_if_readable(path) == REVISIONS[-1]


def is_older(path: Path) -> bool:
    """Whether there is a library of an older version, determined in the same way."""
    return _revision_if_readable(path) in REVISIONS[:-1]


def _revision_if_readable(path: Path) -> str | None:
    try:
        return _revision(path, small_only=True)
    except (_Damaged, UserError, OSError):
        return None


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error.strerror) from error
    if path.is_dir():
        raise _unwritable(path, "it is a folder")
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise _unwritable(path, "permission denied")


def _migrate_file(path: Path, notify: Callable[[str], None]) -> None:
    """Replace a damaged file or migrate an older one; the caller holds the lock."""
    try:
        revision = _revision(path)
    except _Damaged as damage:
        aside = _set_aside(path)
        notify(f"the library {path} was damaged ({damage}); it is kept as {aside.name}, and a new one was started.")
        revision = None
    if revision == REVISIONS[-1]:
        return
    if revision is not None:
        _back_up(path, revision)
    from engine.library.migrating import migrate

    migrate(path)


def _revision(path: Path, *, small_only: bool = False) -> str | None:
    """The version of the library at ``path``, ``None`` when there is none; writes nothing to the file.

    Raises ``_Damaged``, and ``UserError`` for a file that is refused or can't be read.
    """
    if not path.exists() or path.stat().st_size == 0:
        return None
    is_small = path.stat().st_size <= QUICK_CHECK_BYTES
    suspicious = is_small or (not small_only and _has_content(sidecar_path(path, "-wal")))
    try:
        with closing(_look(path)) as connection:
            revision = stored_revision(connection)
            if revision is not None and revision not in REVISIONS:
                raise UserError(
                    f"the library {path} needs the newer Spindle that wrote it (version {revision} of its tables)",
                    remedy=Remedy(kind=RemedyKind.OTHER_HOME),
                )
            if suspicious:
                _quick_check(connection)
            if revision is None and connection.execute("SELECT 1 FROM sqlite_master").fetchone():
                raise UserError(f"{path} is another program's database", remedy=Remedy(kind=RemedyKind.OTHER_HOME))
            return revision
    except sqlite3.Error as error:
        if is_damage(error):
            raise _Damaged(str(error)) from error
        raise refused(path, error) from error


def _look(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS)


def stored_revision(connection: sqlite3.Connection) -> str | None:
    """The version in Alembic's table; ``None`` when there is no such table."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone() is None:
        return None
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if row is None else str(row[0])


def _quick_check(connection: sqlite3.Connection) -> None:
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise _Damaged(" ".join(str(verdict).split()))


def _set_aside(path: Path) -> Path:
    """Rename a damaged library and SQLite's files beside it, the main file last, so that an interrupted rename is
    continued by the next start.

    Raises ``UserError`` when the system forbids it.
    """
    aside = _free_name(path, "corrupt")
    try:
        for suffix in ("-wal", "-shm", ""):
            if sidecar_path(path, suffix).exists():
                sidecar_path(path, suffix).rename(sidecar_path(aside, suffix))
    except OSError as error:
        raise UserError(
            f"the library {path} is damaged and can't be moved aside: {error.strerror}; move it yourself."
        ) from error
    return aside


def _back_up(path: Path, revision: str) -> None:
    """Copy the library to a file beside it before its tables are migrated, consistently even while others write to it.

    Raises ``UserError`` when there is not enough space.
    """
    copy = _free_name(path, f"version-{revision}")
    try:
        with closing(_look(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
    except sqlite3.Error as error:
        copy.unlink(missing_ok=True)
        raise refused(copy, error) from error


def _free_name(path: Path, what: str) -> Path:
    """The name of a file beside ``path`` that does not exist yet, with the time in it."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    name, number = path.with_name(f"{path.stem}.{what}-{stamp}{path.suffix}"), 1
    while name.exists():
        number += 1
        name = path.with_name(f"{path.stem}.{what}-{stamp}-{number}{path.suffix}")
    return name


@contextmanager
def _exclusive_lock(path: Path) -> Iterator[None]:
    """Keep other processes from migrating the same library at once. The lock is SQLite's lock on an empty file, which
    is released when the process ends."""
    try:
        with closing(sqlite3.connect(path.with_suffix(".lock"), timeout=_LOCK_SECONDS, isolation_level=None)) as lock:
            lock.execute("BEGIN EXCLUSIVE")
            yield
    except sqlite3.Error as error:
        raise refused(path, error) from error


def sidecar_path(path: Path, suffix: str) -> Path:
    """The path of a file that SQLite keeps beside a database: with ``-wal``, ``-shm`` or ``-journal`` appended."""
    return path.with_name(path.name + suffix)


def _has_content(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _unwritable(path: Path, reason: str | None) -> UserError:
    return UserError(f"the library {path} can't be written ({reason})", remedy=Remedy(kind=RemedyKind.OTHER_HOME))
