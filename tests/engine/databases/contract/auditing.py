"""The contract of reading a store's orders, and of the audit that compares them with the acknowledged ones."""

from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.audit.report import StoreAudit, Verdict
from engine.databases.database import Timeouts
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Host
from engine.workloads.dvdstore.stored_orders import PRODUCT_MODULUS, HistorySums
from tests.engine.databases.contract.places import SEED, SIZE, Place, generated, never
from tests.engine.databases.contract.shopping import Order, Shopper, audit_of, orders_of, state_before
from tests.engine.workloads.dvdstore.sessions import OpenAuditor, auditor_at
from tests.waiting import wait_until

_BUILT = SIZE.orders
_SOON = _BUILT + 50
_ORDERS_EACH = 6
_NUMBERS = "orders whose lines are not numbered from 1 on"
_AMOUNTS = "orders whose net amount is not price × quantity"
_HISTORY = "history rows more, less or other than order lines"
_SALES = "products whose sales are not the quantities of their order lines"
_ALTERATIONS = ("netamount = netamount + 0.01", f"customerid = customerid % {SIZE.customers} + 1")
# Manual changes of an order, how each is undone, and the sums that are wrong meanwhile with the number of rows.
_DAMAGES = (
    ("UPDATE orders SET netamount = netamount + 0.01 WHERE orderid = {order}",
     "UPDATE orders SET netamount = netamount - 0.01 WHERE orderid = {order}", {_AMOUNTS: 1}),
    ("UPDATE orders SET customerid = {other} WHERE orderid = {order}",
     "UPDATE orders SET customerid = {customer} WHERE orderid = {order}", {_HISTORY: 1}),
    ("UPDATE cust_hist SET prod_id = {unsold} WHERE orderid = {order} AND prod_id = {product}",
     "UPDATE cust_hist SET prod_id = {product} WHERE orderid = {order} AND prod_id = {unsold}", {_HISTORY: 1}),
    ("INSERT INTO cust_hist (customerid, orderid, prod_id) VALUES ({customer}, {order}, {unsold})",
     "DELETE FROM cust_hist WHERE orderid = {order} AND prod_id = {unsold}", {_HISTORY: 1}),
    ("UPDATE inventory SET sales = sales + 1 WHERE prod_id IN ({product}, {unsold})",
     "UPDATE inventory SET sales = sales - 1 WHERE prod_id IN ({product}, {unsold})", {_SALES: 2}),
    ("UPDATE orderlines SET quantity = quantity + 1 WHERE orderid = {order} AND orderlineid = 1",
     "UPDATE orderlines SET quantity = quantity - 1 WHERE orderid = {order} AND orderlineid = 1",
     {_AMOUNTS: 1, _SALES: 1}),
)  # fmt: skip
_LOSES_A_LINE = "DELETE FROM orderlines WHERE orderid = {order} AND orderlineid = 1"


def _auditor(place: Place) -> AbstractContextManager[OpenAuditor]:
    return auditor_at(place.target, place.dbms.secret, Timeouts(), never)


class AuditingContract:
    """What an auditor sees, and what the audit makes of it."""

    @pytest.fixture
    def shoppers(self, place: Place) -> list[Shopper]:
        """Two who have bought a few orders each, in turn."""
        shoppers = [Shopper(1), Shopper(2)]
        sessions = [place.open() for _ in shoppers]
        for _ in range(_ORDERS_EACH):
            for shopper, session in zip(shoppers, sessions, strict=True):
                shopper.buy(session)
        return shoppers

    def test_what_was_bought_is_seen_to_the_last_line(self, place: Place, shoppers: list[Shopper]) -> None:
        bought = orders_of(shoppers)
        with _auditor(place) as looking:
            orders, lines = looking.orders(_BUILT, _SOON), looking.lines(_BUILT, _SOON)
            history, products_off = looking.history(_BUILT, _SOON), looking.products_off()
        assert len(bought) == 2 * _ORDERS_EACH
        assert orders.tolist() == [(order.number, order.customer, order.net) for order in bought]
        expected = [
            (order.number, number, quantity, product)
            for order in bought
            for number, (product, quantity) in enumerate(order.lines, start=1)
        ]
        assert sorted(lines.tolist()) == expected
        rows = [(order.customer, order.number, product) for order in bought for product, _ in order.lines]
        assert history == _sums(rows)
        assert products_off == 0

    def test_a_range_leaves_out_its_first_id_and_keeps_its_last(self, reader: Place) -> None:
        with _auditor(reader) as looking:
            assert looking.orders(10, 14)["number"].tolist() == [11, 12, 13, 14]
            assert set(looking.lines(10, 14)["order"].tolist()) == {11, 12, 13, 14}
            assert looking.history(10, 14).rows == len(looking.lines(10, 14))

    def test_all_that_was_built_is_seen(self, reader: Place) -> None:
        with _auditor(reader) as looking:
            orders, lines = looking.orders(0, _BUILT), looking.lines(0, _BUILT)
            history = looking.history(0, _BUILT)
        contents = generated(SIZE, SEED)
        assert orders.tolist() == sorted((number, customer, net) for number, _, customer, net, *_ in contents["orders"])
        assert len(orders) == _BUILT
        assert Counter(lines.tolist()) == Counter(
            (order, number, quantity, product) for order, number, product, quantity, _ in contents["orderlines"]
        )
        assert history == _sums(contents["cust_hist"].elements())

    def test_a_range_without_orders_is_empty(self, reader: Place) -> None:
        with _auditor(reader) as looking:
            to = _BUILT + looking.most_numbers
            assert len(looking.orders(_BUILT, to)) == 0
            assert len(looking.lines(_BUILT, to)) == 0
            assert looking.history(_BUILT, 2 * to).rows == 0

    def test_snapshot_prices_are_those_that_users_see(self, reader: Place) -> None:
        products = range(1, SIZE.products + 1)
        session = reader.open()
        told = {product: session.prices([product])[product] for product in products[:: SIZE.products // 20]}
        with _auditor(reader) as looking:
            prices = looking.prices()
        assert {product: int(prices[product]) for product in told} == told
        assert (len(prices), prices[0]) == (SIZE.products + 1, 0)
        assert prices[1:].min() > 0

    def test_deleted_product_has_no_price(self, place: Place) -> None:
        place.run("DELETE FROM products WHERE prod_id = 40")
        with _auditor(place) as looking:
            prices = looking.prices()
        assert (int(prices[40]), len(prices)) == (0, SIZE.products + 1)

    def test_what_does_not_tie_out_is_found(self, place: Place, shoppers: list[Shopper]) -> None:
        order = orders_of(shoppers)[0]
        sold = [product for product, _ in order.lines]
        words = {
            "order": order.number,
            "customer": order.customer,
            "other": order.customer % SIZE.customers + 1,
            "product": sold[0],
            "unsold": next(product for product in range(1, SIZE.products) if product not in sold),
        }
        assert _wrong(place) == {}
        for damage, mend, wrong in _DAMAGES:
            place.run(damage.format(**words))
            assert _wrong(place) == wrong, damage
            place.run(mend.format(**words))
            assert _wrong(place) == {}, mend
        place.run(_LOSES_A_LINE.format(**words))
        assert _wrong(place) == {_NUMBERS: 1, _AMOUNTS: 1, _HISTORY: 1, _SALES: 1}

    def test_all_is_of_one_moment_while_others_buy(self, place: Place, background: ThreadPoolExecutor) -> None:
        shopper, session = Shopper(3), place.open()
        shopper.buy(session)
        with _auditor(place) as looking:
            state, orders = looking.state(), looking.orders(_BUILT, _SOON).tolist()
            buying = background.submit(shopper.buy, session)
            # Where the database keeps no older rows for the audit, whoever writes waits for its end.
            wait_until(lambda: buying.done() or place.dbms.waiting(place.name), "the purchase is made, or waits")
            assert (looking.state(), looking.orders(_BUILT, _SOON).tolist()) == (state, orders)
            assert set(looking.lines(_BUILT, _SOON)["order"].tolist()) == {_BUILT + 1}
            assert looking.history(_BUILT, _SOON).rows == len(looking.lines(_BUILT, _SOON))
            assert looking.products_off() == 0
        buying.result(timeout=60)
        assert len(orders) == 1
        with _auditor(place) as looking:
            assert len(looking.orders(_BUILT, _SOON)) == 2

    def test_the_mark_of_a_store_changes_with_a_reset_and_not_with_orders(
        self, place: Place, shoppers: list[Shopper]
    ) -> None:
        with _auditor(place) as looking:
            marked = looking.state()
        state = place.store.state()
        assert state is not None
        assert marked == (state.as_built_at, orders_of(shoppers)[-1].number) == (state.as_built_at, state.high_water)
        place.close()
        place.reset()
        with _auditor(place) as looking:
            again = looking.state()
        assert again is not None
        assert again[0] > marked[0]
        assert again[1] == _BUILT

    def test_where_there_is_no_whole_store_there_is_no_mark(self, scratch: Place) -> None:
        scratch.dbms.create(scratch.name)
        with _auditor(scratch) as looking:
            assert looking.state() is None

    def test_a_half_built_store_has_no_mark(self, place: Place) -> None:
        place.run("UPDATE spindle_store SET state = 'building'")
        with _auditor(place) as looking:
            assert looking.state() is None

    def test_a_wrong_password_is_a_rejection(self, reader: Place) -> None:
        with (
            pytest.raises(TargetError) as caught,
            auditor_at(reader.target, Secret("wrong"), Timeouts(), never),
        ):
            pytest.fail("nobody is let in with it")
        assert caught.value.error_class is ErrorClass.REJECTED


class AuditContract:
    """The whole audit of a few orders, some of which are changed without the driver."""

    @pytest.fixture
    def bought(self, place: Place, tmp_path: Path) -> "Bought":
        return Bought(place, tmp_path)

    def test_orders_that_are_all_there_are_clean(self, bought: "Bought") -> None:
        audit = bought.audit()
        assert (audit.verdict, audit.counts.present, audit.counts.gone) == (Verdict.CLEAN, len(bought.orders), 0)
        assert [each.wrong for each in audit.consistency] == [0, 0, 0, 0]

    def test_an_order_that_was_deleted_is_lost(self, bought: "Bought") -> None:
        gone = bought.orders[2]
        bought.delete(gone)
        audit = bought.audit()
        assert (audit.verdict, audit.counts.lost, audit.counts.replaced) == (Verdict.LOST, 1, 0)
        assert audit.counts.present == len(bought.orders) - 1
        (example,) = audit.examples["lost"]
        assert (example.order, example.customer, example.net_cents) == (gone.number, gone.customer, gone.net)

    def test_an_order_that_was_altered_is_replaced(self, bought: "Bought") -> None:
        altered = bought.orders[:2]
        for order, change in zip(altered, _ALTERATIONS, strict=True):
            bought.place.run(f"UPDATE orders SET {change} WHERE orderid = {order.number}")
        audit = bought.audit()
        assert (audit.verdict, audit.counts.lost, audit.counts.replaced) == (Verdict.LOST, 0, 2)
        assert audit.counts.unknown == 0
        assert [example.order for example in audit.examples["replaced"]] == [order.number for order in altered]

    def test_purchases_in_doubt_are_classified_by_whether_they_are_stored(self, bought: "Bought") -> None:
        shopper = bought.shopper
        unanswered = shopper.orders.pop()
        shopper.in_doubt += [(unanswered.customer, unanswered.net), (unanswered.customer, unanswered.net + 1)]
        audit = bought.audit()
        assert (audit.counts.in_doubt_present, audit.counts.in_doubt_absent) == (1, 1)
        assert (audit.verdict, audit.counts.unknown) == (Verdict.CLEAN, 0)

    def test_stored_order_without_acknowledgement_is_unknown(self, bought: "Bought") -> None:
        number = bought.shopper.orders.pop(1).number
        audit = bought.audit()
        assert (audit.verdict, audit.counts.unknown) == (Verdict.SUSPICIOUS, 1)
        assert [example.order for example in audit.examples["unknown"]] == [number]

    def test_a_store_whose_books_do_not_tie_out_is_suspicious(self, bought: "Bought") -> None:
        bought.place.run(f"DELETE FROM cust_hist WHERE orderid = {bought.orders[0].number}")
        audit = bought.audit()
        assert (audit.verdict, audit.counts.gone) == (Verdict.SUSPICIOUS, 0)
        assert {each.what for each in audit.consistency if each.wrong} == {_HISTORY}

    def test_a_store_that_was_reset_can_not_be_audited(self, bought: "Bought") -> None:
        bought.place.close()
        bought.place.reset()
        audit = bought.audit()
        assert audit.verdict is Verdict.NOT_POSSIBLE
        assert "the store was reset or rebuilt" in audit.notes[-1]

    def test_a_host_that_is_down_can_not_be_audited(self, bought: "Bought", refusing: Host) -> None:
        audit = audit_of(
            bought.place,
            bought.before,
            [bought.shopper],
            bought.folder,
            found_at=replace(bought.place.target, hosts=(refusing,)),
        )
        assert audit.verdict is Verdict.NOT_POSSIBLE
        assert "It could not be audited" in audit.notes[-1]


class Bought:
    """A few orders of one shopper's, bought when this is made, in a store that is as built but for them."""

    def __init__(self, place: Place, folder: Path) -> None:
        self.place = place
        self.folder = folder
        self.before = state_before(place)
        self.shopper = Shopper(4)
        session = place.open()
        for _ in range(_ORDERS_EACH):
            self.shopper.buy(session)
        self.orders = tuple(self.shopper.orders)

    def delete(self, order: Order) -> None:
        """Take an order out of the store as a failover that lost it would: with all that came of it."""
        for table in ("cust_hist", "orderlines", "orders"):
            self.place.run(f"DELETE FROM {table} WHERE orderid = {order.number}")
        for product, quantity in order.lines:
            self.place.run(f"UPDATE inventory SET sales = sales - {quantity} WHERE prod_id = {product}")

    def audit(self) -> StoreAudit:
        return audit_of(self.place, self.before, [self.shopper], self.folder)


def _sums(rows: Iterable[tuple[Any, ...]]) -> HistorySums:
    """What history rows of customer, order and product come to."""
    counted = [(customer, order, product**2 % PRODUCT_MODULUS) for customer, order, product in rows]
    return HistorySums(
        rows=len(counted),
        orders=sum(order for _, order, _ in counted),
        orders_by_product=sum(order * square for _, order, square in counted),
        customers_by_product=sum(customer * square for customer, _, square in counted),
    )


def _wrong(place: Place) -> dict[str, int]:
    """What does not tie out of what was bought, with how many there are of it."""
    with _auditor(place) as looking:
        looking.stored(_BUILT, _SOON)
        violations = looking.violations(_BUILT, _SOON)
    return {what: wrong for what, wrong in violations.items() if wrong}
