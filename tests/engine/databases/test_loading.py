import threading

import pytest

from engine.databases.loading import Loading
from engine.databases.progress import Progress
from engine.errors import Cancelled
from engine.workloads.dvdstore.bindings.store import STORE
from engine.workloads.dvdstore.rows import StoreRows
from engine.workloads.dvdstore.schema import TABLES
from engine.workloads.dvdstore.sizing import DbSize

_ROWS = StoreRows(DbSize(1, "MB"), 1)


def _loading(told: list[Progress] | None = None, cancelled: threading.Event | None = None) -> Loading:
    is_cancelled = (cancelled or threading.Event()).is_set
    return Loading(STORE, _ROWS, (told if told is not None else []).append, is_cancelled, share=0.6)


def test_every_row_of_every_table_is_loaded_and_counted() -> None:
    told: list[Progress] = []
    loading = _loading(told)

    def load(table: str) -> None:
        for block in loading.blocks(table):
            loading.count(table, block.rows, 10 * block.rows)

    loading.run(load)
    report = loading.report(index_seconds=2.5)
    assert report.rows == {table: count for table in TABLES if (count := _ROWS.row_count(table))}
    assert report.bytes_streamed == 10 * sum(report.rows.values())
    assert report.load_seconds > 0
    assert report.index_seconds == 2.5
    shares = [progress.share for progress in told]
    assert shares == sorted(shares)
    assert 0.5 < shares[-1] <= 0.6


@pytest.mark.parametrize("table", ["inventory", "customers"])
def test_a_cancelled_loading_makes_no_more_blocks(table: str) -> None:
    cancelled = threading.Event()
    loading = _loading(cancelled=cancelled)
    blocks = loading.blocks(table)
    cancelled.set()
    with pytest.raises(Cancelled):
        next(blocks)
