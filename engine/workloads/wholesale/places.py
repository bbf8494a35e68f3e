"""The initial warehouses and their districts."""

import numpy as np

from engine.workload.rows.randomness import streams_of
from engine.workloads.wholesale.random_columns import AddressColumns, TextColumn
from engine.workloads.wholesale.sizing import CUSTOMERS, DISTRICTS, ORDERS

_RATES = 2_001  # taxes are from 0.0000 to 0.2000
INITIAL_PAYMENT_CENTS = 10_00
"""The payment of each customer before the first run; the year-to-date amounts are sums of these."""


class Places:
    """The rows of ``warehouse`` and ``district``, by ranges that count from 0."""

    def __init__(self, seed: int) -> None:
        warehouse, district = streams_of(seed, "warehouse"), streams_of(seed, "district")
        self._warehouse_name = TextColumn(warehouse, "w_name", 6, 10)
        self._warehouse_address = AddressColumns(warehouse, "w")
        self._warehouse_tax = warehouse("w_tax")
        self._district_name = TextColumn(district, "d_name", 6, 10)
        self._district_address = AddressColumns(district, "d")
        self._district_tax = district("d_tax")

    def warehouses(self, first: int, rows: int) -> dict[str, np.ndarray]:
        return {
            "w_id": np.arange(first + 1, first + rows + 1),
            "w_name": self._warehouse_name.texts(first, rows),
            **self._warehouse_address.columns(first, rows),
            "w_tax": self._warehouse_tax.below(_RATES, first, rows),
            "w_ytd": np.full(rows, DISTRICTS * CUSTOMERS * INITIAL_PAYMENT_CENTS),
        }

    def districts(self, first: int, rows: int) -> dict[str, np.ndarray]:
        numbers = np.arange(first, first + rows)
        return {
            "d_w_id": numbers // DISTRICTS + 1,
            "d_id": numbers % DISTRICTS + 1,
            "d_name": self._district_name.texts(first, rows),
            **self._district_address.columns(first, rows),
            "d_tax": self._district_tax.below(_RATES, first, rows),
            "d_ytd": np.full(rows, CUSTOMERS * INITIAL_PAYMENT_CENTS),
            "d_next_o_id": np.full(rows, ORDERS + 1),
        }
