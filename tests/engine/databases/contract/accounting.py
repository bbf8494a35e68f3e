"""The contract of the account under which a run's users connect, for every DBMS that gives them one of their own."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from engine.databases.database import Store, Timeouts
from engine.errors import ErrorClass, TargetError, UserError
from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.dvdstore import picks
from engine.workloads.dvdstore.people import PASSWORD
from tests.engine.databases.contract.places import SIZE, Place, never, silent
from tests.engine.workloads.dvdstore.sessions import DvdStoreSession, open_session, store_at


class Account:
    """The load account of a place's store, made when this is."""

    def __init__(self, place: Place) -> None:
        account = place.store.load_account()
        assert account is not None
        user, self.secret = account
        self.target: Target = replace(place.target, user=user)
        self._place = place

    @property
    def store(self) -> Store:
        return store_at(self.target, self.secret, Timeouts())

    def open(self) -> DvdStoreSession:
        return open_session(self.target, self.secret)


class AccountingContract:
    """What the load account is, may do and may not do."""

    @pytest.fixture
    def account(self, place: Place) -> Iterator[Account]:
        yield Account(place)
        place.close()
        place.store.drop()  # the account goes with its store

    def test_the_account_does_all_that_a_user_does(self, place: Place, account: Account) -> None:
        place.set_stock(1, 100)
        session = account.open()
        try:
            found, _ = session.login("user1", PASSWORD)
            made = session.new_customer(picks.new_customer(Random(1)))
            session.browse_by_category(1, 5)
            session.browse_by_actor(*picks.actor(Random(2)), 5)
            titles = session.browse_by_title(*picks.title_words(Random(3), SIZE), 5)
            prices = session.prices([1])
            bought = session.purchase(1, [(1, 1)], net=1, tax=0, total=1)
            refused = session.purchase(1, [(1, 1_000)], net=1, tax=0, total=1)
        finally:
            session.close()
        assert (found, made, bought, refused) == (1, SIZE.customers + 1, SIZE.orders + 1, None)
        assert len(titles) > 0
        assert set(prices) == {1}

    def test_the_account_may_do_nothing_else(self, place: Place, account: Account) -> None:
        before = place.contents()
        store = account.store
        for work in (
            store.state,
            store.drop,
            lambda: store.verify(report_progress=silent, cancelled=never),
            lambda: store.reset(report_progress=silent, cancelled=never),
        ):
            with pytest.raises(TargetError) as caught:
                work()
            assert caught.value.error_class is ErrorClass.OTHER
        assert place.contents() == before

    def test_two_runs_at_once_have_the_same_account(self, place: Place, account: Account) -> None:
        session = account.open()
        try:
            again = Account(place)
            assert (again.target.user, again.secret) == (account.target.user, account.secret)
            assert set(session.prices([1])) == {1}
        finally:
            session.close()

    def test_the_account_is_not_the_administrators(self, place: Place, account: Account) -> None:
        assert account.target.user != place.target.user
        assert account.secret != place.dbms.secret
        with pytest.raises(TargetError) as caught:
            open_session(account.target, Secret("guessed"))
        assert caught.value.error_class is ErrorClass.REJECTED

    def test_account_is_dropped_with_its_store(self, scratch: Place) -> None:
        scratch.build()
        account = Account(scratch)
        scratch.store.drop()
        scratch.build()
        with pytest.raises(TargetError) as caught:
            account.open()
        scratch.store.drop()
        assert caught.value.error_class is ErrorClass.REJECTED

    def test_without_a_complete_store_there_is_no_account(self, scratch: Place) -> None:
        scratch.dbms.create(scratch.name)
        with pytest.raises(UserError, match="holds no store"):
            scratch.store.load_account()
