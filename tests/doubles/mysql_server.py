"""Real MySQL servers for the tests: Oracle's builds that ``packaging/test-mysql.sh`` fetches into ``.venv/mysql``."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.target.target import MYSQL
from tests.doubles.mariadb_server import MariaDBServer, ServerBuild, running_server

_FOLDER = Path(__file__).parents[2] / ".venv" / "mysql"
MYSQL_80 = "8.0.15"
MYSQL_57 = "5.7.22"


def mysql_build(version: str) -> ServerBuild:
    """A build by its version; the test is skipped where the set-up could not fetch it."""
    folder = _FOLDER / version
    server = folder / "bin" / "mysqld"
    if not server.exists():
        pytest.skip(f"there is no MySQL {version}: packaging/test-mysql.sh says why")
    program = (str(server), "--no-defaults", f"--basedir={folder}")
    return ServerBuild(
        kind=MYSQL,
        name=f"mysql-{version}",
        server=program,
        installer=(*program, "--initialize-insecure"),
        # The X protocol of 8.0 would take a port that is the same for every server.
        options=("--loose-mysqlx=OFF", "--skip-log-bin", "--secure-file-priv=NULL"),
        version=re.compile(r"\(mysqld ([\d.]+)\) starting"),
        first_statements=("DROP USER 'root'@'localhost'",),
    )


@contextmanager
def running_mysql(version: str, *options: str) -> Iterator[MariaDBServer]:
    """A MySQL server with data of its own; ``options`` are mysqld's."""
    with running_server(*options, build=mysql_build(version)) as server:
        yield server
