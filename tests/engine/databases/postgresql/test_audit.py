"""What an audit is told of a store, beside what the server tells anybody."""

import threading
from contextlib import AbstractContextManager

import numpy as np
import pytest

from engine.databases.database import Auditor, Timeouts
from engine.databases.database import Cancelled as CancelledQuestion
from engine.databases.postgresql.audit import auditing
from engine.errors import Cancelled, TargetError
from tests.engine.databases.contract.places import SIZE, Place, never
from tests.waiting import wait_until

BUILT = SIZE.orders


def auditor(place: Place, cancelled: CancelledQuestion = never) -> AbstractContextManager[Auditor]:
    return place.dbms.database.auditor(place.target, place.dbms.secret, Timeouts(), cancelled)


def test_orders_lines_and_history_are_those_of_the_server(reader: Place) -> None:
    with auditor(reader) as looking:
        orders = looking.orders(10, 700)
        lines = looking.lines(10, 700)
        history = looking.history(10, 700)
        prices = looking.prices()
        assert looking.products_off() == 0

    assert [tuple(order) for order in orders.tolist()] == reader.run(
        "SELECT orderid, customerid, (netamount * 100)::integer FROM orders"
        " WHERE orderid > 10 AND orderid <= 700 ORDER BY orderid"
    )
    assert sorted(tuple(line) for line in lines.tolist()) == reader.run(
        "SELECT orderid, orderlineid, quantity, prod_id FROM orderlines"
        " WHERE orderid > 10 AND orderid <= 700 ORDER BY 1, 2, 3, 4"
    )
    rows = reader.run("SELECT customerid, orderid, prod_id FROM cust_hist WHERE orderid > 10 AND orderid <= 700")
    assert history.rows == len(rows) == len(lines)
    assert history.orders == sum(order for _, order, _ in rows) == int(lines["order"].astype(np.int64).sum())
    assert history.orders_by_product == sum(order * (product**2 % 1_048_573) for _, order, product in rows)
    assert history.customers_by_product == sum(customer * (product**2 % 1_048_573) for customer, _, product in rows)
    cents = reader.run("SELECT prod_id, (price * 100)::integer FROM products")
    assert {product: int(prices[product]) for product, _ in cents} == dict(cents)
    assert prices[0] == 0


def test_a_range_without_orders_is_empty(reader: Place) -> None:
    with auditor(reader) as looking:
        assert len(looking.orders(BUILT, BUILT + looking.most_ids)) == 0
        assert len(looking.lines(BUILT, BUILT + looking.most_ids)) == 0
        assert looking.history(BUILT, 2 * BUILT).rows == 0


def test_the_longest_range_keeps_its_last_order_and_odd_values_do_no_harm(place: Place) -> None:
    with auditor(place) as looking:
        last = BUILT + looking.most_ids
    place.run(f"INSERT INTO orders VALUES ({last}, now(), NULL, 1234567.89, 0, 0)")
    place.run(f"INSERT INTO orderlines VALUES (70000, {last}, -3, 32767, now()), (3, {last}, 16777215, 2047, now())")
    with auditor(place) as looking:
        assert looking.orders(BUILT, last).tolist() == [(last, 0, 123456789)]
        assert sorted(looking.lines(BUILT, last).tolist()) == [(last, 3, 2047, 16777215), (last, 255, 2047, 0)]


def test_products_whose_sales_are_off_are_counted(place: Place) -> None:
    place.run("UPDATE inventory SET sales = sales + 1 WHERE prod_id IN (5, 6)")
    with auditor(place) as looking:
        assert looking.products_off() == 2


def test_the_mark_of_a_store_changes_with_a_reset_and_not_with_orders(place: Place) -> None:
    before = place.store.state()
    assert before is not None
    assert before.highest_order == BUILT
    place.run("INSERT INTO orders (orderdate, customerid, netamount, tax, totalamount) VALUES (now(), 1, 5, 0, 5)")
    with auditor(place) as looking:
        assert looking.state() == (before.as_built_at, BUILT + 1)
    place.reset()
    after = place.store.state()
    assert after is not None
    assert after.highest_order == BUILT
    assert after.as_built_at > before.as_built_at


def test_where_there_is_no_whole_store_there_is_no_mark(scratch: Place) -> None:
    scratch.dbms.create(scratch.name)
    with auditor(scratch) as looking:
        assert looking.state() is None


def test_a_half_built_store_has_no_mark(place: Place) -> None:
    place.run("UPDATE spindle_store SET state = 'building'")
    with auditor(place) as looking:
        assert looking.state() is None


def test_all_is_of_one_moment_and_nothing_can_be_written(place: Place) -> None:
    with auditor(place) as looking:
        assert len(looking.orders(BUILT, BUILT + 10)) == 0
        place.run("INSERT INTO orders (orderdate, customerid, netamount, tax, totalamount) VALUES (now(), 1, 5, 0, 5)")
        assert len(looking.orders(BUILT, BUILT + 10)) == 0
    with (
        pytest.raises(TargetError, match="read-only transaction"),
        auditing(place.target, place.dbms.secret, Timeouts(), never) as looking,
    ):
        looking._connection.execute("DELETE FROM orders")


def test_a_question_that_waits_can_be_cancelled(place: Place) -> None:
    asked = threading.Event()
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            with auditor(place, asked.is_set) as looking:
                looking.lines(0, BUILT)
        except Cancelled as error:
            failures.append(error)

    with place.dbms.transaction(place.name) as run:
        run("LOCK TABLE orderlines")
        asking = threading.Thread(target=ask)
        asking.start()
        wait_until(lambda: place.dbms.waiting(place.name), "the question waits for the lock")
        asked.set()
        asking.join(20)
    assert len(failures) == 1
