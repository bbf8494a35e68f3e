"""Folders for the lab's tests: each is stopped, searched for processes and removed afterwards."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.lab.server import EmbeddedServer, lab_stop
from engine.lab.shapes import LabShape
from tests.engine.lab.processes import keepers_and_servers
from tests.labs import make_lab, running_lab, start_unused
from tests.waiting import wait_until


@pytest.fixture
def bare_folder() -> Iterator[Path]:
    """A lab's folder that every account may enter, on a path with a blank and an umlaut."""
    top = Path(tempfile.mkdtemp(prefix="spindle-lab-"))
    top.chmod(0o755)
    yield from _cleaned(top / "prächtiges lab")
    shutil.rmtree(top)


@pytest.fixture
def open_folder(bare_folder: Path) -> Path:
    """The same, in which a server's data are."""
    make_lab(bare_folder)
    return bare_folder


@pytest.fixture
def closed_folder(tmp_path: Path) -> Iterator[Path]:
    """A lab's folder that only its owner may enter."""
    tmp_path.chmod(0o700)
    yield from _cleaned(tmp_path / "lab")


@pytest.fixture(scope="session")
def lab() -> Iterator[EmbeddedServer]:
    """The session's lab with standbys; a test gives it the shape that it needs with ``start``, which also mends it."""
    with running_lab(LabShape(nodes=2, sync=True)) as server:
        yield server


@pytest.fixture
def pair(lab: EmbeddedServer) -> EmbeddedServer:
    """A synchronous pair without automatic failover, all well."""
    start_unused(lab, LabShape(nodes=2, sync=True))
    lab.news()
    return lab


def _cleaned(folder: Path) -> Iterator[Path]:
    try:
        yield folder
    finally:
        lab_stop(folder, timeout_seconds=60.0)
        wait_until(lambda: not keepers_and_servers(folder), f"no process of {folder} is left")
