"""Files that the user names and that are read at once and whole: configurations, references, host figures."""

from pathlib import Path

from engine.errors import BadInput

_MOST_BYTES = 512_000_000


def read_bytes(path: Path) -> bytes:
    """A file's content. Raises ``BadInput`` for one that can't be read or is far too large."""
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
