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
from tests.engine.databases.contract.everything import *  # noqa: F403, E402 - only where they are run
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


class TestAccounting(AccountingContract):
    """The account under which a run's users connect."""
