"""Wholesale on a real PostgreSQL."""

import pytest

from engine.lab.server import EmbeddedServer
from tests.engine.databases.contract.under_test import DatabaseUnderTest
from tests.engine.databases.postgresql.under_test import PostgreSQLUnderTest
from tests.engine.workloads.wholesale.contract import DAMAGES, Damage, WholesaleContract, WholesaleStore


@pytest.fixture(scope="module")
def dbms(embedded_server: EmbeddedServer) -> DatabaseUnderTest:
    return PostgreSQLUnderTest(embedded_server)


class TestWholesale(WholesaleContract):
    """Build, transactions, conditions, reset."""

    @pytest.mark.parametrize("damage", DAMAGES)
    def test_each_violation_is_found_by_its_conditions(self, wholesale: WholesaleStore, damage: Damage) -> None:
        """The conditions are the same SQL on every DBMS, so that one shows which of them finds what."""
        with wholesale.damaged(damage):
            assert wholesale.broken_conditions() == damage.broken
