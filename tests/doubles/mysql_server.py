"""Real MySQL servers for the tests: Oracle's builds that ``packaging/test-mysql.sh`` fetches into ``.venv/mysql``."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from engine.lab.account import may_enter
from engine.target.target import MYSQL
from tests.doubles.mariadb_server import MariaDBServer, ServerBuild, running_server, server_identity

_FOLDER = Path(__file__).parents[2] / ".venv" / "mysql"
MYSQL_80 = "8.0.15"
MYSQL_57 = "5.7.22"


def mysql_build(version: str) -> ServerBuild:
    """A build by its version; the test is skipped where the set-up could not fetch it."""
    if not (_FOLDER / version / "bin" / "mysqld").exists():
        pytest.skip(f"there is no MySQL {version}: packaging/test-mysql.sh says why")
    folder = _within_reach(version)
    program = (str(folder / "bin" / "mysqld"), "--no-defaults", f"--basedir={folder}")
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


@cache
def _within_reach(version: str) -> Path:
    """The folder of a build, or of a copy where the account that root's servers run under can't enter the project's."""
    folder, identity = _FOLDER / version, server_identity()
    if not identity or may_enter(folder, identity["user"], [identity["group"]]):
        return folder
    place = Path(tempfile.mkdtemp(prefix="spindle-mysql-"))
    place.chmod(0o755)
    return Path(shutil.copytree(folder, place / version, symlinks=True))


@contextmanager
def running_mysql(version: str, *options: str) -> Iterator[MariaDBServer]:
    """A MySQL server with data of its own; ``options`` are mysqld's."""
    with running_server(*options, build=mysql_build(version)) as server:
        yield server
