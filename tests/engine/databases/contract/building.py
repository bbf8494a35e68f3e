"""The contract of building a store: what it makes, what it refuses, and what an interrupted build leaves."""

import pytest

from engine.databases.progress import Progress
from engine.errors import Cancelled, ErrorClass, TargetError, UserError
from engine.workloads.dvdstore.rows import StoreRows
from engine.workloads.dvdstore.schema import TABLES
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.databases.contract.places import SEED, SIZE, Place, generated
from tests.engine.databases.contract.under_test import DatabaseUnderTest
from tests.engine.workloads.blocks import row_counts

_SHARES = [0.0, 0.62, 0.95]
_TWO_MB = DbSize(2, "MB")


class Watcher:
    """Follows a build's progress, and knows when it has come as far as ``share``."""

    def __init__(self, share: float) -> None:
        self._share = share
        self.has_come = False

    def report_progress(self, progress: Progress) -> None:
        self.has_come = self.has_come or progress.share >= self._share

    def asked(self) -> bool:
        return self.has_come

    def fail(self, progress: Progress) -> None:
        self.report_progress(progress)
        if self.has_come:
            raise RuntimeError("the builder died here")


class BuildingContract:
    """Building, from nothing to pristine."""

    def test_built_store_holds_the_generated_rows(self, reader: Place) -> None:
        assert reader.contents() == generated(SIZE, SEED)

    def test_a_store_is_pristine_when_it_is_built(self, reader: Place) -> None:
        state = reader.store.state()
        assert state is not None
        assert (state.scale, state.seed, state.is_pristine) == (str(SIZE), SEED, True)
        assert [check.what for check in reader.verify() if not check.ok] == []

    def test_build_reports_rows_bytes_and_times(self, scratch: Place) -> None:
        told: list[Progress] = []
        report = scratch.build(_TWO_MB, seed=5, report_progress=told.append)
        rows = StoreRows(_TWO_MB, 5)
        expected = {table: count for table, count in row_counts(rows, TABLES).items() if count}
        assert report.rows == expected
        assert report.bytes_streamed > 10 * sum(expected.values())
        assert report.load_seconds > 0
        assert report.index_seconds > 0
        shares = [progress.share for progress in told]
        assert shares == sorted(shares)
        assert (shares[0], shares[-1]) == (0.0, 1.0)
        assert all(progress.doing for progress in told)

    @pytest.mark.parametrize("made_before", [True, False])
    def test_the_database_is_made_when_it_is_missing(self, scratch: Place, made_before: bool) -> None:
        if made_before:
            scratch.dbms.create(scratch.name)
        else:
            with pytest.raises(TargetError) as caught:
                scratch.store.state()
            assert caught.value.error_class is ErrorClass.MISSING_DATABASE
        scratch.build()
        state = scratch.store.state()
        assert state is not None
        assert state.is_pristine

    def test_a_database_without_a_store_has_no_state(self, scratch: Place) -> None:
        scratch.dbms.create(scratch.name)
        assert scratch.store.state() is None

    def test_a_complete_store_is_not_built_over(self, reader: Place) -> None:
        with pytest.raises(UserError, match=r"already holds a 1MB store; replace it"):
            reader.build(_TWO_MB)
        assert reader.contents() == generated(SIZE, SEED)

    def test_build_with_replace_replaces_the_store(self, place: Place) -> None:
        place.build(_TWO_MB, seed=9, replace=True)
        state = place.store.state()
        assert state is not None
        assert (state.scale, state.seed, state.is_pristine) == (str(_TWO_MB), 9, True)
        assert place.contents() == generated(_TWO_MB, 9)

    @pytest.mark.parametrize("table", ["customers", "reorder"])
    def test_build_refuses_a_foreign_table(self, scratch: Place, table: str) -> None:
        scratch.dbms.create(scratch.name)
        scratch.run(f"CREATE TABLE {table} (theirs integer)")
        scratch.run(f"INSERT INTO {table} (theirs) VALUES (42)")
        for replace in (False, True):
            with pytest.raises(UserError, match=f"'{table}' that Spindle did not make"):
                scratch.build(replace=replace)
        assert scratch.run(f"SELECT theirs FROM {table}") == [(42,)]
        assert len(scratch.dbms.tables(scratch.name)) == 1

    @pytest.mark.parametrize("share", _SHARES)
    def test_a_cancelled_build_leaves_nothing_in_a_database_that_was_there(self, scratch: Place, share: float) -> None:
        scratch.dbms.create(scratch.name)
        _cancel(scratch, share)
        assert scratch.store.state() is None
        assert list(scratch.dbms.tables(scratch.name)) == []

    @pytest.mark.parametrize("share", [0.0, 0.4])
    def test_cancelled_build_drops_the_database_that_it_made(self, scratch: Place, share: float) -> None:
        _cancel(scratch, share)
        assert not scratch.dbms.exists(scratch.name)

    @pytest.mark.parametrize("share", _SHARES)
    def test_a_build_that_died_is_seen_as_partly_built_and_mended_by_the_next(
        self, scratch: Place, share: float
    ) -> None:
        self._die(scratch, share)
        state = scratch.store.state()
        assert (state is None) if share == 0.0 else (state is not None and not state.complete and not state.is_pristine)
        scratch.build()
        assert scratch.contents() == generated(SIZE, SEED)
        assert scratch.failed_checks() == set()

    def test_a_partly_built_store_can_only_be_built_or_dropped(self, scratch: Place) -> None:
        self._die(scratch, 0.3)
        with pytest.raises(UserError, match=r"only partly built; build it again"):
            scratch.verify()
        with pytest.raises(UserError, match=r"only partly built; build it again"):
            scratch.reset()
        scratch.store.drop()
        assert not scratch.dbms.exists(scratch.name)

    def test_the_next_build_remembers_that_the_first_one_made_the_database(self, scratch: Place) -> None:
        self._die(scratch, 0.5)
        scratch.build()
        scratch.store.drop()
        assert not scratch.dbms.exists(scratch.name)

    def test_the_server_is_described(self, reader: Place, dbms: DatabaseUnderTest) -> None:
        server = reader.store.server()
        assert server.product == dbms.product
        assert server.version[0].isdigit()
        assert server.host == str(reader.target.hosts[0])
        assert server.writable
        assert server.connect_ms > 0
        assert server.settings
        assert all(isinstance(value, str) for value in server.settings.values())

    def _die(self, place: Place, share: float) -> None:
        if share == 0.0:
            place.dbms.create(place.name)
        with pytest.raises(RuntimeError, match="the builder died here"):
            place.build(report_progress=Watcher(share).fail)


def _cancel(place: Place, share: float) -> None:
    watcher = Watcher(share)
    with pytest.raises(Cancelled):
        place.build(report_progress=watcher.report_progress, cancelled=watcher.asked)
    assert watcher.has_come
