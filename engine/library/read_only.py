"""Opens a library that can't be written: on a full or read-only disk, or without write permission.

Even to read, SQLite writes beside the library: an index of the -wal file, which holds the newest commits. So there are
four cases:

- with such an index, since another process has the library open, or could not empty the -wal file at its end, SQLite
  reads it as ever;
- without a -wal file the library's own file holds everything, and is read as immutable;
- with one on a full disk, SQLite keeps the index in this process's memory, and other processes are locked out
  meanwhile;
- with one that can't be written, both files are copied to a disk with space, and the copy is opened.

``Library.open`` calls ``open_on_full_disk`` where SQLite can open the library, else ``open_read_only``.
"""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine

from engine.errors import UserError
from engine.files.disk_space import why_unwritable
from engine.library.connecting import connect_to_read, read_only_uri
from engine.library.opening import REVISIONS, sidecar_path, stored_revision

_HAS_EXCLUSIVE_FILES = os.name == "posix"  # SQLite's "unix-excl"


@dataclass(frozen=True)
class ReadOnlyLibrary:
    """An engine that reads a library, and why it can't write; ``release`` removes its temporary files."""

    engine: Engine
    reason: str
    release: Callable[[], None]


def open_on_full_disk(path: Path) -> ReadOnlyLibrary | None:
    """The library at ``path``, which SQLite can open, for reading only; ``None`` where its disk has room."""
    reason = why_unwritable(path)
    return ReadOnlyLibrary(connect_to_read(path, reason=reason), reason, lambda: None) if reason else None


def open_read_only(path: Path) -> ReadOnlyLibrary | None:
    """The library at ``path`` for reading only; ``None`` when there is none that can be read, or it can be written.

    Raises ``UserError`` when a copy is needed and there is no space for it.
    """
    reason = why_unwritable(path)
    if not reason or not path.is_file():
        return None
    has_wal = _has_content(sidecar_path(path, "-wal"))
    if not has_wal:
        return _opened(path, read_only_uri(path, immutable=True), reason)
    if _HAS_EXCLUSIVE_FILES and os.access(path, os.W_OK):
        return _opened(path, read_only_uri(path, exclusive=True), reason)
    return _copied(path, reason)


def _opened(path: Path, uri: str, reason: str, *, release: Callable[[], None] = lambda: None) -> ReadOnlyLibrary | None:
    """``None`` when it is not a library of this version."""
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            if stored_revision(connection) != REVISIONS[-1]:
                return None
    except sqlite3.Error:
        return None
    return ReadOnlyLibrary(connect_to_read(path, uri=uri, reason=reason), reason, release)


def _copied(path: Path, reason: str) -> ReadOnlyLibrary | None:
    folder = Path(tempfile.mkdtemp(prefix="spindle-library-"))

    def release() -> None:
        shutil.rmtree(folder, ignore_errors=True)

    try:
        for suffix in ("", "-wal"):
            shutil.copyfile(sidecar_path(path, suffix), sidecar_path(folder / path.name, suffix))
    except OSError as error:
        release()
        raise UserError(
            f"the library {path} can't be read where it is ({reason}), and there is no room for a copy in"
            f" {folder.parent} ({error.strerror}); name a folder that has some in the variable TMPDIR."
        ) from error
    opened = _opened(path, read_only_uri(folder / path.name), reason, release=release)
    if opened is None:
        release()
    return opened


def _has_content(path: Path) -> bool:
    with suppress(OSError):
        return path.stat().st_size > 0
    return False
