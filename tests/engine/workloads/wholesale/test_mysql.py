"""Wholesale on a real MySQL: Oracle's 8.0.15."""

import pytest

from tests.doubles.mariadb_server import MariaDBServer
from tests.engine.databases.contract.under_test import DatabaseUnderTest
from tests.engine.databases.mariadb.under_test import MariaDBUnderTest
from tests.engine.workloads.wholesale.contract import WholesaleContract


@pytest.fixture(scope="module")
def dbms(mysql_server: MariaDBServer) -> DatabaseUnderTest:
    return MariaDBUnderTest(mysql_server)


class TestWholesale(WholesaleContract):
    """Build, transactions, conditions, reset."""
