"""The contract of all leases: one holder at a time, whose lease expires when it dies."""

import itertools
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol

import pytest

from engine.conduct.leasing import StoreLease, holder_of
from engine.databases.database import Store
from engine.databases.lease import LEASE_SECONDS, Claim
from engine.driver.child_process import process_context
from engine.errors import UserError
from tests.waiting import wait_until

BEAT_SECONDS = 0.1
JOIN_SECONDS = 180.0
_process_ids = itertools.count(4711)


class LeasedPlace(Protocol):
    """A store by its name, what opens it in any process, and what a test does with it.

    The leases of a test expire after ``lease_seconds``: more than a heartbeat is late by on a busy machine.
    """

    name: str
    lease_seconds: float

    @property
    def store(self) -> Store: ...

    @property
    def opener(self) -> Callable[[], Store]: ...

    def failed_checks(self) -> set[str]: ...

    def reset(self) -> None: ...


class Lessee:
    """Somebody who may lease a store, for a short time, and what was said to them."""

    def __init__(self, place: LeasedPlace, purpose: str = "run 'nightly'", *, breaks: bool = False) -> None:
        self.said: list[str] = []
        self.touched: list[str] = []
        self.claim = short_claim(purpose, place.lease_seconds)
        self.lease = StoreLease(
            place.store,
            self.claim,
            f"Store '{place.name}'",
            notify=self.said.append,
            on_conflict=lambda conflict: self.touched.append(": ".join(filter(None, (conflict.text, conflict.who)))),
            breaks=breaks,
        )

    def holds(self, place: LeasedPlace) -> bool:
        holder = holder_of(place.store)
        return holder is not None and holder.token == self.claim.token


def short_claim(purpose: str, lasts_seconds: float, user: str = "anna") -> Claim:
    return Claim(
        purpose=purpose,
        program="Spindle window",
        user_name=user,
        host_name="lab-ws2",
        process_id=next(_process_ids),
        lasts_seconds=lasts_seconds,
        heartbeat_seconds=BEAT_SECONDS,
    )


class HoldingContract:
    """One store, and several programs that want its lease."""

    @pytest.fixture
    def lessees(self) -> Iterator[list[Lessee]]:
        """The holders whose leases are released at the end of the test."""
        found: list[Lessee] = []
        yield found
        for lessee in found:
            lessee.lease.release()

    def test_a_store_is_leased_to_one_at_a_time(self, place: LeasedPlace, lessees: list[Lessee]) -> None:
        anna, ben = some(place, lessees), some(place, lessees, "reset")
        assert holder_of(place.store) is None
        anna.lease.take()
        holder = holder_of(place.store)
        assert holder is not None
        process = anna.claim.process_id
        assert holder.description == f"anna@lab-ws2 (run 'nightly', Spindle window, process {process})"
        for _ in range(2):
            with pytest.raises(UserError) as refused:
                ben.lease.take()
        assert f"Store '{place.name}' is in use since {holder.since_text} by " in str(refused.value)
        assert anna.holds(place)
        anna.lease.release()
        assert holder_of(place.store) is None
        ben.lease.take()
        assert ben.holds(place)
        assert (anna.said, ben.said, anna.touched) == ([], [], [])

    def test_a_lease_does_not_count_as_a_change_of_the_store(self, place: LeasedPlace, lessees: list[Lessee]) -> None:
        before = place.store.state()
        some(place, lessees).lease.take()
        assert place.store.state() == before
        assert place.failed_checks() == set()

    def test_lease_lasts_while_heartbeats_are_written(self, place: LeasedPlace, lessees: list[Lessee]) -> None:
        anna, ben = some(place, lessees), some(place, lessees)
        anna.lease.take()
        wait_until(lambda: age(place) > place.lease_seconds, "the lease is older than a dead one may be")
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
    def test_lease_of_a_killed_holder_expires(
        self, place: LeasedPlace, lessees: list[Lessee], is_elsewhere: bool
    ) -> None:
        lasts_seconds = 2 * place.lease_seconds  # on a busy machine it takes a while to ask for it
        process = process_context().Process(target=_hold, args=(place.opener, lasts_seconds, is_elsewhere))
        process.start()
        try:
            wait_until(lambda: holder_of(place.store) is not None, "it is leased", timeout_seconds=JOIN_SECONDS)
            assert process.pid is not None
            os.kill(process.pid, signal.SIGKILL)
        finally:
            process.join(JOIN_SECONDS)
        lessee = some(place, lessees)
        if is_elsewhere:
            with pytest.raises(UserError, match="is in use since"):
                lessee.lease.take()
            wait_until(lambda: holder_of(place.store) is None, "the dead one is forgotten")
        else:
            assert holder_of(place.store) is None, "that its process has ended can be seen here"
        lessee.lease.take()
        assert lessee.holds(place)
        assert "by kim@lab-ws2" in lessee.said[0]

    def test_lease_is_broken_only_by_force_and_its_holder_is_notified(
        self, place: LeasedPlace, lessees: list[Lessee]
    ) -> None:
        anna, ben = some(place, lessees), some(place, lessees, "reset", breaks=True)
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

    def test_a_store_that_is_reset_under_its_holder_is_noticed(self, place: LeasedPlace, lessees: list[Lessee]) -> None:
        lessee, state = some(place, lessees), place.store.state()
        assert state is not None
        lessee.lease.take()
        lessee.lease.watch(state.as_built_at)
        place.reset()
        was_reset = f"Store '{place.name}' was reset or replaced by others"
        wait_until(lambda: was_reset in lessee.touched, "the reset was noticed")


def some(place: LeasedPlace, lessees: list[Lessee], purpose: str = "run 'nightly'", *, breaks: bool = False) -> Lessee:
    lessees.append(Lessee(place, purpose, breaks=breaks))
    return lessees[-1]


def age(place: LeasedPlace) -> float:
    """How long the lease has been held, by this machine's clock, which is the server's."""
    holder = holder_of(place.store)
    return 0.0 if holder is None else (datetime.now(UTC) - holder.since).total_seconds()


def _hold(opener: Callable[[], Store], lasts_seconds: float, is_elsewhere: bool) -> None:
    """Lease the store until somebody kills this process, which may say that it runs on another machine."""
    store, claim = opener(), short_claim("run 'killed'", lasts_seconds, "kim")
    if is_elsewhere:
        claim = replace(claim, process_key=f"elsewhere {os.getpid()} 0.00")
    else:
        claim = replace(claim, lasts_seconds=LEASE_SECONDS)
    lease = StoreLease(store, claim, "the store", notify=print)
    lease.take()
    signal.pause()
