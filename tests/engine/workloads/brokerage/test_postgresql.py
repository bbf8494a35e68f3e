"""Brokerage on a real PostgreSQL."""

import pytest

from engine.lab.server import EmbeddedServer
from tests.engine.databases.contract.under_test import DatabaseUnderTest
from tests.engine.databases.postgresql.under_test import PostgreSQLUnderTest
from tests.engine.workloads.brokerage.contract import BrokerageContract


@pytest.fixture(scope="module")
def dbms(embedded_server: EmbeddedServer) -> DatabaseUnderTest:
    return PostgreSQLUnderTest(embedded_server)


class TestBrokerage(BrokerageContract):
    """Build, transactions, conditions, reset."""
