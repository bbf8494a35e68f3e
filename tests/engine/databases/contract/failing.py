"""The contract of a session's errors: their classes, and whether the session can be used afterwards."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from engine.databases.database import Timeouts
from engine.errors import ErrorClass, TargetError
from tests.engine.databases.contract.places import Place
from tests.engine.workloads.dvdstore.sessions import DvdStoreSession
from tests.waiting import wait_until

_TRIES = 10
_LOCK = "UPDATE inventory SET sales = sales WHERE prod_id = {}"
_WORK = "UPDATE inventory SET sales = sales + 1 WHERE prod_id = {}"
_OTHER_PRODUCTS = range(51, 101)


class FailingContract:
    """Every way in which a call ends with an error."""

    def test_statement_timeout_leaves_the_session_usable(self, place: Place) -> None:
        session = place.open(Timeouts(statement_seconds=5.0))
        before = place.contents()
        with place.dbms.transaction(place.name) as run:
            run(_LOCK.format(2))
            with pytest.raises(TargetError) as caught:
                _buy(session, 1, 2)
        assert (caught.value.error_class, caught.value.usable) == (ErrorClass.TIMEOUT, True)
        assert place.contents() == before
        assert _buy(session, 1, 2) is not None

    def test_deadlock_is_classified_and_can_be_retried(self, place: Place, background: ThreadPoolExecutor) -> None:
        session, victim = place.open(), None
        for _ in range(_TRIES):  # the server chooses the deadlock's victim
            victim = _deadlock(place, session, background)
            if victim is not None:
                break
        assert victim is not None
        assert (victim.error_class, victim.usable) == (ErrorClass.DEADLOCK, True)
        assert victim.code
        assert _buy(session, 1, 2) is not None
        assert place.failed_checks() <= {"products whose stock differs from what was built, sold and delivered"}

    def test_a_session_that_is_terminated_under_a_call_is_lost(
        self, place: Place, background: ThreadPoolExecutor
    ) -> None:
        session = place.open()
        lost = while_hanging(place, session, background, lambda: place.dbms.end_sessions(place.name))
        assert (lost.error_class, lost.usable) == (ErrorClass.CONNECTION_LOST, False)
        _assert_lost(session)

    def test_a_session_that_was_terminated_while_idle_is_lost_at_the_next_call(self, reader: Place) -> None:
        session = reader.open()
        reader.dbms.end_sessions(reader.name)
        _assert_lost(session)
        _assert_lost(session)

    def test_hanging_call_is_cut_by_another_thread(self, place: Place, background: ThreadPoolExecutor) -> None:
        session = place.open()
        lost = while_hanging(place, session, background, session.cut)
        assert (lost.error_class, lost.usable) == (ErrorClass.CONNECTION_LOST, False)
        _assert_lost(session)

    def test_a_cut_between_calls_is_noticed_by_the_next(self, reader: Place) -> None:
        session = reader.open()
        session.cut()
        session.cut()
        _assert_lost(session)

    def test_closing_and_cutting_a_closed_session_is_fine(self, reader: Place) -> None:
        session = reader.open()
        session.close()
        session.close()
        session.cut()
        _assert_lost(session)

    def test_one_lost_session_does_not_hurt_another(self, reader: Place) -> None:
        lost, well = reader.open(), reader.open()
        lost.cut()
        _assert_lost(lost)
        assert set(well.prices([1])) == {1}


def _buy(session: DvdStoreSession, *products: int) -> int | None:
    return session.purchase(1, [(product, 0) for product in products], net=1, tax=0, total=1)


def while_hanging(
    place: Place, session: DvdStoreSession, background: ThreadPoolExecutor, what: Callable[[], None]
) -> TargetError:
    """Do it while a purchase waits for somebody's lock; the error that ends the purchase."""
    with place.dbms.transaction(place.name) as run:
        run(_LOCK.format(2))
        hanging: Future[Any] = background.submit(_buy, session, 1, 2)
        wait_until(lambda: place.dbms.waiting(place.name) == 1, "the purchase waits for the lock")
        what()
        error = hanging.exception(timeout=60)
    assert isinstance(error, TargetError)
    return error


def _deadlock(place: Place, session: DvdStoreSession, background: ThreadPoolExecutor) -> TargetError | None:
    """Make a deadlock; returns the session's error, or ``None`` when the other connection was the victim."""
    blocked = threading.Event()
    try:
        with place.dbms.transaction(place.name) as run:
            # Some servers spare the one who has done most. A statement on a range might read the whole table, and
            # InnoDB would then lock the products of the purchase too.
            for product in _OTHER_PRODUCTS:
                run(_WORK.format(product))
            run(_LOCK.format(2))
            buying: Future[Any] = background.submit(_buy, session, 1, 2)
            wait_until(lambda: place.dbms.waiting(place.name) == 1, "the purchase waits for the lock")
            run(_LOCK.format(1))
            blocked.set()
    except Exception:
        if blocked.is_set():
            raise
    error = buying.exception(timeout=60)
    assert error is None or isinstance(error, TargetError)
    return error


def _assert_lost(session: DvdStoreSession) -> None:
    with pytest.raises(TargetError) as caught:
        session.prices([1])
    assert (caught.value.error_class, caught.value.usable) == (ErrorClass.CONNECTION_LOST, False)
