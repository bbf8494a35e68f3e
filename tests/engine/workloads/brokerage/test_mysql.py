"""Brokerage on a real MySQL: Oracle's 8.0.15."""

import pytest

from tests.doubles.mariadb_server import MariaDBServer
from tests.engine.databases.contract.under_test import DatabaseUnderTest
from tests.engine.databases.mariadb.under_test import MariaDBUnderTest
from tests.engine.workloads.brokerage.contract import BrokerageContract
from tests.engine.workloads.brokerage.isolation import IsolationContract


@pytest.fixture(scope="module")
def dbms(mysql_server: MariaDBServer) -> DatabaseUnderTest:
    return MariaDBUnderTest(mysql_server)


class TestBrokerage(BrokerageContract, IsolationContract):
    """Build, transactions, conditions, reset, isolation levels."""
