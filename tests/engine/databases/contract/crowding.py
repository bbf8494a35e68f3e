"""The contract with many concurrent users: whatever they do, the store's sums stay consistent."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from random import Random

from engine.databases.database import Timeouts
from engine.errors import ErrorClass, TargetError
from engine.workloads.dvdstore import picks
from tests.engine.databases.contract.places import SIZE, Place
from tests.engine.workloads.dvdstore.sessions import DvdStoreSession

_USERS = 32
_ORDERS_EACH = 20
_MOST_RETRIES = 50
_POPULAR = 20
_PATIENT = Timeouts(statement_seconds=300.0)


class CrowdingContract:
    """32 users who buy at once, often the same few products, of which there is often too little."""

    def test_orders_stock_and_sales_are_consistent_after_concurrent_purchases(self, place: Place) -> None:
        sessions = [place.open(_PATIENT) for _ in range(_USERS)]
        with ThreadPoolExecutor(_USERS) as users:
            bought = list(users.map(_shop, range(_USERS), sessions))
        orders = [order for each in bought for order in each]
        placed = [order for order in orders if order is not None]
        assert len(orders) == _USERS * _ORDERS_EACH
        assert len(set(placed)) == len(placed)
        assert {row[0] for row in place.rows("orders")} == {*range(1, SIZE.orders + 1), *placed}
        assert len(placed) < len(orders), "some carts ask for more than there is"
        _assert_tied_out(place)
        assert place.failed_checks() == set()


def _shop(number: int, session: DvdStoreSession) -> list[int | None]:
    """The numbers of a user's orders, ``None`` for those that were rolled back."""
    random = Random(number)
    orders = []
    for _ in range(_ORDERS_EACH):
        cart = picks.cart(random, SIZE, 2)
        if random.random() < 0.2:
            cart = [(1 + random.randrange(_POPULAR), 100)] * 2
        orders.append(_purchase(session, random.randint(1, SIZE.customers), cart))
    return orders


def _purchase(session: DvdStoreSession, customer: int, cart: list[tuple[int, int]]) -> int | None:
    for _ in range(_MOST_RETRIES):
        try:
            return session.purchase(customer, cart, net=10_00, tax=82, total=10_82)
        except TargetError as error:
            if error.error_class is not ErrorClass.DEADLOCK:
                raise
    raise AssertionError(f"a deadlock's victim {_MOST_RETRIES} times in a row")


def _assert_tied_out(place: Place) -> None:
    sold: Counter[int] = Counter()
    for product, quantity in place.run("SELECT prod_id, quantity FROM orderlines"):
        sold[product] += quantity
    for product, stock, sales in place.run("SELECT prod_id, quan_in_stock, sales FROM inventory"):
        assert sales == sold[product]
        assert stock >= 0
