"""The contract of a store's lease: one holder at a time, who is forgotten when it dies."""

import itertools
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from engine.conduct.leasing import Leases, StoreLease, holder_of
from engine.databases.database import Timeouts
from engine.databases.lease import LEASE_SECONDS, Claim
from engine.databases.progress import Progress
from engine.driver.child_process import process_context
from engine.errors import Cancelled, UserError
from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.databases.contract.building import Watcher
from tests.engine.databases.contract.places import SEED, SIZE, Place, generated, never, silent
from tests.engine.workloads.dvdstore.sessions import store_at
from tests.waiting import wait_until

_TWO_MB = DbSize(2, "MB")
_SHORT_SECONDS = 1.5
_BEAT_SECONDS = 0.1
_JOIN_SECONDS = 60.0
_process_ids = itertools.count(4711)


class Lessee:
    """Somebody who may lease a store, for a short time, and what was said to them."""

    def __init__(self, place: Place, purpose: str = "run 'nightly'", *, breaks: bool = False) -> None:
        self.said: list[str] = []
        self.touched: list[str] = []
        self.claim = short_claim(purpose)
        self.lease = StoreLease(
            place.store,
            self.claim,
            f"Database '{place.name}'",
            notify=self.said.append,
            on_conflict=lambda conflict: self.touched.append(": ".join(filter(None, (conflict.text, conflict.who)))),
            breaks=breaks,
        )

    def holds(self, place: Place) -> bool:
        holder = holder_of(place.store)
        return holder is not None and holder.token == self.claim.token


def short_claim(purpose: str, user: str = "anna") -> Claim:
    return Claim(
        purpose=purpose,
        program="Spindle window",
        user_name=user,
        host_name="lab-ws2",
        process_id=next(_process_ids),
        lasts_seconds=_SHORT_SECONDS,
        heartbeat_seconds=_BEAT_SECONDS,
    )


class LeasingContract:
    """One store, and several who want it."""

    @pytest.fixture
    def lessees(self) -> Iterator[list[Lessee]]:
        """Everybody whose lease is to be let go when the test is over."""
        found: list[Lessee] = []
        yield found
        for lessee in found:
            lessee.lease.release()

    def test_a_store_is_leased_to_one_at_a_time(self, place: Place, lessees: list[Lessee]) -> None:
        anna, ben = _some(place, lessees), _some(place, lessees, "reset")
        assert holder_of(place.store) is None
        anna.lease.take()
        holder = holder_of(place.store)
        assert holder is not None
        process = anna.claim.process_id
        assert holder.description == f"anna@lab-ws2 (run 'nightly', Spindle window, process {process})"
        for _ in range(2):
            with pytest.raises(UserError) as refused:
                ben.lease.take()
        assert f"Database '{place.name}' is in use since {holder.since_text} by " in str(refused.value)
        assert anna.holds(place)
        anna.lease.release()
        assert holder_of(place.store) is None
        ben.lease.take()
        assert ben.holds(place)
        assert (anna.said, ben.said, anna.touched) == ([], [], [])

    def test_a_lease_does_not_count_as_a_change_of_the_store(self, place: Place, lessees: list[Lessee]) -> None:
        before = place.store.state()
        _some(place, lessees).lease.take()
        assert place.store.state() == before
        assert place.failed_checks() == set()

    def test_lease_lasts_while_heartbeats_are_written(self, place: Place, lessees: list[Lessee]) -> None:
        anna, ben = _some(place, lessees), _some(place, lessees)
        anna.lease.take()
        wait_until(lambda: _age(place) > 2 * _SHORT_SECONDS, "the lease is older than a dead one may be")
        with pytest.raises(UserError, match="is in use since"):
            ben.lease.take()
        anna.lease.rest()
        wait_until(lambda: holder_of(place.store) is None, "the lease has expired")
        ben.lease.take()
        assert ben.holds(place)
        assert len(ben.said) == 1
        assert "was in use by anna@lab-ws2 (run 'nightly', Spindle window, process " in ben.said[0]
        assert "taken over" in ben.said[0]

    @pytest.mark.parametrize("is_elsewhere", [True, False])
    def test_lease_of_a_killed_holder_expires(self, place: Place, lessees: list[Lessee], is_elsewhere: bool) -> None:
        process = process_context().Process(target=_hold, args=(place.target, place.dbms.secret, is_elsewhere))
        process.start()
        try:
            wait_until(lambda: holder_of(place.store) is not None, "it is leased", timeout_seconds=_JOIN_SECONDS)
            assert process.pid is not None
            os.kill(process.pid, signal.SIGKILL)
        finally:
            process.join(_JOIN_SECONDS)
        lessee = _some(place, lessees)
        if is_elsewhere:
            with pytest.raises(UserError, match="is in use since"):
                lessee.lease.take()
            wait_until(lambda: holder_of(place.store) is None, "the dead one is forgotten")
        else:
            assert holder_of(place.store) is None, "that its process has ended can be seen here"
        lessee.lease.take()
        assert lessee.holds(place)
        assert "by kim@lab-ws2" in lessee.said[0]

    def test_heartbeats_continue_after_their_session_was_terminated(self, place: Place, lessees: list[Lessee]) -> None:
        lessee = _some(place, lessees)
        lessee.lease.take()
        for _ in range(3):
            place.dbms.end_sessions(place.name)
        wait_until(lambda: _age(place) > 2 * _SHORT_SECONDS and lessee.holds(place), "the lease is alive")
        assert lessee.touched == []

    def test_a_lease_outlives_its_server(self, dying: Place, lessees: list[Lessee]) -> None:
        lessee = _some(dying, lessees)
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
            _some(dying, lessees).lease.take()
        assert lessee.touched == []

    def test_lease_is_broken_only_by_force_and_its_holder_is_notified(
        self, place: Place, lessees: list[Lessee]
    ) -> None:
        anna, ben = _some(place, lessees), _some(place, lessees, "reset", breaks=True)
        anna.lease.take()
        ben.lease.take()
        assert ben.holds(place)
        assert "was in use by anna@lab-ws2 (run 'nightly'" in ben.said[0]
        assert "that lease was broken" in ben.said[0]
        wait_until(lambda: bool(anna.touched), "the old holder has noticed")
        assert "was taken by others (reset): anna@lab-ws2 (reset, " in anna.touched[0]
        ben.lease.release()
        wait_until(lambda: anna.holds(place), "the old holder has it back")
        assert len(anna.touched) == 1

    def test_a_store_that_is_reset_under_its_holder_is_noticed(self, place: Place, lessees: list[Lessee]) -> None:
        lessee, state = _some(place, lessees), place.store.state()
        assert state is not None
        lessee.lease.take()
        lessee.lease.watch(state.as_built_at)
        place.reset()
        wait_until(lambda: bool(lessee.touched), "the reset was noticed")
        assert lessee.touched == [f"Database '{place.name}' was reset or replaced by others"]

    def test_stores_are_leased_together_or_not_at_all(self, place: Place, reader: Place, lessees: list[Lessee]) -> None:
        mine, theirs, other = _some(place, lessees), _some(reader, lessees), _some(reader, lessees)
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
        lessee = _some(scratch, lessees)
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
        first, second = _some(scratch, lessees, "build"), _some(scratch, lessees, "build")
        reached, refused = threading.Event(), threading.Event()

        def report_progress(progress: Progress) -> None:
            if progress.share >= 0.3:
                reached.set()
                assert refused.wait(_JOIN_SECONDS)

        building = background.submit(_build, scratch, first.lease, report_progress=report_progress)
        assert reached.wait(_JOIN_SECONDS)
        with pytest.raises(UserError, match=r"is in use since .*\(build, "):
            _build(scratch, second.lease)
        refused.set()
        building.result(_JOIN_SECONDS)
        assert scratch.contents() == generated(SIZE, SEED)
        assert first.holds(scratch)

    def test_replacement_keeps_the_lease(self, place: Place, lessees: list[Lessee]) -> None:
        for delete_first in (False, True):
            lessee = _some(place, lessees, "build")
            lessee.lease.take_if_there()
            _build(place, lessee.lease, _TWO_MB, replace=True, delete_first=delete_first)
            assert lessee.holds(place)
            lessee.lease.release()
        assert place.contents() == generated(_TWO_MB, SEED)

    @pytest.mark.parametrize("made_before", [True, False])
    def test_a_cancelled_build_leaves_no_lease(self, scratch: Place, lessees: list[Lessee], made_before: bool) -> None:
        if made_before:
            scratch.dbms.create(scratch.name)
        lessee, watcher = _some(scratch, lessees, "build"), Watcher(0.3)
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
        lessee = _some(scratch, lessees, "drop")
        lessee.lease.take_if_there()
        assert lessee.lease.is_held
        scratch.store.drop(lease=lessee.lease)
        assert not scratch.dbms.exists(scratch.name)

    def test_drop_removes_the_lease_from_a_kept_database(self, scratch: Place, lessees: list[Lessee]) -> None:
        scratch.dbms.create(scratch.name)
        lessee = _some(scratch, lessees, "build")
        _build(scratch, lessee.lease)
        scratch.store.drop(lease=lessee.lease)
        assert list(scratch.dbms.tables(scratch.name)) == []


def _some(place: Place, lessees: list[Lessee], purpose: str = "run 'nightly'", *, breaks: bool = False) -> Lessee:
    lessees.append(Lessee(place, purpose, breaks=breaks))
    return lessees[-1]


def _age(place: Place) -> float:
    """How long the lease has been held, by this machine's clock, which is the server's."""
    holder = holder_of(place.store)
    return 0.0 if holder is None else (datetime.now(UTC) - holder.since).total_seconds()


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


def _hold(target: Target, secret: Secret, is_elsewhere: bool) -> None:
    """Lease the store until somebody kills this process, which may say that it runs on another machine."""
    store, claim = store_at(target, secret, Timeouts()), short_claim("run 'killed'", "kim")
    if is_elsewhere:
        claim = replace(claim, process_key=f"elsewhere {os.getpid()} 0.00")
    else:
        claim = replace(claim, lasts_seconds=LEASE_SECONDS)
    lease = StoreLease(store, claim, "the store", notify=print)
    lease.take()
    signal.pause()
