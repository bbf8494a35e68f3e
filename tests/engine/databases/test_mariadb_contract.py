"""MariaDB fulfils the contract of a database under test, on a real server."""

import pytest

from tests.doubles.mariadb_server import MariaDBServer
from tests.engine.databases.contract.accounting import AccountingContract
from tests.engine.databases.contract.everything import *  # noqa: F403
from tests.engine.databases.contract.under_test import DatabaseUnderTest, MortalDatabase
from tests.engine.databases.mariadb.under_test import MariaDBUnderTest


@pytest.fixture(scope="module")
def dbms(mariadb_server: MariaDBServer) -> DatabaseUnderTest:
    return MariaDBUnderTest(mariadb_server)


@pytest.fixture(scope="module")
def mortal(mariadb_server: MariaDBServer) -> MortalDatabase:
    return MariaDBUnderTest(mariadb_server)


class TestAccounting(AccountingContract):
    """The account under which a run's users connect."""
