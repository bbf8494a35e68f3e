"""The store that the tests of a module share."""

from collections.abc import Iterator

import pytest

from tests.engine.databases.contract.under_test import DatabaseUnderTest
from tests.engine.workloads.brokerage.contract import BrokerageStore


@pytest.fixture(scope="module")
def brokerage(dbms: DatabaseUnderTest) -> Iterator[BrokerageStore]:
    with BrokerageStore.built(dbms) as store:
        yield store
