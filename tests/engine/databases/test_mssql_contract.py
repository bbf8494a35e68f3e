"""SQL Server fulfils the contract of a database under test, where ``SPINDLE_TEST_MSSQL`` names one.

Its value is a target's URL with the password of an administrator, on this machine, such as
``mssql://sa:password@127.0.0.1:1433/master?trust_server_certificate=yes``. Where ``SPINDLE_TEST_MSSQL_KILL`` and
``SPINDLE_TEST_MSSQL_START`` are commands that kill and start it, such as ``docker kill mssql`` and
``docker start mssql``, it is also killed under load.
"""

import os

import pytest

_URL = os.environ.get("SPINDLE_TEST_MSSQL", "")
_KILL, _START = os.environ.get("SPINDLE_TEST_MSSQL_KILL", ""), os.environ.get("SPINDLE_TEST_MSSQL_START", "")
if not _URL:
    pytest.skip("there is no SQL Server to test: SPINDLE_TEST_MSSQL names none", allow_module_level=True)

from tests.engine.databases.contract.accounting import AccountingContract  # noqa: E402 - only where they are run
from tests.engine.databases.contract.auditing import AuditContract, AuditingContract  # noqa: E402
from tests.engine.databases.contract.building import BuildingContract  # noqa: E402
from tests.engine.databases.contract.buying import BuyingContract  # noqa: E402
from tests.engine.databases.contract.connecting import ConnectingContract  # noqa: E402
from tests.engine.databases.contract.crowding import CrowdingContract  # noqa: E402
from tests.engine.databases.contract.earlier import EarlierContract  # noqa: E402
from tests.engine.databases.contract.failing import FailingContract  # noqa: E402
from tests.engine.databases.contract.keeping import KeepingContract  # noqa: E402
from tests.engine.databases.contract.leasing import LeasingContract  # noqa: E402
from tests.engine.databases.contract.probing import ProbingContract  # noqa: E402
from tests.engine.databases.contract.replacing import ReplacingContract  # noqa: E402
from tests.engine.databases.contract.searching import SearchingContract  # noqa: E402
from tests.engine.databases.contract.surviving import SurvivingContract  # noqa: E402
from tests.engine.databases.contract.under_test import DatabaseUnderTest, MortalDatabase  # noqa: E402
from tests.engine.databases.mssql.under_test import SqlServerUnderTest  # noqa: E402


@pytest.fixture(scope="module")
def dbms() -> DatabaseUnderTest:
    return SqlServerUnderTest(_URL)


@pytest.fixture(scope="module")
def mortal() -> MortalDatabase:
    if not (_KILL and _START):
        pytest.skip(
            "the SQL Server is not killed: SPINDLE_TEST_MSSQL_KILL and SPINDLE_TEST_MSSQL_START name no commands"
        )
    return SqlServerUnderTest(_URL, kill=_KILL, start=_START)


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
    """The account of the load, and what it may not do."""


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
