"""A real MariaDB as the database under test of this package."""

import pytest

from tests.doubles.mariadb_server import MariaDBServer
from tests.engine.databases.mariadb.under_test import MariaDBUnderTest


@pytest.fixture(scope="module")
def dbms(mariadb_server: MariaDBServer) -> MariaDBUnderTest:
    return MariaDBUnderTest(mariadb_server)
