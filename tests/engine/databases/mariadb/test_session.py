"""Sessions of both kinds, over the servers' own protocol and over ODBC: what the contract does not ask for."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from engine.databases.database import Timeouts
from engine.databases.exchange.parameters import all_words
from engine.databases.mariadb import odbc_session, settings
from engine.databases.mariadb.native import session as native_session
from engine.errors import ErrorClass, TargetError
from engine.workloads.dvdstore.bindings.mariadb.calls import CALLS
from tests.engine.databases.contract.places import Place
from tests.engine.databases.mariadb.under_test import MariaDBUnderTest
from tests.engine.workloads.dvdstore.sessions import DvdStoreSession
from tests.waiting import wait_until

Open = Callable[..., DvdStoreSession]
_PARAMETERS = ", ".join(f"p{number} bigint" for number in range(25))
_FOR_EVER = "WHILE 1 DO SET p0 = 1; END WHILE"


@pytest.fixture(params=[native_session, odbc_session], ids=["native", "odbc"])
def open_session(request: pytest.FixtureRequest, dbms: MariaDBUnderTest) -> Iterator[Open]:
    """Opens sessions of one kind on a place, which are closed after the test."""
    opened: list[DvdStoreSession] = []

    def start(place: Place, timeouts: Timeouts | None = None) -> DvdStoreSession:
        session = request.param.open_session(place.target, dbms.secret, timeouts or Timeouts(), CALLS)
        opened.append(DvdStoreSession(session))
        return opened[-1]

    yield start
    for session in opened:
        session.close()


@pytest.mark.parametrize(
    ("words", "search"),
    [
        (("SILVER", "HARBOR"), "+SILVER +HARBOR"),
        (("o'neill", '"'), "+o +neill"),
        (("-not", "(any* ~thing)"), "+not +any +thing"),
        (("pässwörd", "under_score"), "+pässwörd +under_score"),
        (("", "&"), ""),
    ],
)
def test_search_requires_all_words_and_has_no_operator(words: tuple[str, str], search: str) -> None:
    assert all_words(*words) == search


def test_interrupted_purchase_is_rolled_back(place: Place, background: ThreadPoolExecutor, open_session: Open) -> None:
    session, before = open_session(place), place.contents()
    with place.dbms.transaction(place.name) as run:
        run("UPDATE inventory SET sales = sales + 1 WHERE prod_id = 2")
        buying = background.submit(session.purchase, 1, [(1, 0), (2, 0)], 1, 0, 1)
        wait_until(lambda: place.dbms.waiting(place.name) == 1, "the purchase waits for the lock")
        (number,) = place.dbms.busy(place.name)
        place.dbms.run("", f"KILL QUERY {number}")
        error = buying.exception(timeout=60)
    assert isinstance(error, TargetError)
    assert (error.error_class, error.usable, error.undone) == (ErrorClass.TIMEOUT, True, True)
    assert place.contents() == before
    assert session.purchase(1, [(1, 0)], 1, 0, 1) is not None
    assert len(place.run("SELECT orderid FROM orders")) == sum(before["orders"].values()) + 1


def test_a_purchase_that_is_interrupted_between_its_statements_leaves_nothing_open(
    place: Place, open_session: Open
) -> None:
    place.run("DROP PROCEDURE purchase")
    place.run(
        f"CREATE PROCEDURE purchase({_PARAMETERS}) BEGIN SET @spindle_commits = NULL; START TRANSACTION;"
        f" UPDATE inventory SET sales = sales + 1 WHERE prod_id = 1; {_FOR_EVER}; END"
    )
    session, before = open_session(place, Timeouts(statement_seconds=3.0)), place.contents()
    with pytest.raises(TargetError) as caught:
        session.purchase(1, [(1, 1)], 1, 0, 1)
    assert (caught.value.error_class, caught.value.usable, caught.value.undone) == (ErrorClass.TIMEOUT, True, True)
    place.run("UPDATE inventory SET sales = sales WHERE prod_id = 1")  # nobody holds a lock on it
    assert place.contents() == before


def test_a_call_that_is_not_recorded_leaves_nothing_open_when_it_is_interrupted(
    place: Place, open_session: Open
) -> None:
    place.run("DROP PROCEDURE browse_by_category")
    place.run(
        "CREATE PROCEDURE browse_by_category(p0 bigint, p1 bigint) BEGIN START TRANSACTION;"
        f" UPDATE inventory SET sales = sales + 1 WHERE prod_id = 1; {_FOR_EVER}; END"
    )
    sales = "SELECT sales FROM inventory WHERE prod_id = 1"
    session, before = open_session(place, Timeouts(statement_seconds=3.0)), place.run(sales)
    with pytest.raises(TargetError) as caught:
        session.browse_by_category(1, 1)
    assert (caught.value.error_class, caught.value.usable) == (ErrorClass.TIMEOUT, True)
    assert session.purchase(1, [(2, 1)], 1, 0, 1) is not None  # begins a transaction, which commits one that is open
    place.run("UPDATE inventory SET sales = sales WHERE prod_id = 1")  # nobody holds a lock on it
    assert place.run(sales) == before


def test_a_purchase_that_is_interrupted_at_its_commit_is_in_doubt(place: Place, open_session: Open) -> None:
    place.run("DROP PROCEDURE purchase")
    place.run(f"CREATE PROCEDURE purchase({_PARAMETERS}) BEGIN SET @spindle_commits = 7; {_FOR_EVER}; END")
    session = open_session(place, Timeouts(statement_seconds=3.0))
    with pytest.raises(TargetError) as caught:
        session.purchase(1, [(1, 1)], 1, 0, 1)
    assert (caught.value.error_class, caught.value.usable, caught.value.undone) == (ErrorClass.TIMEOUT, False, False)


def test_a_lock_that_is_waited_for_too_long_is_a_time_out_and_undone(
    place: Place, open_session: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As with MySQL, which has no limit for procedures.
    without_limit = partial(lambda limits, kind, seconds: (limits(kind, seconds)[0],), settings.limits)
    monkeypatch.setattr(settings, "limits", without_limit)
    monkeypatch.setattr(odbc_session, "limits", without_limit)
    session = open_session(place, Timeouts(statement_seconds=0.9))
    with place.dbms.transaction(place.name) as run:
        before = place.contents()
        run("UPDATE inventory SET sales = sales + 1 WHERE prod_id = 2")
        with pytest.raises(TargetError) as caught:
            session.purchase(1, [(1, 1), (2, 1)], 1, 0, 1)
        assert (caught.value.error_class, caught.value.code) == (ErrorClass.TIMEOUT, "1205")
        assert (caught.value.usable, caught.value.undone) == (True, True)
        assert place.contents() == before


def test_a_session_keeps_the_server_s_own_isolation(place: Place, open_session: Open) -> None:
    place.run("DROP PROCEDURE product_prices")
    place.run(
        f"CREATE PROCEDURE product_prices({', '.join(f'p{number} bigint' for number in range(10))})"
        " SELECT 1, @@SESSION.tx_isolation = @@GLOBAL.tx_isolation"
    )
    assert open_session(place).prices([1]) == {1: 1}
