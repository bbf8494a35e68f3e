import pytest

from engine.databases.database import Timeouts
from engine.databases.definition import Check
from engine.databases.mssql.store import SqlServerStore
from engine.errors import Cancelled
from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.dvdstore.bindings.mssql.store import STORE
from tests.engine.databases.contract.places import never, silent
from tests.engine.databases.mssql.recorded_store import RecordedStore

_PRODUCTS = 1_000


@pytest.fixture
def server(recorded_store: RecordedStore) -> RecordedStore:
    """A server whose store is whole."""
    recorded_store.databases.add("shop")
    recorded_store.hold("complete")
    recorded_store.answers("^SELECT COUNT_BIG", [(0,)])
    recorded_store.answers("^SELECT COUNT_BIG.* FROM sys\\.", [(1,)])
    counts = (
        ("customers WHERE customerid <= 2000", 2_000), ("orders WHERE orderid <= 1200", 1_200),
        ("orderlines( WHERE orderid <= 1200)?$", 6_000), ("cust_hist( WHERE orderid <= 1200)?$", 6_000),
        ("(products|inventory|inventory_pristine)$", _PRODUCTS), ("categories$", 16),
    )  # fmt: skip
    for pattern, count in counts:
        recorded_store.answers(rf"^SELECT COUNT_BIG\(\*\) FROM dbo.{pattern}", [(count,)])
    return recorded_store


def _checks(target: Target) -> list[Check]:
    return SqlServerStore(target, Secret("x"), Timeouts(), STORE).verify(report_progress=silent, cancelled=never)


def test_a_whole_store_passes_every_check(server: RecordedStore, target: Target) -> None:
    checks = _checks(target)
    assert [check for check in checks if not check.ok] == []
    whats = [check.what for check in checks]
    assert len(set(whats)) == len(whats)
    assert {f"table {name}" for name in STORE.tables} | {f"procedure {name}" for name in STORE.procedures} < set(whats)


@pytest.mark.parametrize(
    ("query", "what"),
    [
        (r"sys.indexes .*N'ix_prod_category'$", "index ix_prod_category"),
        (r"sys.fulltext_indexes .*N'title'$", "full text of title"),
        (r"sys.foreign_keys .*N'fk_order_customer'$", "reference fk_order_customer"),
        (r"sys.procedures .*N'browse_by_actor'$", "procedure browse_by_actor"),
        (r"sys.triggers ", "trigger restock"),
    ],
)
def test_what_is_missing_is_found(server: RecordedStore, target: Target, query: str, what: str) -> None:
    server.answers(rf"^SELECT COUNT_BIG\(\*\) FROM {query}", [(0,)])
    (check,) = [check for check in _checks(target) if not check.ok]
    assert check == Check(what=what, expected="1", found="0", ok=False)


def test_sums_that_dont_tie_out_are_found(server: RecordedStore, target: Target) -> None:
    server.answers(r"WHERE i.sales <> COALESCE", [(3,)])
    (check,) = [check for check in _checks(target) if not check.ok]
    assert check.what == "products whose sales differ from their order lines"
    assert (check.expected, check.found) == ("0", "3")


def test_missing_table_ends_the_checks(server: RecordedStore, target: Target) -> None:
    server.answers(r"^SELECT COUNT_BIG\(\*\) FROM sys.tables .*N'reorder'$", [(0,)])
    checks = _checks(target)
    assert [check.what for check in checks if not check.ok] == ["table reorder"]
    assert len(checks) == len(STORE.tables)


def test_verifying_can_be_cancelled(server: RecordedStore, target: Target) -> None:
    with pytest.raises(Cancelled):
        SqlServerStore(target, Secret("x"), Timeouts(), STORE).verify(report_progress=silent, cancelled=lambda: True)
