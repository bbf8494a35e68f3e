"""The store that the tests of a module share."""

from collections.abc import Iterator

import pytest

from tests.engine.databases.contract.under_test import DatabaseUnderTest
from tests.engine.workloads.wholesale.contract import WholesaleStore


@pytest.fixture(scope="module")
def wholesale(dbms: DatabaseUnderTest) -> Iterator[WholesaleStore]:
    with WholesaleStore.built(dbms) as store:
        yield store
