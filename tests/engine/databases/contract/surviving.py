"""The contract of a killed server: the state of sessions, orders and store afterwards."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from engine.audit.report import Verdict
from engine.databases.database import Timeouts
from engine.databases.progress import Progress
from engine.errors import ErrorClass, TargetError, UserError
from tests.engine.databases.contract.failing import while_hanging
from tests.engine.databases.contract.places import SEED, SIZE, Place, added, generated, never
from tests.engine.databases.contract.shopping import Order, Shopper, audit_of, orders_of, state_before
from tests.engine.databases.contract.under_test import MortalDatabase
from tests.engine.workloads.dvdstore.sessions import DvdStoreSession, auditor_at, open_session
from tests.waiting import wait_until

_USERS = 6
_ORDERS_EACH = 5
_BACK_OFF_SECONDS = 0.05
_OVER_SECONDS = 90.0
_NOBODY_ANSWERS = {ErrorClass.CONNECTION_LOST, ErrorClass.TIMEOUT}
"""A busy system still accepts connections for a server that is ending, and nobody answers them."""


class SurvivingContract:
    """A server that is killed (SIGKILL) and started again."""

    def test_users_outlive_a_server_that_is_killed_under_load_and_lose_no_order(
        self, mortal: MortalDatabase, dying: Place, tmp_path: Path
    ) -> None:
        marked, before = state_before(dying), dying.contents()
        users = [_User(dying, number) for number in range(_USERS)]
        stop = threading.Event()
        with ThreadPoolExecutor(_USERS) as threads:
            living = [threads.submit(user.live, stop) for user in users]
            try:
                _wait_for_orders(users, living)
                mortal.kill()
                _wait_for(lambda: all(user.refusals for user in users), "nobody is let in any more", living)
                mortal.start()
                while_starting = [len(user.refusals) for user in users]
                _wait_for_orders(users, living, after_return=True)
            finally:
                stop.set()
        for life in living:
            life.result(timeout=_OVER_SECONDS)

        for user, meanwhile in zip(users, while_starting, strict=True):
            (lost,) = [error for error in user.errors if error.error_class is not ErrorClass.DEADLOCK]
            assert (lost.error_class, lost.usable) == (ErrorClass.CONNECTION_LOST, False)
            for number, refusal in enumerate(user.refusals):
                # A server that is starting may not know its databases yet; the last answer may be heard later.
                not_yet = {ErrorClass.MISSING_DATABASE} if number <= meanwhile else set()
                assert refusal.error_class in _NOBODY_ANSWERS | not_yet
                assert not refusal.usable
        shoppers = [user.shopper for user in users]
        in_doubt = Counter(purchase for shopper in shoppers for purchase in shopper.in_doubt)
        beyond = _orders_beyond(orders_of(shoppers), added(before, dying.contents()))
        assert beyond <= in_doubt
        assert dying.failed_checks() == set()
        audit = audit_of(dying, marked, shoppers, tmp_path)
        assert (audit.verdict, audit.counts.present) == (Verdict.CLEAN, len(orders_of(shoppers)))
        assert audit.counts.in_doubt_present == beyond.total()
        assert audit.counts.in_doubt_absent == (in_doubt - beyond).total()

    def test_connections_are_lost_and_can_be_made_again(self, mortal: MortalDatabase, dying: Place) -> None:
        def audit() -> None:
            with auditor_at(dying.target, mortal.secret, Timeouts(), never) as looking:
                assert looking.state() is not None
                mortal.kill()
                looking.products_off()

        session = dying.open()
        _assert_lost(audit)
        for work in (dying.store.state, dying.store.server, dying.open):
            with pytest.raises(TargetError) as caught:
                work()
            assert (caught.value.error_class in _NOBODY_ANSWERS, caught.value.usable) == (True, False)
        mortal.start()
        for _ in range(2):
            _assert_lost(lambda: session.prices([1]))
        assert set(dying.open().prices([1])) == {1}

    def test_a_purchase_that_waits_when_the_server_is_killed_is_lost_and_in_doubt(
        self, mortal: MortalDatabase, dying: Place, background: ThreadPoolExecutor
    ) -> None:
        session, before = dying.open(), dying.contents()
        lost = while_hanging(dying, session, background, mortal.kill)
        assert (lost.error_class, lost.usable, lost.undone) == (ErrorClass.CONNECTION_LOST, False, False)
        mortal.start()
        assert dying.contents() == before, "what waited was never committed"

    def test_a_reset_under_which_the_server_is_killed_can_be_done_again(
        self, mortal: MortalDatabase, dying: Place
    ) -> None:
        Shopper(5).buy(dying.open())
        bought = dying.contents()
        dying.close()
        with pytest.raises(TargetError) as caught:
            dying.store.reset(report_progress=_Killing(mortal, at_share=0.3), cancelled=never)
        assert caught.value.error_class is ErrorClass.CONNECTION_LOST
        mortal.start()
        assert dying.contents() in (bought, generated(SIZE, SEED)), "a reset is done or undone"
        dying.reset()
        assert dying.contents() == generated(SIZE, SEED)
        assert dying.failed_checks() == set()

    def test_build_interrupted_by_the_servers_end_is_reported_and_repeatable(
        self, mortal: MortalDatabase, dying: Place
    ) -> None:
        place = Place(mortal, f"{dying.name}_build")
        try:
            with pytest.raises(TargetError) as caught:
                place.build(report_progress=_Killing(mortal, at_share=0.5))
            assert caught.value.error_class in _NOBODY_ANSWERS
            mortal.start()
            state = place.store.state()
            assert state is not None
            assert not state.complete
            with pytest.raises(UserError, match="partly built"):
                place.verify()
            place.build()
            assert place.failed_checks() == set()
        finally:
            mortal.start()
            mortal.drop(place.name)


class _User:
    """One who buys until told to stop, and connects anew when the connection is lost."""

    def __init__(self, place: Place, number: int) -> None:
        self.shopper = Shopper(100 + number)
        self.errors: list[TargetError] = []
        self.refusals: list[TargetError] = []
        self.orders_before_return: int | None = None
        self._place = place

    def live(self, stop: threading.Event) -> None:
        session = self._connected(stop)
        while session is not None and not stop.is_set():
            try:
                self.shopper.buy(session)
            except TargetError as error:
                self.errors.append(error)
                if not error.usable:
                    session.close()
                    session = self._connected(stop)
                    self.orders_before_return = len(self.shopper.orders)
        if session is not None:
            session.close()

    def has_bought(self, *, after_return: bool) -> bool:
        if not after_return:
            return len(self.shopper.orders) >= _ORDERS_EACH
        known = self.orders_before_return
        return known is not None and len(self.shopper.orders) >= known + _ORDERS_EACH

    def _connected(self, stop: threading.Event) -> DvdStoreSession | None:
        dbms = self._place.dbms
        while not stop.is_set():
            try:
                return open_session(self._place.target, dbms.secret)
            except TargetError as error:
                self.refusals.append(error)
                stop.wait(_BACK_OFF_SECONDS)
        return None


class _Killing:
    """Receives progress, and kills the server once when a share of the work is done."""

    def __init__(self, mortal: MortalDatabase, *, at_share: float) -> None:
        self._mortal = mortal
        self._at_share = at_share
        self._has_killed = False

    def __call__(self, step: Progress) -> None:
        if step.share >= self._at_share and not self._has_killed:
            self._has_killed = True
            self._mortal.kill()


def _wait_for_orders(users: Sequence[_User], living: Sequence["Future[None]"], *, after_return: bool = False) -> None:
    what = f"each user has {_ORDERS_EACH} orders{' after the return' if after_return else ''}"
    _wait_for(lambda: all(user.has_bought(after_return=after_return) for user in users), what, living)


def _wait_for(condition: Callable[[], bool], what: str, living: Sequence["Future[None]"]) -> None:
    """Wait for something of users that are all alive: one that has failed says so at once."""

    def holds() -> bool:
        for life in living:
            if life.done():
                life.result()
        return condition()

    wait_until(holds, what, timeout_seconds=_OVER_SECONDS)


def _orders_beyond(bought: Sequence[Order], new: dict[str, list[tuple[Any, ...]]]) -> Counter[tuple[int, int]]:
    """Customer and net amount of each new order that was not acknowledged. Every acknowledged order must be there with
    all its lines."""
    stored = {number: (customer, net) for number, _, customer, net, *_ in new["orders"]}
    for order in bought:
        assert stored.pop(order.number, None) == (order.customer, order.net), f"order {order.number} is lost"
    mine = {order.number for order in bought}
    lines = sorted(row[:4] for row in new["orderlines"] if row[0] in mine)
    assert lines == [
        (order.number, number, *line) for order in bought for number, line in enumerate(order.lines, start=1)
    ]
    return Counter(stored.values())


def _assert_lost(work: Callable[[], object]) -> None:
    with pytest.raises(TargetError) as caught:
        work()
    assert (caught.value.error_class, caught.value.usable) == (ErrorClass.CONNECTION_LOST, False)
