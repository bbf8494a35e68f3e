"""A library of its own for every test of this package."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.library.library import Library


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "library.sqlite"


@pytest.fixture
def told() -> list[str]:
    """What the user was told while the library was opened or written."""
    return []


@pytest.fixture
def library(path: Path, told: list[str]) -> Iterator[Library]:
    with Library.open(path, notify=told.append) as opened:
        yield opened
