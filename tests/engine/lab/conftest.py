"""Folders for the lab's tests: each is stopped, searched for processes and removed afterwards."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.lab.server import lab_stop
from tests.engine.lab.processes import keepers_and_servers
from tests.waiting import wait_until


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A lab's folder that every account may enter, on a path with a blank and an umlaut."""
    top = Path(tempfile.mkdtemp(prefix="spindle-lab-"))
    top.chmod(0o755)
    yield from _cleaned(top / "prächtiges lab")
    shutil.rmtree(top)


@pytest.fixture
def closed_folder(tmp_path: Path) -> Iterator[Path]:
    """A lab's folder that only its owner may enter."""
    tmp_path.chmod(0o700)
    yield from _cleaned(tmp_path / "lab")


def _cleaned(folder: Path) -> Iterator[Path]:
    try:
        yield folder
    finally:
        lab_stop(folder, timeout_seconds=60.0)
        wait_until(lambda: not keepers_and_servers(folder), f"no process of {folder} is left")
