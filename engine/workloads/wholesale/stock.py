"""The catalogue of items, and each warehouse's stock of them."""

import numpy as np

from engine.workload.rows.randomness import streams_of
from engine.workloads.wholesale.random_columns import DataColumn, TextColumn
from engine.workloads.wholesale.schema import STOCK_DISTRICTS
from engine.workloads.wholesale.sizing import STOCK

_LEAST_PRICE_CENTS, _PRICES = 1_00, 99_01
_LEAST_STOCK, _STOCKS = 10, 91
_IMAGES = 10_000


class Stock:
    """The rows of ``item`` and ``stock``, by ranges that count from 0."""

    def __init__(self, seed: int) -> None:
        item, stock = streams_of(seed, "item"), streams_of(seed, "stock")
        self._image = item("i_im_id")
        self._name = TextColumn(item, "i_name", 14, 24)
        self._price = item("i_price")
        self._item_data = DataColumn(item, "i_data")
        self._quantity = stock("s_quantity")
        self._districts = {name: TextColumn(stock, name, 24, 24) for name in STOCK_DISTRICTS}
        self._stock_data = DataColumn(stock, "s_data")

    def items(self, first: int, rows: int) -> dict[str, np.ndarray]:
        return {
            "i_id": np.arange(first + 1, first + rows + 1),
            "i_im_id": 1 + self._image.below(_IMAGES, first, rows),
            "i_name": self._name.texts(first, rows),
            "i_price": _LEAST_PRICE_CENTS + self._price.below(_PRICES, first, rows),
            "i_data": self._item_data.texts(first, rows),
        }

    def stock(self, first: int, rows: int) -> dict[str, np.ndarray]:
        numbers, nothing = np.arange(first, first + rows), np.zeros(rows, np.int64)
        return {
            "s_w_id": numbers // STOCK + 1,
            "s_i_id": numbers % STOCK + 1,
            "s_quantity": _LEAST_STOCK + self._quantity.below(_STOCKS, first, rows),
            **{name: column.texts(first, rows) for name, column in self._districts.items()},
            "s_ytd": nothing,
            "s_order_cnt": nothing,
            "s_remote_cnt": nothing,
            "s_data": self._stock_data.texts(first, rows),
        }
