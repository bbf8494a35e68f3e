"""The embedded PostgreSQL as the database under test of this package."""

import pytest

from engine.lab.server import EmbeddedServer
from tests.engine.databases.postgresql.under_test import PostgreSQLUnderTest


@pytest.fixture(scope="module")
def dbms(embedded_server: EmbeddedServer) -> PostgreSQLUnderTest:
    return PostgreSQLUnderTest(embedded_server)
