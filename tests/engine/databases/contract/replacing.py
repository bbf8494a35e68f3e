"""The contract of replacing a store: until the new one is complete, the old one is whole, however the work ends."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.databases.database import Timeouts
from engine.databases.progress import Progress
from engine.driver.child_process import process_context
from engine.errors import Cancelled, ErrorClass, TargetError, UserError
from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.databases.contract.building import Watcher
from tests.engine.databases.contract.places import SEED, SIZE, Place, generated, never
from tests.engine.workloads.dvdstore.sessions import store_at
from tests.waiting import wait_until

_TWO_MB = DbSize(2, "MB")
_SHARES = [0.0, 0.62, 0.95]
_JOIN_SECONDS = 180.0


class ReplacingContract:
    """Replacing a complete store by another one."""

    def test_what_a_replacement_would_do_is_known_before(self, reader: Place) -> None:
        replacement = reader.store.replacement(str(_TWO_MB))
        assert replacement is not None
        assert (replacement.scale, replacement.host) == (str(SIZE), str(reader.target.hosts[0]))
        assert not replacement.must_delete_first

    def test_where_no_complete_store_is_nothing_would_be_replaced(self, scratch: Place) -> None:
        scratch.dbms.create(scratch.name)
        assert scratch.store.replacement(str(_TWO_MB)) is None
        with pytest.raises(RuntimeError):
            scratch.build(report_progress=Watcher(0.3).fail)
        assert scratch.store.replacement(str(_TWO_MB)) is None

    def test_the_new_store_is_whole_and_leaves_nothing_beside_it(self, place: Place) -> None:
        before = set(place.dbms.tables(place.name))
        report = place.build(_TWO_MB, seed=9, replace=True)
        assert report.rows["customers"] == _TWO_MB.customers
        assert place.contents() == generated(_TWO_MB, 9)
        assert place.failed_checks() == set()
        assert set(place.dbms.tables(place.name)) == before
        assert place.dbms.siblings(place.name) == []

    def test_the_new_store_can_be_used_reset_replaced_again_and_dropped(self, place: Place) -> None:
        place.build(_TWO_MB, seed=9, replace=True)
        _use(place, _TWO_MB)
        place.reset()
        assert place.contents() == generated(_TWO_MB, 9)
        place.build(SIZE, replace=True)
        assert place.contents() == generated(SIZE, SEED)
        assert place.failed_checks() == set()
        place.store.drop()
        assert place.dbms.siblings(place.name) == []

    def test_the_next_build_still_knows_who_made_the_database(self, scratch: Place) -> None:
        scratch.build()
        scratch.build(_TWO_MB, replace=True)
        scratch.store.drop()
        assert not scratch.dbms.exists(scratch.name)

    @pytest.mark.parametrize("share", _SHARES)
    def test_a_cancelled_replacement_leaves_the_old_store_as_it_was(self, place: Place, share: float) -> None:
        _use(place, SIZE)
        before, watcher = place.contents(), Watcher(share)
        with pytest.raises(Cancelled):
            place.build(_TWO_MB, replace=True, report_progress=watcher.report_progress, cancelled=watcher.asked)
        assert watcher.has_come
        _assert_untouched(place, before)

    @pytest.mark.parametrize("share", [0.3, 0.95])
    def test_a_replacement_that_fails_leaves_the_old_store_as_it_was(self, place: Place, share: float) -> None:
        before = place.contents()
        with pytest.raises(RuntimeError, match="the builder died here"):
            place.build(_TWO_MB, replace=True, report_progress=Watcher(share).fail)
        _assert_untouched(place, before)

    @pytest.mark.parametrize("share", [0.1, 0.94])
    def test_a_replacement_whose_process_is_killed_leaves_the_old_store_whole(self, place: Place, share: float) -> None:
        _use(place, SIZE)
        before = place.contents()
        _kill_a_replacement(place, share)
        state = place.store.state()
        assert state is not None
        assert (state.scale, state.complete) == (str(SIZE), True)
        assert place.contents() == before
        assert place.failed_checks() == set()
        assert place.dbms.siblings(place.name) != []
        place.build(_TWO_MB, replace=True)
        assert place.contents() == generated(_TWO_MB, SEED)
        assert place.dbms.siblings(place.name) == []

    def test_drop_removes_what_a_killed_replacement_left(self, scratch: Place) -> None:
        scratch.build()
        _kill_a_replacement(scratch, 0.3)
        assert scratch.dbms.siblings(scratch.name) != []
        scratch.store.drop()
        assert scratch.dbms.siblings(scratch.name) == []
        assert not scratch.dbms.exists(scratch.name)

    def test_old_store_accepts_orders_while_the_new_one_is_built(
        self, place: Place, background: ThreadPoolExecutor
    ) -> None:
        reached, bought = threading.Event(), threading.Event()

        def report_progress(progress: Progress) -> None:
            if progress.share >= 0.3 and not reached.is_set():
                reached.set()
                assert bought.wait(_JOIN_SECONDS)

        building = background.submit(place.build, _TWO_MB, replace=True, report_progress=report_progress)
        assert reached.wait(_JOIN_SECONDS)
        _use(place, SIZE)
        assert place.failed_checks() == set()
        bought.set()
        building.result(_JOIN_SECONDS)
        assert place.contents() == generated(_TWO_MB, SEED)

    def test_long_lock_on_the_old_store_prevents_its_replacement(self, place: Place) -> None:
        store = store_at(place.target, place.dbms.secret, Timeouts(statement_seconds=0.1))
        before = place.contents()
        with place.dbms.transaction(place.name) as run:
            run("SELECT count(*) FROM reorder")
            run("UPDATE categories SET category = category WHERE category = 1")
            with pytest.raises(TargetError) as caught:
                store.build(str(_TWO_MB), SEED, replace=True, report_progress=lambda _: None, cancelled=never)
        assert caught.value.error_class is ErrorClass.TIMEOUT
        _assert_untouched(place, before)

    def test_waiting_for_the_old_store_can_be_cancelled(self, place: Place, background: ThreadPoolExecutor) -> None:
        before, cancelled, swapping = place.contents(), threading.Event(), threading.Event()

        def report_progress(progress: Progress) -> None:
            if "earlier store" in progress.doing:
                swapping.set()

        with place.dbms.transaction(place.name) as run:
            run("UPDATE categories SET category = category WHERE category = 1")
            building = background.submit(
                place.build, _TWO_MB, replace=True, report_progress=report_progress, cancelled=cancelled.is_set
            )
            wait_until(swapping.is_set, "the new store is to take the old one's place", timeout_seconds=_JOIN_SECONDS)
            cancelled.set()
            assert isinstance(building.exception(_JOIN_SECONDS), Cancelled)
        _assert_untouched(place, before)

    def test_the_old_store_can_be_deleted_first(self, place: Place) -> None:
        seen: list[int] = []

        def report_progress(progress: Progress) -> None:
            if progress.share >= 0.3 and not seen:
                state = place.store.state()
                seen.append(1 if state is not None and state.complete else 0)

        place.build(_TWO_MB, replace=True, delete_first=True, report_progress=report_progress)
        assert seen == [0]
        assert place.contents() == generated(_TWO_MB, SEED)
        assert place.failed_checks() == set()

    def test_a_cancelled_build_behind_a_deletion_leaves_no_store(self, place: Place) -> None:
        watcher = Watcher(0.3)
        with pytest.raises(Cancelled):
            place.build(
                _TWO_MB,
                replace=True,
                delete_first=True,
                report_progress=watcher.report_progress,
                cancelled=watcher.asked,
            )
        assert not place.dbms.exists(place.name) or place.store.state() is None

    def test_foreign_objects_at_the_replacements_place_are_not_changed(self, place: Place) -> None:
        place.dbms.occupy_sibling(place.name)
        before = place.contents()
        with pytest.raises(UserError, match="that Spindle did not make"):
            place.build(_TWO_MB, replace=True)
        assert place.contents() == before
        assert place.dbms.siblings(place.name) != []
        place.dbms.vacate_sibling(place.name)


def _use(place: Place, size: DbSize) -> None:
    """A purchase, and a search through each full-text index."""
    session = place.open()
    product = place.value("SELECT max(prod_id) FROM inventory WHERE quan_in_stock > 10")
    assert session.purchase(1, [(product, 1)], net=1, tax=0, total=1) == size.orders + 1
    ((title, actor),) = place.run("SELECT title, actor FROM products WHERE prod_id = 3")
    assert len(session.browse_by_title(*title.split()[:2], 5)) > 0
    assert len(session.browse_by_actor(*actor.split()[:2], 5)) > 0
    session.close()


def _assert_untouched(place: Place, before: object) -> None:
    state = place.store.state()
    assert state is not None
    assert (state.scale, state.complete) == (str(SIZE), True)
    assert place.contents() == before
    assert place.failed_checks() == set()
    assert place.dbms.siblings(place.name) == []


def _kill_a_replacement(place: Place, share: float) -> None:
    process = process_context().Process(target=_replace_and_die, args=(place.target, place.dbms.secret, share))
    process.start()
    process.join(_JOIN_SECONDS)
    assert process.exitcode == -signal.SIGKILL


def _replace_and_die(target: Target, secret: Secret, share: float) -> None:
    def report_progress(progress: Progress) -> None:
        if progress.share >= share:
            os.kill(os.getpid(), signal.SIGKILL)

    store = store_at(target, secret, Timeouts())
    store.build(str(_TWO_MB), SEED, replace=True, report_progress=report_progress, cancelled=never)
