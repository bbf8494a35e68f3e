"""The contract of the lease of a store in a database."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.conduct.leasing import Leases, StoreLease, holder_of
from engine.databases.progress import Progress
from engine.errors import Cancelled, UserError
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.databases.contract.building import Watcher
from tests.engine.databases.contract.holding import JOIN_SECONDS, HoldingContract, Lessee, age, some
from tests.engine.databases.contract.places import SEED, SIZE, Place, generated, never, silent
from tests.waiting import wait_until

_TWO_MB = DbSize(2, "MB")


class LeasingContract(HoldingContract):
    """One store, and several programs that want its lease."""

    def test_heartbeats_continue_after_their_session_was_terminated(self, place: Place, lessees: list[Lessee]) -> None:
        lessee = some(place, lessees)
        lessee.lease.take()
        for _ in range(3):
            place.dbms.end_sessions(place.name)
        wait_until(lambda: age(place) > place.lease_seconds and lessee.holds(place), "the lease is alive")
        assert lessee.touched == []

    def test_a_lease_outlives_its_server(self, dying: Place, lessees: list[Lessee]) -> None:
        lessee = some(dying, lessees)
        lessee.lease.take()
        dying.dbms.kill()
        dying.dbms.start()
        back_at = time.monotonic()

        def was_kept_since() -> bool:
            seconds, holder = time.monotonic() - back_at, holder_of(dying.store)
            return holder is not None and holder.silent_seconds < seconds

        wait_until(was_kept_since, "a heartbeat has reached the server that has come back")
        assert lessee.holds(dying)
        with pytest.raises(UserError, match="is in use since"):
            some(dying, lessees).lease.take()
        assert lessee.touched == []

    def test_stores_are_leased_together_or_not_at_all(self, place: Place, reader: Place, lessees: list[Lessee]) -> None:
        mine, theirs, other = some(place, lessees), some(reader, lessees), some(reader, lessees)
        other.lease.take()
        with pytest.raises(UserError, match=f"'{reader.name}' is in use"):
            Leases([mine.lease, theirs.lease]).take()
        assert holder_of(place.store) is None
        other.lease.release()
        Leases([mine.lease, theirs.lease]).take()
        assert mine.holds(place)
        assert theirs.holds(reader)
        theirs.lease.release()
        reader.run("DROP TABLE spindle_lease")

    def test_where_no_store_is_there_is_no_lease_but_a_build_s(self, scratch: Place, lessees: list[Lessee]) -> None:
        lessee = some(scratch, lessees)
        lessee.lease.take_if_there()  # there is not even a database
        scratch.dbms.create(scratch.name)
        lessee.lease.take_if_there()
        assert not lessee.lease.is_held
        assert list(scratch.dbms.tables(scratch.name)) == []
        lessee.lease.take()
        assert lessee.holds(scratch)

    def test_a_build_leases_its_store_and_a_second_one_is_refused(
        self, scratch: Place, lessees: list[Lessee], background: ThreadPoolExecutor
    ) -> None:
        first, second = some(scratch, lessees, "build"), some(scratch, lessees, "build")
        reached, refused = threading.Event(), threading.Event()

        def report_progress(progress: Progress) -> None:
            if progress.share >= 0.3:
                reached.set()
                assert refused.wait(JOIN_SECONDS)

        building = background.submit(_build, scratch, first.lease, report_progress=report_progress)
        assert reached.wait(JOIN_SECONDS)
        with pytest.raises(UserError, match=r"is in use since .*\(build, "):
            _build(scratch, second.lease)
        refused.set()
        building.result(JOIN_SECONDS)
        assert scratch.contents() == generated(SIZE, SEED)
        assert first.holds(scratch)

    def test_replacement_keeps_the_lease(self, place: Place, lessees: list[Lessee]) -> None:
        for delete_first in (False, True):
            lessee = some(place, lessees, "build")
            lessee.lease.take_if_there()
            _build(place, lessee.lease, _TWO_MB, replace=True, delete_first=delete_first)
            assert lessee.holds(place)
            lessee.lease.release()
        assert place.contents() == generated(_TWO_MB, SEED)

    @pytest.mark.parametrize("made_before", [True, False])
    def test_a_cancelled_build_leaves_no_lease(self, scratch: Place, lessees: list[Lessee], made_before: bool) -> None:
        if made_before:
            scratch.dbms.create(scratch.name)
        lessee, watcher = some(scratch, lessees, "build"), Watcher(0.3)
        with pytest.raises(Cancelled):
            scratch.store.build(
                str(SIZE),
                SEED,
                replace=False,
                report_progress=watcher.report_progress,
                cancelled=watcher.asked,
                lease=lessee.lease,
            )
        assert scratch.dbms.exists(scratch.name) is made_before
        if made_before:
            assert list(scratch.dbms.tables(scratch.name)) == []

    def test_drop_removes_lease_and_database(self, scratch: Place, lessees: list[Lessee]) -> None:
        scratch.build()
        lessee = some(scratch, lessees, "drop")
        lessee.lease.take_if_there()
        assert lessee.lease.is_held
        scratch.store.drop(lease=lessee.lease)
        assert not scratch.dbms.exists(scratch.name)

    def test_drop_removes_the_lease_from_a_kept_database(self, scratch: Place, lessees: list[Lessee]) -> None:
        scratch.dbms.create(scratch.name)
        lessee = some(scratch, lessees, "build")
        _build(scratch, lessee.lease)
        scratch.store.drop(lease=lessee.lease)
        assert list(scratch.dbms.tables(scratch.name)) == []


def _build(
    place: Place,
    lease: StoreLease,
    size: DbSize = SIZE,
    *,
    replace: bool = False,
    delete_first: bool = False,
    report_progress: Callable[[Progress], None] = silent,
) -> None:
    place.store.build(
        str(size),
        SEED,
        replace=replace,
        delete_first=delete_first,
        report_progress=report_progress,
        cancelled=never,
        lease=lease,
    )
