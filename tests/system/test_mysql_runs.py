"""Whole runs on a real MySQL 8.0 through the command line, and what their users survive."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doubles.mariadb_server import MariaDBServer
from tests.doubles.mysql_server import MYSQL_80, running_mysql
from tests.system.conftest import Spindle
from tests.system.server_runs import RunsOnAServer, built_store

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="these tests end processes by signals"),
    pytest.mark.timeout(300),
]


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A home of its own: the embedded server is not started."""
    folder = Path(tempfile.mkdtemp(prefix="spindle-mysql-home-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def store(home: Path) -> Iterator[MariaDBServer]:
    """A server with a store, built by the program; its users log in by caching_sha2_password."""
    with running_mysql(MYSQL_80) as server, built_store(home, server):
        yield server


@pytest.fixture
def spindle(home: Path) -> Iterator[Spindle]:
    spindle = Spindle(home)
    yield spindle
    spindle.close()


class TestRuns(RunsOnAServer):
    """What every server is asked for."""
