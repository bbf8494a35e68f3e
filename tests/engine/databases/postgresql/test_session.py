from collections.abc import Callable, Iterator
from random import Random

import pytest

from engine.errors import ErrorClass, TargetError
from engine.workloads.dvdstore import picks
from engine.workloads.dvdstore.people import PASSWORD
from engine.workloads.dvdstore.sizing import CATEGORIES, DbSize
from tests.engine.databases.contract.places import Place
from tests.engine.databases.postgresql.under_test import PostgreSQLUnderTest
from tests.engine.workloads.dvdstore.sessions import DvdStoreSession
from tests.waiting import wait_until

_SIZE = DbSize(20, "MB")
_ROUNDS = 20
_SCANS = "SELECT relname, seq_scan FROM pg_stat_user_tables"
_INDEX_SCANS = "SELECT indexrelname, idx_scan FROM pg_stat_user_indexes"


@pytest.fixture(scope="module")
def larger(dbms: PostgreSQLUnderTest) -> Iterator[Place]:
    """A store in which reading a whole table would be a bad plan."""
    place = Place(dbms, "contract_larger")
    place.build(_SIZE)
    yield place
    dbms.drop(place.name)


def _use(session: DvdStoreSession) -> None:
    """Every call that an emulated user makes, a few times over."""
    random = Random(1)
    for number in range(_ROUNDS):
        customer, _ = session.login(picks.username(picks.customer(random, _SIZE)), PASSWORD)
        session.new_customer(picks.new_customer(random))
        session.browse_by_category(1 + number % CATEGORIES, 5)
        session.browse_by_actor(*picks.actor(random), 5)
        session.browse_by_title(*picks.title_words(random, _SIZE), 5)
        cart = picks.cart(random, _SIZE, 5)
        session.prices([product for product, _ in cart])
        session.purchase(customer or 1, cart, net=1, tax=0, total=1)


def _log_in(session: DvdStoreSession) -> None:
    for customer in range(1, _ROUNDS):
        assert session.login(picks.username(customer), PASSWORD)[0] == customer


def _used(place: Place, use: Callable[[DvdStoreSession], None]) -> tuple[set[str], set[str]]:
    """The tables that were read from end to end, and the indexes that were read, by a session's calls."""
    _await_quiet(place)
    tables, indexes = dict(place.run(_SCANS)), dict(place.run(_INDEX_SCANS))
    session = place.open()
    use(session)
    session.close()
    _await_quiet(place)
    return (
        {table for table, scans in place.run(_SCANS) if scans > tables[table]},
        {index for index, scans in place.run(_INDEX_SCANS) if scans > indexes[index]},
    )


def _await_quiet(place: Place) -> None:
    """A session's counts are in the statistics when its server process has ended."""
    query = f"SELECT 1 FROM pg_stat_activity WHERE datname = '{place.name}'"
    wait_until(lambda: not place.dbms.run("postgres", query), f"nobody is connected to {place.name}")


def test_no_call_reads_a_table_from_end_to_end_and_each_has_its_index(larger: Place) -> None:
    tables, indexes = _used(larger, _use)
    assert tables == set()
    assert indexes >= {
        "ix_prod_category_special",
        "ix_prod_title",
        "ix_prod_actor",
        "ix_cust_hist_customerid",
        "products_pkey",
        "inventory_pkey",
        "customers_pkey",
    }
    assert indexes & {"ix_cust_username", "ix_cust_username_password"}
    assert not indexes & {"ix_prod_category", "ix_prod_special"}, (
        "these read other categories' specials, or no specials"
    )


def test_a_log_in_keeps_to_its_indexes_when_histories_have_grown_long(place: Place) -> None:
    place.run("DELETE FROM customers WHERE customerid > 100")
    place.run("INSERT INTO cust_hist SELECT customerid, 1, prod_id FROM cust_hist, generate_series(1, 300)")
    place.run("VACUUM (ANALYZE)")
    tables, indexes = _used(place, _log_in)
    assert not tables & {"products", "cust_hist"}
    assert indexes >= {"ix_cust_hist_customerid", "products_pkey"}


def test_server_turned_read_only_is_a_lost_connection(place: Place) -> None:
    place.run(f"ALTER DATABASE {place.name} SET default_transaction_read_only = on")
    session = place.open()
    assert set(session.prices([1])) == {1}
    with pytest.raises(TargetError) as caught:
        session.purchase(1, [(1, 1)], net=1, tax=0, total=1)
    assert (caught.value.error_class, caught.value.usable, caught.value.code) == (
        ErrorClass.CONNECTION_LOST,
        False,
        "25006",
    )
    assert caught.value.undone


def test_session_receives_warnings_whatever_the_servers_setting(dbms: PostgreSQLUnderTest) -> None:
    """By its warning alone an order is known that may be lost: a commit whose wait for a standby was cancelled."""
    place = Place(dbms, "contract_quiet")
    place.build()
    place.run(f"ALTER DATABASE {place.name} SET client_min_messages = error")
    place.run(_WARNING_PURCHASE)
    session = place.open()
    with pytest.raises(TargetError, match="the purchase came with a warning: it may be lost"):
        session.purchase(1, [(1, 1)], net=1, tax=0, total=1)
    place.close()
    dbms.drop(place.name)


_WARNING_PURCHASE = """
CREATE OR REPLACE PROCEDURE purchase(
    customerid_in integer, prod_ids_in integer[], quantities_in integer[],
    netamount_in numeric, tax_in numeric, totalamount_in numeric, INOUT orderid_out integer
) LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'it may be lost'; orderid_out := 1; END $$
"""
