"""The contract of a session's writing calls: registrations and purchases."""

from datetime import UTC, datetime
from random import Random

import pytest

from engine.errors import ErrorClass, TargetError
from engine.workloads.dvdstore.people import PASSWORD
from engine.workloads.dvdstore.picks import NewCustomer, new_customer
from tests.engine.databases.contract.places import SIZE, Place, added

_NEXT_ORDER = SIZE.orders + 1
_NEXT_CUSTOMER = SIZE.customers + 1


def _someone(*, in_us: bool) -> NewCustomer:
    random = Random(11)
    return next(each for each in iter(lambda: new_customer(random), None) if (each.state != "") is in_us)


class BuyingContract:
    """What a session's calls leave in the tables, down to the last row."""

    @pytest.mark.parametrize("in_us", [True, False])
    def test_a_registration_writes_one_customer_with_empty_texts_as_missing(self, place: Place, in_us: bool) -> None:
        customer, before = _someone(in_us=in_us), place.contents()
        assert place.open().new_customer(customer) == _NEXT_CUSTOMER
        row = (_NEXT_CUSTOMER, *(None if value == "" else value for value in customer))
        assert added(before, place.contents()) == {"customers": [row]}

    def test_a_new_customer_can_log_in(self, place: Place) -> None:
        session = place.open()
        customer = _someone(in_us=True)._replace(username="newuser77", password="pässwörd")
        made = session.new_customer(customer)
        found, rows = session.login("newuser77", "pässwörd")
        assert found == made == _NEXT_CUSTOMER
        assert len(rows) == 0

    @pytest.mark.parametrize("username", ["user1", "newuser77"])
    def test_duplicate_username_is_refused_and_nothing_is_written(self, place: Place, username: str) -> None:
        session = place.open()
        session.new_customer(_someone(in_us=True)._replace(username="newuser77"))
        before = place.contents()
        assert session.new_customer(_someone(in_us=False)._replace(username=username)) is None
        assert place.contents() == before

    def test_a_purchase_writes_the_order_its_lines_and_the_history_and_moves_the_stock(self, place: Place) -> None:
        lines = [(9, 3), (4, 1), (700, 2)]
        for product, _ in lines:
            place.set_stock(product, 100)
        sold = {product: place.stock_and_sales(product)[1] for product, _ in lines}
        before, earliest = place.contents(), datetime.now(UTC).date()
        assert place.open().purchase(17, lines, net=123_45, tax=10_18, total=133_63) == _NEXT_ORDER
        new = added(before, place.contents())
        (order,) = new["orders"]
        day = order[1]
        assert earliest <= day <= datetime.now(UTC).date()
        assert new == {
            "orders": [(_NEXT_ORDER, day, 17, 123_45, 10_18, 133_63)],
            "orderlines": [(_NEXT_ORDER, number, *line, day) for number, line in enumerate(lines, start=1)],
            "cust_hist": sorted((17, _NEXT_ORDER, product) for product, _ in lines),
            "inventory": sorted((product, 100 - n, sold[product] + n) for product, n in lines),
        }

    def test_what_was_bought_is_in_the_history_of_the_next_log_in(self, place: Place) -> None:
        session = place.open()
        customer = session.new_customer(_someone(in_us=True))
        assert customer is not None
        place.set_stock(3, 10)
        session.purchase(customer, [(3, 1), (3, 1)], net=100, tax=8, total=108)
        _, rows = session.login(_someone(in_us=True).username, PASSWORD)
        ((title, actor, related),) = place.run(
            "SELECT p.title, p.actor, r.title FROM products p JOIN products r ON r.prod_id = p.common_prod_id"
            " WHERE p.prod_id = 3"
        )
        assert rows.decoded() == [(title, actor, related)] * 2

    def test_amounts_keep_their_cents(self, place: Place) -> None:
        place.set_stock(1, 100)
        session = place.open()
        for net, tax in [(0, 0), (1, 0), (100_00, 8_25), (2_999_99, 247_50), (1_000_000_00, 82_500_00)]:
            order = session.purchase(1, [(1, 1)], net=net, tax=tax, total=net + tax)
            row = next(row for row in place.rows("orders") if row[0] == order)
            assert row[3:] == (net, tax, net + tax)

    def test_a_cart_of_ten_lines_is_bought_whole(self, place: Place) -> None:
        lines = [(product, 1) for product in range(20, 30)]
        for product, _ in lines:
            place.set_stock(product, 50)
        before = place.contents()
        order = place.open().purchase(1, lines, net=1, tax=0, total=1)
        bought = added(before, place.contents())["orderlines"]
        assert [row[:4] for row in bought] == [(order, number, *line) for number, line in enumerate(lines, start=1)]

    def test_product_on_two_lines_is_deducted_twice(self, place: Place) -> None:
        place.set_stock(8, 100)
        _, sales = place.stock_and_sales(8)
        order = place.open().purchase(1, [(8, 3), (9, 0), (8, 2)], net=1, tax=0, total=1)
        assert place.stock_and_sales(8) == (95, sales + 5)
        assert place.run(f"SELECT orderlineid, quantity FROM orderlines WHERE orderid = {order} AND prod_id = 8") == [
            (1, 3),
            (3, 2),
        ]

    def test_too_little_stock_on_the_last_line_rolls_back_the_order(self, place: Place) -> None:
        place.set_stock(1, 100)
        place.set_stock(2, 2)
        session, before = place.open(), place.contents()
        assert session.purchase(1, [(1, 3), (1, 1), (2, 3)], net=1, tax=0, total=1) is None
        assert place.contents() == before
        assert session.purchase(1, [(1, 3)], net=1, tax=0, total=1) is not None

    def test_product_on_two_lines_cannot_exceed_its_stock(self, place: Place) -> None:
        place.set_stock(2, 5)
        session, before = place.open(), place.contents()
        assert session.purchase(1, [(2, 2), (2, 4)], net=1, tax=0, total=1) is None
        assert place.contents() == before

    def test_unknown_product_rolls_back_the_order(self, place: Place) -> None:
        place.set_stock(1, 100)
        session, before = place.open(), place.contents()
        assert session.purchase(1, [(1, 1), (SIZE.products + 1, 1)], net=1, tax=0, total=1) is None
        assert place.contents() == before

    def test_an_unknown_customer_is_an_error_and_nothing_is_written(self, place: Place) -> None:
        place.set_stock(1, 100)
        session, before = place.open(), place.contents()
        with pytest.raises(TargetError) as caught:
            session.purchase(_NEXT_CUSTOMER, [(1, 1)], net=1, tax=0, total=1)
        assert (caught.value.error_class, caught.value.usable) == (ErrorClass.OTHER, True)
        assert caught.value.code
        assert place.contents() == before
        assert session.purchase(1, [(1, 1)], net=1, tax=0, total=1) is not None

    @pytest.mark.parametrize(("product", "delivered"), [(500, 250), (9_999, 250), (10_000, 2_500), (20_000, 2_500)])
    def test_stock_below_three_is_reordered_and_topped_up(self, place: Place, product: int, delivered: int) -> None:
        session = place.open()
        for left in (2, 1, 0):
            place.set_stock(product, left + 3)
            _, sales = place.stock_and_sales(product)
            session.purchase(1, [(product, 3)], net=1, tax=0, total=1)
            assert place.stock_and_sales(product) == (delivered, sales + 3)
        reorders = place.run("SELECT prod_id, quan_low, quan_reordered FROM reorder ORDER BY quan_low DESC")
        assert reorders == [(product, left, delivered) for left in (2, 1, 0)]

    def test_a_stock_of_three_is_enough(self, place: Place) -> None:
        place.set_stock(500, 6)
        place.open().purchase(1, [(500, 3)], net=1, tax=0, total=1)
        assert place.stock_and_sales(500)[0] == 3
        assert place.run("SELECT prod_id FROM reorder") == []
