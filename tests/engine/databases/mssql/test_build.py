"""A build through a folder that the server can see too; what else a build does is in the store's tests."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.databases.database import Timeouts
from engine.databases.mssql.build import StoreBuild
from engine.errors import Cancelled
from engine.secrets import Secret
from engine.target.store_layout import StoreLayout
from engine.target.target import Target
from engine.workloads.dvdstore.bindings.mssql.store import STORE
from tests.engine.databases.contract.places import SEED, SIZE, generated, never, silent
from tests.engine.databases.mssql.recorded_store import RecordedStore


def _build(target: Target, layout: StoreLayout, cancelled: Callable[[], bool] = never) -> StoreBuild:
    return StoreBuild(
        target=target,
        secret=Secret("x"),
        timeouts=Timeouts(),
        definition=STORE,
        scale=str(SIZE),
        seed=SEED,
        layout=layout,
        made_database=True,
        report_progress=silent,
        cancelled=cancelled,
    )


def test_files_are_used_where_a_bulk_folder_is_named(
    recorded_store: RecordedStore, target: Target, tmp_path: Path
) -> None:
    recorded_store.databases.add("shop")
    layout = StoreLayout(bulk_folder="/mnt/bulk", bulk_folder_here=str(tmp_path))
    report = _build(target, layout).run()
    loads = [text for _, text in recorded_store.sent_like("^BULK INSERT")]
    assert {re.findall(r"dbo\.(\w+) FROM '/mnt/bulk/shop_(\w+)_1\.dat'", text)[0] for text in loads} == {
        (table, table) for table, rows in generated(SIZE, SEED).items() if rows
    }
    assert report.rows == {table: rows.total() for table, rows in generated(SIZE, SEED).items() if rows}
    assert recorded_store.rows == {}
    assert recorded_store.sent_like("IDENTITY_INSERT") == []
    assert list(tmp_path.iterdir()) == []


def test_one_table_that_is_stopped_stops_the_others(recorded_store: RecordedStore, target: Target) -> None:
    recorded_store.databases.add("shop")
    build = _build(target, StoreLayout(), cancelled=lambda: bool(recorded_store.rows))
    with pytest.raises(Cancelled):
        build.run()
    assert len(recorded_store.rows) < 7
