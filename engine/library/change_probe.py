"""Detects whether a library was changed, by this process or another, by reading only the file's header."""

import sqlite3
from contextlib import suppress
from pathlib import Path

from engine.library.connecting import BUSY_SECONDS, refused


class ChangeProbe:
    """Has its own connection to the library's file, so it must be closed. For one thread at a time."""

    def __init__(self, path: Path) -> None:
        """Raises ``UserError`` when the file can't be opened."""
        self._path = path
        self._seen: int | None = None
        uri = f"{path.absolute().as_uri()}?mode=ro"
        try:
            self._connection = sqlite3.connect(
                uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise refused(path, error) from error

    def has_changed(self) -> bool:
        """Whether anything was committed since the last call; true at the first call. Raises ``UserError``."""
        try:
            (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        except sqlite3.Error as error:
            raise refused(self._path, error) from error
        before, self._seen = self._seen, int(version)
        return self._seen != before

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._connection.close()
