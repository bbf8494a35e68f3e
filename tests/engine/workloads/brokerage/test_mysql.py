"""Brokerage on a real MySQL: Oracle's 8.0.15."""

from collections.abc import Iterator

import pytest

from tests.doubles.mariadb_server import MariaDBServer
from tests.doubles.mysql_server import MYSQL_80, running_mysql
from tests.engine.databases.contract.under_test import DatabaseUnderTest
from tests.engine.databases.mariadb.under_test import MariaDBUnderTest
from tests.engine.workloads.brokerage.contract import BrokerageContract
from tests.engine.workloads.brokerage.isolation import IsolationContract


@pytest.fixture(scope="module")
def server() -> Iterator[MariaDBServer]:
    with running_mysql(MYSQL_80) as running:
        yield running


@pytest.fixture(scope="module")
def dbms(server: MariaDBServer) -> DatabaseUnderTest:
    return MariaDBUnderTest(server)


class TestBrokerage(BrokerageContract, IsolationContract):
    """Build, transactions, conditions, reset, isolation levels."""
