"""MySQL fulfils the contract of a database under test: Oracle's 8.0.15."""

from collections.abc import Iterator

import pytest

from tests.doubles.mariadb_server import MariaDBServer
from tests.doubles.mysql_server import MYSQL_80, running_mysql
from tests.engine.databases.contract.accounting import AccountingContract
from tests.engine.databases.contract.auditing import AuditContract, AuditingContract
from tests.engine.databases.contract.building import BuildingContract
from tests.engine.databases.contract.buying import BuyingContract
from tests.engine.databases.contract.connecting import ConnectingContract
from tests.engine.databases.contract.crowding import CrowdingContract
from tests.engine.databases.contract.earlier import EarlierContract
from tests.engine.databases.contract.failing import FailingContract
from tests.engine.databases.contract.keeping import KeepingContract
from tests.engine.databases.contract.leasing import LeasingContract
from tests.engine.databases.contract.probing import ProbingContract
from tests.engine.databases.contract.replacing import ReplacingContract
from tests.engine.databases.contract.searching import SearchingContract
from tests.engine.databases.contract.surviving import SurvivingContract
from tests.engine.databases.contract.under_test import DatabaseUnderTest, MortalDatabase
from tests.engine.databases.mariadb.under_test import MariaDBUnderTest


@pytest.fixture(scope="module")
def server() -> Iterator[MariaDBServer]:
    with running_mysql(MYSQL_80) as running:
        yield running


@pytest.fixture(scope="module")
def dbms(server: MariaDBServer) -> DatabaseUnderTest:
    return MariaDBUnderTest(server)


@pytest.fixture(scope="module")
def mortal(server: MariaDBServer) -> MortalDatabase:
    return MariaDBUnderTest(server)


class TestSearching(SearchingContract):
    """Log-in, browses and prices."""


class TestBuying(BuyingContract):
    """Registrations and purchases."""


class TestBuilding(BuildingContract):
    """Building, from nothing to pristine."""


class TestLeasing(LeasingContract):
    """Who uses a store."""


class TestReplacing(ReplacingContract):
    """A new store in the place of an old one."""


class TestKeeping(KeepingContract):
    """State, verify, reset and drop."""


class TestConnecting(ConnectingContract):
    """Opening a session, or learning why not."""


class TestFailing(FailingContract):
    """Errors, their classes, and what they leave of a session."""


class TestCrowding(CrowdingContract):
    """Many users at once."""


class TestAccounting(AccountingContract):
    """The account under which a run's users connect."""


class TestAuditing(AuditingContract):
    """What an audit is told of a store."""


class TestAudit(AuditContract):
    """The audit of what users bought."""


class TestProbing(ProbingContract):
    """Asking a host whether it commits writes."""


class TestEarlier(EarlierContract):
    """Stores of format 1, and of another workload."""


class TestSurviving(SurvivingContract):
    """A server that is killed and started again."""
