"""A Wholesale store in SQL Server: its files, and what its resets send."""

import re

import pytest

from engine.databases.database import Timeouts
from engine.databases.mssql.store import SqlServerStore
from engine.databases.progress import Progress
from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.wholesale.bindings.mssql.store import STORE
from engine.workloads.wholesale.estimate import size_bytes
from tests.engine.databases.contract.places import never, silent
from tests.engine.databases.mssql.recorded_store import RecordedStore

_NEWEST_ORDER, _NEWEST_PAYMENT, _LAST_WAREHOUSE = (
    rf"^SELECT COALESCE\(MAX\({column}\)" for column in ("d_next_o_id", "h_id", "w_id")
)
_MB = 1024 * 1024


@pytest.fixture
def store(recorded_store: RecordedStore, target: Target) -> SqlServerStore:
    recorded_store.databases.add("shop")
    _hold(recorded_store, warehouses=2, newest_order=3_900, newest_payment=61_000)
    return SqlServerStore(target, Secret("x"), Timeouts(), STORE)


def _hold(recorded_store: RecordedStore, *, warehouses: int, newest_order: int, newest_payment: int) -> None:
    payments = 30_000 * warehouses
    counts = f'{{"warehouses": {warehouses}, "payments": {payments}, "order_lines": {10 * payments}}}'
    recorded_store.hold("complete", workload="wholesale", scale=f"{warehouses}W", counts=counts)
    recorded_store.answers(_NEWEST_ORDER, [(newest_order,)])
    recorded_store.answers(_NEWEST_PAYMENT, [(newest_payment,)])
    recorded_store.answers(_LAST_WAREHOUSE, [(warehouses,)])


def _pieces(recorded_store: RecordedStore, table: str) -> list[tuple[object, ...]]:
    pattern = rf"DECLARE @after .*DELETE (?:\w\n)?FROM dbo.{table}|DECLARE @after .*UPDATE .*dbo.{table}"
    return [tuple(sent.values) for sent in recorded_store.sent if re.match(pattern, sent.statement, re.DOTALL)]


def test_a_reset_waits_for_open_transactions_before_it_removes_anything(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    told: list[Progress] = []
    store.reset(report_progress=told.append, cancelled=never)
    places = recorded_store.places(
        r"^SELECT TOP \(1\) w_id FROM dbo.warehouse WITH \(TABLOCKX, HOLDLOCK\)",
        r"^SELECT TOP \(1\) d_id FROM dbo.district WITH \(TABLOCKX, HOLDLOCK\)",
        "^DELETE FROM dbo.new_order",
        "^DELETE FROM dbo.history WITH .TABLOCKX. WHERE h_id > 60000$",
        "^UPDATE dbo.warehouse",
        "SET state = 'complete'",
        "^DBCC CHECKIDENT .N'dbo.history', RESEED, 60000.",
        "COMMIT",
    )
    assert places == sorted(places)
    assert [text for _, text in recorded_store.log].count("COMMIT") == 1
    assert recorded_store.sent_like("@after") == []
    doing = [progress.doing for progress in told]
    assert doing[:3] == ["waiting for open transactions"] * 2 + ["removing added undelivered orders"]
    assert "restoring the stock" in doing


def test_after_a_long_run_orders_and_payments_are_removed_in_pieces(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    _hold(recorded_store, warehouses=2, newest_order=5_500, newest_payment=300_000)
    store.reset(report_progress=silent, cancelled=never)
    places = recorded_store.places("SET state = 'building'", "DELETE n\\b", "SET state = 'complete'", "COMMIT")
    assert places == sorted(places)
    assert _pieces(recorded_store, "district") == [(3_000, 4_000), (4_000, 5_000), (5_000, 5_500)]
    assert _pieces(recorded_store, "history") == [(60_000, 260_000), (260_000, 300_000)]
    assert _pieces(recorded_store, "stock") == [(0, 2)]


def test_a_large_stores_stock_is_restored_by_warehouses(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    _hold(recorded_store, warehouses=25, newest_order=3_000, newest_payment=750_000)
    told: list[Progress] = []
    store.reset(report_progress=told.append, cancelled=never)
    assert _pieces(recorded_store, "stock") == [(0, 10), (10, 20), (20, 25)]
    assert "restoring warehouses up to 20" in [progress.doing for progress in told]


def test_the_files_have_room_for_the_scale() -> None:
    layout = STORE.layout("100W")
    data_mb = sum(group.size_mb for group in layout.filegroups.values())
    assert 1.4 * size_bytes("100W") < data_mb * _MB < 1.7 * size_bytes("100W")
    assert layout.misc.size_mb > layout.orders.size_mb > layout.customers.size_mb > layout.indexes.size_mb


def test_the_load_user_may_call_the_transactions_alone(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.permit_accounts()
    assert store.load_account() is not None
    assert sorted(recorded_store.granted) == ["delivery", "order_status", "payment", "place_order", "stock_level"]
