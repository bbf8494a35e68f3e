"""PostgreSQL fulfils the contract of a database under test, on the embedded server."""

from collections.abc import Iterator

import pytest

from engine.lab.server import EmbeddedServer
from tests.engine.databases.contract.everything import *  # noqa: F403
from tests.engine.databases.contract.under_test import DatabaseUnderTest, MortalDatabase
from tests.engine.databases.postgresql.under_test import PostgreSQLUnderTest, server_of_its_own


@pytest.fixture(scope="module")
def dbms(embedded_server: EmbeddedServer) -> DatabaseUnderTest:
    return PostgreSQLUnderTest(embedded_server)


@pytest.fixture(scope="module")
def mortal() -> Iterator[MortalDatabase]:
    with server_of_its_own() as server:
        yield server
