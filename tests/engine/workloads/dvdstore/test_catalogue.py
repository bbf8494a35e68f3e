from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.workloads.dvdstore import catalogue
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.workloads.dvdstore.stores import sizes


@pytest.mark.parametrize(
    "size", [DbSize(1, "MB"), DbSize(9, "MB"), DbSize(10, "MB"), DbSize(25, "MB"), DbSize(3, "GB")]
)
def test_popular_products_are_ten_times_as_likely(size: DbSize) -> None:
    drawn = Counter(catalogue.product_of_ticket(ticket, size) for ticket in range(catalogue.tickets(size)))
    assert drawn == {product: 10 if product % 10_000 == 0 else 1 for product in range(1, size.products + 1)}


@given(sizes(), st.data())
def test_every_ticket_is_a_product_of_the_store(size: DbSize, data: st.DataObject) -> None:
    ticket = data.draw(st.integers(0, catalogue.tickets(size) - 1))
    assert 1 <= catalogue.product_of_ticket(ticket, size) <= size.products
    assert catalogue.product_of_ticket(catalogue.tickets(size) - 1, size) == (
        size.products // 10_000 * 10_000 or size.products
    )


def test_specials_are_rarer_in_stores_of_many_products() -> None:
    assert [catalogue.specials_every(products) for products in (1_000, 100_000, 100_001, 10_000_000)] == [
        100, 100, 10_000, 10_000,
    ]  # fmt: skip
