"""Orders, lines and history that tie out, and each way in which they may not."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.workloads.dvdstore.line_sums import LineSums
from engine.workloads.dvdstore.stored_orders import LINE_TYPE, HistorySums
from tests.engine.audit.ledgers import orders

PRICES = np.array([0, 999, 1_999, 2_999])
NUMBERS, AMOUNTS, HISTORY, SALES = range(4)
Line = tuple[int, int, int, int]
"""Order, number, quantity, product."""

LINES: list[Line] = [(12, 1, 2, 1), (12, 2, 1, 3), (15, 1, 3, 2)]
ORDERS = [(12, 7, 2 * 999 + 2_999), (15, 8, 3 * 1_999)]


def history_of(rows: list[tuple[int, int, int]]) -> HistorySums:
    """The sums over history rows of customer, order and product."""
    return HistorySums(
        rows=len(rows),
        orders=sum(order for _, order, _ in rows),
        orders_by_product=sum(order * product * product for _, order, product in rows),
        customers_by_product=sum(customer * product * product for customer, _, product in rows),
    )


HISTORY_ROWS = [(7, 12, 1), (7, 12, 3), (8, 15, 2)]


def wrong(
    the_orders: list[tuple[int, int, int]] = ORDERS,
    lines: list[Line] = LINES,
    history: list[tuple[int, int, int]] = HISTORY_ROWS,
) -> list[int]:
    sums = LineSums(PRICES)
    sums.add(10, 20, orders(*the_orders), np.array(lines, dtype=LINE_TYPE))
    return list(sums.checks(history_of(history), 0).values())


def test_consistent_store_has_no_findings() -> None:
    assert wrong() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("place", "changed"),
    [
        (NUMBERS, {"lines": [(12, 1, 2, 1), (12, 3, 1, 3), (15, 1, 3, 2)]}),
        (NUMBERS, {"lines": [(12, 0, 2, 1), (12, 3, 1, 3), (15, 1, 3, 2)]}),
        (NUMBERS, {"the_orders": [*ORDERS, (17, 9, 0)]}),
        (AMOUNTS, {"the_orders": [ORDERS[0], (15, 8, 3 * 1_999 + 1)]}),
        (AMOUNTS, {"lines": [(12, 1, 2, 1), (12, 2, 2, 3), (15, 1, 3, 2)]}),
        (HISTORY, {"history": HISTORY_ROWS[1:]}),
        (HISTORY, {"history": [*HISTORY_ROWS, HISTORY_ROWS[0]]}),
        (HISTORY, {"history": [(8, 12, 1), (7, 12, 3), (8, 15, 2)]}),
        (HISTORY, {"history": [(7, 12, 2), (7, 12, 2), (8, 15, 2)]}),
        (HISTORY, {"history": [(7, 12, 1), (7, 15, 3), (8, 15, 2)]}),
    ],
)
def test_each_inconsistency_is_reported(place: int, changed: dict[str, Any]) -> None:
    found = wrong(**changed)
    assert found[place] > 0
    assert [count for number, count in enumerate(found) if number != place] == [0, 0, 0]


def test_a_line_of_a_product_that_does_not_exist_has_no_price() -> None:
    assert wrong(lines=[*LINES[:2], (15, 1, 3, 9)], history=[*HISTORY_ROWS[:2], (8, 15, 9)])[AMOUNTS] == 1


def test_inconsistent_products_are_reported() -> None:
    sums = LineSums(PRICES)
    assert list(sums.checks(history_of([]), 3).values()) == [0, 0, 0, 3]


BIG = st.integers(2**31 - 20, 2**31 - 1)


@given(
    lines=st.dictionaries(BIG, st.lists(st.integers(1, 3), min_size=1, max_size=10), min_size=1, max_size=15),
    customer=st.integers(1, 2**31 - 1),
    cut=BIG,
)
def test_sums_of_the_largest_ids_tie_out_in_any_ranges(lines: dict[int, list[int]], customer: int, cut: int) -> None:
    sums = LineSums(PRICES)
    for after, to in ((2**31 - 21, cut), (cut, 2**31 - 1)):
        mine = {order: products for order, products in sorted(lines.items()) if after < order <= to}
        sums.add(
            after,
            to,
            orders(*((order, customer, sum(PRICES[products])) for order, products in mine.items())),
            np.array(
                [
                    (order, number, 1, product)
                    for order, products in mine.items()
                    for number, product in enumerate(products, start=1)
                ],
                dtype=LINE_TYPE,
            ),
        )
    history = [(customer, order, product) for order, products in lines.items() for product in products]
    assert list(sums.checks(history_of(history), 0).values()) == [0, 0, 0, 0]
