"""Writes a file atomically: under a temporary name beside it, brought to the disk, then renamed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from engine.errors import UserError


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which replaces the one at ``path`` when nothing was raised meanwhile.

    Raises ``UserError`` when it can't be written; an existing file is then unchanged.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # otherwise a power failure may leave an empty file
        os.replace(beside, path)
    except OSError as error:
        raise UserError(f"{path} can't be written ({error.strerror or error}); choose another place.") from error
    finally:
        _remove(beside)


def _remove(beside: Path) -> None:
    if beside.exists():
        beside.unlink()
