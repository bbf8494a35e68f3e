"""The initial orders and their lines: 3,000 in each district, of which the last 900 are not delivered yet."""

import numpy as np

from engine.workload.rows.randomness import Whole, streams_of
from engine.workloads.wholesale.random_columns import TextColumn, moments
from engine.workloads.wholesale.sizing import (
    CUSTOMERS,
    DISTRICTS,
    FIRST_UNDELIVERED,
    ITEMS,
    LEAST_LINES,
    MOST_LINES,
    ORDERS,
    UNDELIVERED,
)

_CARRIERS = 10
_QUANTITY = 5
_AMOUNTS = 9_999_99
# (number x factor + offset) modulo the number of customers is a permutation if the factor is coprime to that number,
# 3,000 = 2^3 x 3 x 5^3.
_FACTORS = np.array([number for number in range(1, CUSTOMERS) if number % 2 and number % 3 and number % 5])


class Orders:
    """The rows of ``orders``, ``new_order`` and ``order_line``, by ranges that count from 0 over all districts."""

    def __init__(self, seed: int) -> None:
        stream, line_stream = streams_of(seed, "orders"), streams_of(seed, "order_line")
        self._factor, self._offset = stream("factor"), stream("offset")
        self._entered = stream("o_entry_d")
        self._carrier = stream("o_carrier_id")
        self._lines = stream("o_ol_cnt")
        self._item = line_stream("ol_i_id")
        self._amount = line_stream("ol_amount")
        self._district_info = TextColumn(line_stream, "ol_dist_info", 24, 24)

    def orders(self, first: int, rows: int) -> dict[str, np.ndarray]:
        """Every customer has placed one order of the district, in a random order."""
        district, order = _identities(first, rows)
        return {
            "o_w_id": district // DISTRICTS + 1,
            "o_d_id": district % DISTRICTS + 1,
            "o_id": order,
            "o_c_id": self._customers(district, order),
            "o_entry_d": moments(self._entered, first, rows),
            "o_carrier_id": np.where(order < FIRST_UNDELIVERED, 1 + self._carrier.below(_CARRIERS, first, rows), 0),
            "o_ol_cnt": self._line_counts(first, rows),
            "o_all_local": np.ones(rows, np.int64),
        }

    def new_orders(self, first: int, rows: int) -> dict[str, np.ndarray]:
        numbers = np.arange(first, first + rows)
        district = numbers // UNDELIVERED
        return {
            "no_w_id": district // DISTRICTS + 1,
            "no_d_id": district % DISTRICTS + 1,
            "no_o_id": numbers % UNDELIVERED + FIRST_UNDELIVERED,
        }

    def order_lines(self, first: int, orders: int) -> dict[str, np.ndarray]:
        """The lines of a range of orders. Delivered ones have the amount 0 (clause 4.3.3.1)."""
        counts = self._line_counts(first, orders)
        numbers = np.repeat(np.arange(first, first + orders), counts)
        line = np.arange(len(numbers)) - np.repeat(np.cumsum(counts) - counts, counts)
        district, order = numbers // ORDERS, numbers % ORDERS + 1
        warehouse, is_delivered = district // DISTRICTS + 1, order < FIRST_UNDELIVERED
        places = (numbers * MOST_LINES + line).astype(np.uint64)
        entered = np.repeat(moments(self._entered, first, orders), counts)
        amounts = 1 + self._amount.below_at(_AMOUNTS, places)
        return {
            "ol_w_id": warehouse,
            "ol_d_id": district % DISTRICTS + 1,
            "ol_o_id": order,
            "ol_number": line + 1,
            "ol_i_id": 1 + self._item.below_at(ITEMS, places),
            "ol_supply_w_id": warehouse,
            "ol_delivery_d": np.where(is_delivered, entered, np.datetime64("NaT", "s")),
            "ol_quantity": np.full(len(numbers), _QUANTITY),
            "ol_amount": np.where(is_delivered, 0, amounts),
            "ol_dist_info": self._district_info.texts(first * MOST_LINES, orders * MOST_LINES)[
                places.astype(np.int64) - first * MOST_LINES
            ],
        }

    def _line_counts(self, first: int, orders: int) -> Whole:
        return LEAST_LINES + self._lines.below(MOST_LINES - LEAST_LINES + 1, first, orders)

    def _customers(self, district: Whole, order: Whole) -> Whole:
        places = district.astype(np.uint64)
        factor = _FACTORS[self._factor.below_at(len(_FACTORS), places)]
        chosen: Whole = (order * factor + self._offset.below_at(CUSTOMERS, places)) % CUSTOMERS + 1
        return chosen


def _identities(first: int, rows: int) -> tuple[Whole, Whole]:
    """The district, counted from 0 over all warehouses, and the number of each order."""
    numbers = np.arange(first, first + rows)
    return numbers // ORDERS, numbers % ORDERS + 1
