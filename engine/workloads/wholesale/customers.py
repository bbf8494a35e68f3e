"""The initial customers, and the one payment that each of them has made."""

import numpy as np

from engine.workload.rows.randomness import streams_of
from engine.workload.rows.texts import digits, table_of
from engine.workloads.wholesale.names import BUILT_LAST_NAME, LAST_NAMES, last_name
from engine.workloads.wholesale.places import INITIAL_PAYMENT_CENTS
from engine.workloads.wholesale.random_columns import AddressColumns, TextColumn, moments, non_uniform
from engine.workloads.wholesale.sizing import CUSTOMERS, DISTRICTS

_LAST_NAMES = table_of([last_name(number) for number in range(LAST_NAMES)])
_CREDITS = table_of(["GC", "BC"])
_BAD_CREDITS_PER_100 = 10
_CREDIT_LIMIT_CENTS = 50_000_00
_DISCOUNTS = 5_001  # from 0.0000 to 0.5000


class Customers:
    """The rows of ``customer`` and ``history``, by ranges of customers that count from 0 over all districts."""

    def __init__(self, seed: int) -> None:
        stream, history = streams_of(seed, "customer"), streams_of(seed, "history")
        self._first = TextColumn(stream, "c_first", 8, 16)
        self._last = stream("c_last")
        self._address = AddressColumns(stream, "c")
        self._phone = stream("c_phone")
        self._since = stream("c_since")
        self._credit = stream("c_credit")
        self._discount = stream("c_discount")
        self._data = TextColumn(stream, "c_data", 300, 500)
        self._paid = history("h_date")
        self._payment_data = TextColumn(history, "h_data", 12, 24)

    def customers(self, first: int, rows: int) -> dict[str, np.ndarray]:
        """Balance and payments are such that consistency conditions 10 and 12 hold."""
        warehouse, district, customer = _identities(first, rows)
        chosen = non_uniform(self._last, BUILT_LAST_NAME, LAST_NAMES, first, rows)
        one = np.ones(rows, np.int64)
        return {
            "c_w_id": warehouse,
            "c_d_id": district,
            "c_id": customer,
            "c_first": self._first.texts(first, rows),
            "c_middle": np.full(rows, b"OE"),
            "c_last": _LAST_NAMES[np.where(customer <= LAST_NAMES, customer - 1, chosen)],
            **self._address.columns(first, rows),
            "c_phone": digits(self._phone.words(first, rows), 16),
            "c_since": moments(self._since, first, rows),
            "c_credit": _CREDITS[(self._credit.below(100, first, rows) < _BAD_CREDITS_PER_100).astype(np.int64)],
            "c_credit_lim": _CREDIT_LIMIT_CENTS * one,
            "c_discount": self._discount.below(_DISCOUNTS, first, rows),
            "c_balance": -INITIAL_PAYMENT_CENTS * one,
            "c_ytd_payment": INITIAL_PAYMENT_CENTS * one,
            "c_payment_cnt": one,
            "c_delivery_cnt": 0 * one,
            "c_data": self._data.texts(first, rows),
        }

    def history(self, first: int, rows: int) -> dict[str, np.ndarray]:
        """One payment of each customer, at its own district."""
        warehouse, district, customer = _identities(first, rows)
        return {
            "h_id": np.arange(first + 1, first + rows + 1),
            "h_c_id": customer,
            "h_c_d_id": district,
            "h_c_w_id": warehouse,
            "h_d_id": district,
            "h_w_id": warehouse,
            "h_date": moments(self._paid, first, rows),
            "h_amount": np.full(rows, INITIAL_PAYMENT_CENTS),
            "h_data": self._payment_data.texts(first, rows),
        }


def _identities(first: int, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Warehouse, district and customer of each row."""
    numbers = np.arange(first, first + rows)
    district = numbers // CUSTOMERS
    return district // DISTRICTS + 1, district % DISTRICTS + 1, numbers % CUSTOMERS + 1
