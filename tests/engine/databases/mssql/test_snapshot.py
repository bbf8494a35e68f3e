from collections.abc import Callable, Iterator
from contextlib import ExitStack
from decimal import Decimal

import pytest

from engine.databases.database import Timeouts
from engine.databases.mssql.snapshot import snapshot_of
from engine.errors import Cancelled, TargetError
from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.dvdstore.bindings.mssql.store import STORE
from engine.workloads.dvdstore.stored_orders import HistorySums
from tests.doubles.recorded_sql_server import RecordedSqlServer, odbc_error
from tests.engine.workloads.dvdstore.sessions import OpenAuditor
from tests.waiting import wait_until

Open = Callable[[], OpenAuditor]


@pytest.fixture
def open_auditor(recorded: RecordedSqlServer, target: Target) -> Iterator[Open]:
    """Opens an auditor of a database that has a store and does not allow snapshots, unless told otherwise before."""
    recorded.answers("snapshot_isolation_state", [(0,)])
    recorded.answers("spindle_store', N'U'", [(581577110,)])
    recorded.answers("TABLOCK", None, [(1,)])
    recorded.answers("ISOLATION LEVEL SNAPSHOT", None, [(1,)])
    with ExitStack() as stack:
        yield lambda: OpenAuditor(
            stack.enter_context(
                snapshot_of(target, Secret("horse battery staple"), Timeouts(statement_seconds=7), STORE, lambda: False)
            ),
            STORE.script,
        )


def _places(statement: str, *words: str) -> list[int]:
    return [statement.index(word) for word in words]


def test_without_snapshots_the_tables_are_held_in_the_order_of_a_purchase(
    recorded: RecordedSqlServer, open_auditor: Open
) -> None:
    open_auditor()
    assert "SET LOCK_TIMEOUT 7000;" in recorded.statements()[0]
    (locks,) = [statement for statement in recorded.statements() if "TABLOCK" in statement]
    assert not any("LEVEL SNAPSHOT" in statement for statement in recorded.statements())
    assert locks.startswith("BEGIN TRANSACTION")
    held = _places(locks, *(f"dbo.{table} WITH (TABLOCK, HOLDLOCK)" for table in ("orders", "inventory", "orderlines")))
    assert held == sorted(held)
    procedure = STORE.script("procedures").partition("PROCEDURE dbo.purchase")[2]
    written = _places(
        procedure, "INTO dbo.orders ", "UPDATE dbo.inventory", "INTO dbo.orderlines", "INTO dbo.cust_hist"
    )
    assert written == sorted(written), "the order of the locks has to be the purchase's"


def test_with_snapshots_nothing_is_locked(recorded: RecordedSqlServer, open_auditor: Open) -> None:
    recorded.answers("snapshot_isolation_state", [(1,)])
    open_auditor()
    assert any("LEVEL SNAPSHOT; BEGIN TRANSACTION" in statement for statement in recorded.statements())
    assert not any("TABLOCK" in statement for statement in recorded.statements())


@pytest.mark.parametrize("state", [2, 3])
def test_a_database_on_its_way_to_or_from_snapshots_is_locked(
    recorded: RecordedSqlServer, open_auditor: Open, state: int
) -> None:
    recorded.answers("snapshot_isolation_state", [(state,)])
    open_auditor()
    assert any("TABLOCK" in statement for statement in recorded.statements())


def test_where_no_store_is_nothing_is_locked_and_there_is_no_state(
    recorded: RecordedSqlServer, open_auditor: Open
) -> None:
    recorded.answers("spindle_store', N'U'", [(None,)])
    assert open_auditor().state() is None
    assert not any("TABLOCK" in statement for statement in recorded.statements())


@pytest.mark.parametrize(
    ("rows", "state"),
    [([("2026-11-21T10:00:00.123456Z", 12_000)], ("2026-11-21T10:00:00.123456Z", 12_000)), ([], None)],
)
def test_the_state_is_of_a_complete_store(
    recorded: RecordedSqlServer, open_auditor: Open, rows: list[tuple[str, int]], state: tuple[str, int] | None
) -> None:
    recorded.answers("built_at", rows)
    assert open_auditor().state() == state


def test_prices_are_by_product_with_nothing_for_what_is_not_there(
    recorded: RecordedSqlServer, open_auditor: Open
) -> None:
    recorded.answers("FROM dbo.products$", [(1, 999), (4, 2999)])
    assert open_auditor().prices().tolist() == [0, 999, 0, 0, 2999]


def test_a_store_without_products_has_no_prices(recorded: RecordedSqlServer, open_auditor: Open) -> None:
    recorded.answers("FROM dbo.products$", [])
    assert open_auditor().prices().tolist() == [0]


@pytest.mark.parametrize("rows", [[], [(11, 5, 999), (12, 0, 2**31 - 1)]])
def test_orders_are_an_array(recorded: RecordedSqlServer, open_auditor: Open, rows: list[tuple[int, int, int]]) -> None:
    recorded.answers("FROM dbo.orders WHERE orderid > 10 AND orderid <= 20", list(reversed(rows)))
    orders = open_auditor().orders(10, 20)
    assert [tuple(order) for order in orders.tolist()] == rows


def test_lines_are_unpacked_from_their_numbers(recorded: RecordedSqlServer, open_auditor: Open) -> None:
    packed = (1 << 43) | (700 << 19) | (2 << 11) | 3
    recorded.answers("orderid - 10 .* FROM dbo.orderlines WHERE orderid > 10 AND orderid <= 20", [(packed,)])
    (line,) = open_auditor().lines(10, 20)
    assert (line["order"], line["product"], line["number"], line["quantity"]) == (11, 700, 2, 3)


def test_history_is_sums_that_may_outgrow_64_bits(recorded: RecordedSqlServer, open_auditor: Open) -> None:
    recorded.answers("FROM dbo.cust_hist AS h.*> 10 AND h.orderid <= 20", [(3, 36, Decimal(2**70), Decimal(17))])
    sums = open_auditor().history(10, 20)
    assert sums == HistorySums(rows=3, orders=36, orders_by_product=2**70, customers_by_product=17)


def test_products_that_are_off_are_counted(recorded: RecordedSqlServer, open_auditor: Open) -> None:
    recorded.answers("FROM dbo.inventory i", [(4,)])
    assert open_auditor().products_off() == 4


def test_locks_that_are_not_got_in_time_are_an_error(recorded: RecordedSqlServer, target: Target) -> None:
    recorded.answers("snapshot_isolation_state", error=odbc_error(("42000", 1222, "Lock request time out.")))
    with (
        pytest.raises(TargetError, match="Lock request"),
        snapshot_of(target, Secret("horse battery staple"), Timeouts(), STORE, lambda: False),
    ):
        pytest.fail("it has begun")


def test_the_audit_leaves_no_connection(recorded: RecordedSqlServer, target: Target) -> None:
    recorded.answers("snapshot_isolation_state", [(1,)])
    recorded.answers("ISOLATION LEVEL SNAPSHOT", None, [(1,)])
    with (
        pytest.raises(Cancelled),
        snapshot_of(target, Secret("horse battery staple"), Timeouts(), STORE, lambda: False),
    ):
        raise Cancelled
    wait_until(lambda: all(connection.closed for connection in recorded.connections), "every connection is closed")
