"""The bin: its content, its size on the disk, and that emptying it removes nothing else."""

import sqlite3
from contextlib import closing

import pytest

from engine.audit.ledger_files import ledger_path
from engine.errors import Cancelled, UserError
from tests.engine.library.examples import a_finished_record, some_events, some_samples


@pytest.fixture
def records(library):
    """Three runs; the first two are deleted, the second of them last."""
    records = [a_finished_record(after_seconds=60 * number) for number in range(3)]
    for record in records:
        library.add_imported(record, some_samples(), some_events())
    for record in records[:2]:
        library.delete(record.run_id)
    return records


def test_deleted_runs_are_listed_with_their_time_of_deletion(library, records):
    assert library.runs() == [records[2]]
    deleted = library.runs(deleted=True)
    assert [each.run_id for each in deleted] == [records[1].run_id, records[0].run_id]
    assert deleted[1].deleted_at < deleted[0].deleted_at
    assert library.bin.count() == 2
    assert library.runs(deleted=True, text="zebra") == []


def test_deleted_run_can_be_restored_from_its_list_row(library, records):
    first, second, kept = records
    assert library.bin.find("last").run_id == second.run_id
    assert library.bin.find(first.run_id[:-2]).run_id == first.run_id
    library.bin.restore(second.run_id)
    assert library.bin.find("last").run_id == first.run_id
    with pytest.raises(UserError, match="is not among the deleted runs"):
        library.bin.find(kept.run_id)
    library.bin.restore(first.run_id)
    with pytest.raises(UserError, match="there are no deleted runs"):
        library.bin.find("last")


def test_bytes_by_run_includes_ledgers(library, records, path):
    before = library.bin.bytes_by_run()
    assert set(before) == {records[0].run_id, records[1].run_id}
    assert min(before.values()) > 0
    ledger = ledger_path(path, records[0].run_id, 1)
    ledger.parent.mkdir(parents=True)
    ledger.write_bytes(b"x" * 10_000)
    assert library.bin.bytes_by_run() == before | {records[0].run_id: before[records[0].run_id] + 10_000}


def test_emptying_removes_rows_and_ledgers_of_the_named_runs_only(library, records, path):
    ledgers = [ledger_path(path, record.run_id, 1) for record in records]
    for ledger in ledgers:
        ledger.parent.mkdir(parents=True)
        ledger.write_bytes(b"x")
    shares = []
    assert library.bin.empty([records[0].run_id, records[2].run_id], on_progress=shares.append) == 1
    assert shares == [1.0]
    assert [ledger.parent.exists() for ledger in ledgers] == [False, True, True]
    assert library.bin.count() == 1
    assert library.runs() == [records[2]]
    assert library.bin.empty() == 1
    assert library.bin.empty() == 0
    with closing(sqlite3.connect(path)) as connection:
        runs, blocks = (
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("runs", "sample_blocks")
        )
    assert (runs, blocks) == (1, 3)


def test_emptying_that_is_cancelled_leaves_the_rest_in_the_bin(library, records):
    answers = iter((False, True))
    with pytest.raises(Cancelled):
        library.bin.empty(cancelled=lambda: next(answers))
    assert library.bin.count() == 1
