from decimal import ROUND_HALF_UP, Decimal
from itertools import groupby

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.workloads.dvdstore.orders import YEAR, Orders, tax_cents
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.workloads.dvdstore.stores import SEEDS, sizes


@given(st.lists(st.integers(1, 40_000), min_size=1))
def test_tax_is_rounded_half_up_to_the_cent(net: list[int]) -> None:
    expected = [int((cents * Decimal("0.0825")).quantize(Decimal(1), ROUND_HALF_UP)) for cents in net]
    assert tax_cents(np.array(net)).tolist() == expected


@given(sizes(), SEEDS, st.data())
def test_orders_are_in_the_workloads_ranges(size: DbSize, seed: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, size.orders - 1))
    count = min(30, size.orders - first)
    orders = Orders(size, seed).orders(first, count)
    assert orders["orderid"].tolist() == list(range(first + 1, first + count + 1))
    assert 1 <= orders["customerid"].min() <= orders["customerid"].max() <= size.customers
    assert 1 <= orders["netamount"].min() <= orders["netamount"].max() <= 400_00
    assert orders["totalamount"].tolist() == (orders["netamount"] + orders["tax"]).tolist()
    months = [date.year * 12 + date.month - 1 for date in orders["orderdate"].tolist()]
    assert months == [YEAR * 12 + number // size.orders_per_month for number in range(first, first + count)]


@given(sizes(), SEEDS, st.data())
def test_lines_number_from_one_and_agree_with_the_history(size: DbSize, seed: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, size.orders - 1))
    count = min(30, size.orders - first)
    generator = Orders(size, seed)
    orders, lines = generator.orders(first, count), generator.orderlines(first, count)
    history = generator.cust_hist(first, count)
    by_order = {order: list(group) for order, group in groupby(lines["orderid"].tolist())}
    assert list(by_order) == orders["orderid"].tolist()
    assert lines["orderlineid"].tolist() == [n for group in by_order.values() for n in range(1, len(group) + 1)]
    assert lines["orderlineid"].max() <= 9
    assert set(lines["quantity"].tolist()) <= {1, 2, 3}
    assert 1 <= lines["prod_id"].min() <= lines["prod_id"].max() <= size.products
    dates = dict(zip(orders["orderid"].tolist(), orders["orderdate"].tolist(), strict=True))
    assert lines["orderdate"].tolist() == [dates[order] for order in lines["orderid"].tolist()]
    buyers = dict(zip(orders["orderid"].tolist(), orders["customerid"].tolist(), strict=True))
    assert history["customerid"].tolist() == [buyers[order] for order in lines["orderid"].tolist()]
    assert history["orderid"].tolist() == lines["orderid"].tolist()
    assert history["prod_id"].tolist() == lines["prod_id"].tolist()


def test_every_day_every_number_of_lines_and_every_quantity_occurs() -> None:
    size = DbSize(30, "MB")
    generator = Orders(size, 3)
    orders, lines = generator.orders(0, size.orders), generator.orderlines(0, size.orders)
    assert len(np.unique(orders["orderdate"])) == 365
    assert set(np.unique(np.unique(lines["orderid"], return_counts=True)[1]).tolist()) == set(range(1, 10))
    assert np.unique(lines["quantity"]).tolist() == [1, 2, 3]
    assert len(np.unique(lines["prod_id"])) > 0.99 * size.products
    assert orders["netamount"].min() < 20
    assert orders["netamount"].max() > 399_80
