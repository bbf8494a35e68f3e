"""MySQL fulfils the contract of a database under test: Oracle's 8.0.15."""

from collections.abc import Iterator

import pytest

from tests.doubles.mariadb_server import MariaDBServer
from tests.doubles.mysql_server import MYSQL_80, running_mysql
from tests.engine.databases.contract.accounting import AccountingContract
from tests.engine.databases.contract.everything import *  # noqa: F403
from tests.engine.databases.contract.under_test import DatabaseUnderTest, MortalDatabase
from tests.engine.databases.mariadb.under_test import MariaDBUnderTest


@pytest.fixture(scope="module")
def server() -> Iterator[MariaDBServer]:
    # It is killed and started several times, which takes half as long without the instruments, as MariaDB has it.
    with running_mysql(MYSQL_80, "--performance-schema=OFF") as running:
        yield running


@pytest.fixture(scope="module")
def dbms(server: MariaDBServer) -> DatabaseUnderTest:
    return MariaDBUnderTest(server)


@pytest.fixture(scope="module")
def mortal(server: MariaDBServer) -> MortalDatabase:
    return MariaDBUnderTest(server)


class TestAccounting(AccountingContract):
    """The account under which a run's users connect."""
