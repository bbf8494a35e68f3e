"""Reads small files that the user names: configurations, references, host figures."""

from contextlib import suppress
from pathlib import Path

from engine.errors import BadInput

_MOST_BYTES = 512_000_000
_SQLITE = b"SQLite format 3\0"


def read_bytes(path: Path) -> bytes:
    """A file's content. Raises ``BadInput`` for a file that can't be read or is too large."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise BadInput(f"{path} has more than {_MOST_BYTES // 1_000_000} MB; cut it to the time of the run.")
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} can't be read ({error.strerror}); check the path.") from error


def read_utf8(path: Path) -> str:
    """A file's text in UTF-8. Raises ``BadInput``."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not text in UTF-8; save it as UTF-8.") from error


def is_library_file(path: Path) -> bool:
    """Whether a file is an SQLite database, as libraries are; false for an unreadable file."""
    with suppress(OSError), path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE
    return False
