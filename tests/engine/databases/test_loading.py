import threading

import pytest

from engine.databases.loading import Loading
from engine.databases.progress import Progress
from engine.errors import Cancelled
from engine.workload.rows.block import Block
from engine.workloads.dvdstore.bindings.store import STORE
from engine.workloads.dvdstore.rows import StoreRows
from engine.workloads.dvdstore.schema import TABLES
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.workloads.blocks import row_counts

_ROWS = StoreRows(DbSize(1, "MB"), 1)
_MORE_ROWS = StoreRows(DbSize(20, "MB"), 1)
"""Of several blocks in a table."""


def _loading(
    told: list[Progress] | None = None, cancelled: threading.Event | None = None, rows: StoreRows = _ROWS
) -> Loading:
    is_cancelled = (cancelled or threading.Event()).is_set
    return Loading(STORE, rows, (told if told is not None else []).append, is_cancelled, share=0.6)


def test_every_row_of_every_table_is_loaded_and_counted() -> None:
    told: list[Progress] = []
    loading = _loading(told)

    def load(table: str) -> None:
        for block in loading.blocks(table):
            loading.count(table, block.rows, 10 * block.rows)

    loading.run(load)
    report = loading.report(index_seconds=2.5)
    assert report.rows == {table: count for table, count in row_counts(_ROWS, TABLES).items() if count}
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


def test_blocks_are_encoded_in_order_while_the_server_is_busy_with_earlier_ones() -> None:
    loading = _loading(rows=_MORE_ROWS)
    second_made = threading.Event()

    def encode(block: Block) -> tuple[int, str]:
        if block.first:
            second_made.set()
        return block.rows, threading.current_thread().name

    blocks = loading.encoded_blocks("customers", encode)
    first, _ = next(blocks)
    assert first.first == 0
    assert second_made.wait(30), "nothing is made until it is asked for"
    rest = list(blocks)
    assert [block.first for block, _ in rest] == [block.first for block in _MORE_ROWS.blocks("customers")][1:]
    assert all(rows == block.rows and name != threading.current_thread().name for block, (rows, name) in rest)


def test_a_block_that_can_not_be_encoded_ends_the_loading_with_its_error() -> None:
    def encode(block: Block) -> int:
        if block.first:
            raise OverflowError("too large")
        return block.rows

    blocks = _loading(rows=_MORE_ROWS).encoded_blocks("customers", encode)
    next(blocks)
    with pytest.raises(OverflowError, match="too large"):
        next(blocks)
