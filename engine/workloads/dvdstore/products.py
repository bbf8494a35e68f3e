"""The categories, products and stock of a store: any range of rows, computed from their numbers alone.

Called by ``engine.workloads.dvdstore.rows``.
"""

import numpy as np

from engine.workload.rows.randomness import Whole, streams_of
from engine.workload.rows.texts import Text, table_of
from engine.workloads.dvdstore import catalogue, words
from engine.workloads.dvdstore.sizing import CATEGORIES, DbSize


def categories() -> dict[str, np.ndarray]:
    """The columns of ``categories``, all sixteen rows."""
    return {
        "category": np.arange(1, CATEGORIES + 1, dtype=np.int32),
        "categoryname": table_of(catalogue.CATEGORY_NAMES),
    }


def titles(first: int, rows: int) -> Text:
    """The titles of ``rows`` products from number ``first``, which counts from 0; the first 1,000,000 all differ."""
    title_words = words.title_words()
    number = np.arange(first, first + rows, dtype=np.int64)
    upper = number // len(title_words) % len(title_words)
    return _spaced(title_words, upper, title_words, number % len(title_words))


class Products:
    """The rows of ``products`` and ``inventory``, by ranges that count from 0."""

    def __init__(self, size: DbSize, seed: int) -> None:
        self._products = size.products
        self._specials_every = catalogue.specials_every(size.products)
        stream = streams_of(seed, "products")
        self._category = stream("category")
        self._first_name = stream("first name")
        self._last_name = stream("last name")
        self._price = stream("price")
        self._special = stream("special")
        self._common = stream("common_prod_id")
        self._stock = streams_of(seed, "inventory")("quan_in_stock")

    def products(self, first: int, rows: int) -> dict[str, np.ndarray]:
        """The columns of ``products``; prices are cents."""
        return {
            "prod_id": _prod_ids(first, rows),
            "category": (1 + self._category.below(CATEGORIES, first, rows)).astype(np.int32),
            "title": titles(first, rows),
            "actor": self._actors(first, rows),
            "price": catalogue.LOWEST_PRICE_CENTS
            + catalogue.PRICE_STEP_CENTS * self._price.below(catalogue.PRICES, first, rows),
            "special": self._specials(first, rows),
            "common_prod_id": (1 + self._common.below(self._products, first, rows)).astype(np.int32),
        }

    def inventory(self, first: int, rows: int, sales: Whole) -> dict[str, np.ndarray]:
        """The columns of ``inventory``; ``sales`` holds what the initial orders sold of every product of the store."""
        prod_id = _prod_ids(first, rows)
        stock = self._stock.below(catalogue.LARGEST_STOCK + 1, first, rows).astype(np.int32)
        stock[prod_id % catalogue.POPULAR_EVERY == 0] *= catalogue.POPULAR_FACTOR
        return {
            "prod_id": prod_id,
            "quan_in_stock": stock,
            "sales": sales[first : first + rows].astype(np.int32),
        }

    def _actors(self, first: int, rows: int) -> Text:
        first_names, last_names = words.first_names(), words.last_names()
        return _spaced(
            first_names,
            self._first_name.below(len(first_names), first, rows),
            last_names,
            self._last_name.below(len(last_names), first, rows),
        )

    def _specials(self, first: int, rows: int) -> np.ndarray:
        """One product at a random place of each 100 (or 10,000) in a row, so that the share is exact."""
        number = np.arange(first, first + rows, dtype=np.int64)
        group, place = number // self._specials_every, number % self._specials_every
        chosen = self._special.below(self._specials_every, int(group[0]), int(group[-1] - group[0]) + 1)
        special: np.ndarray = place == chosen[group - group[0]]
        return special.astype(np.int32)


def _prod_ids(first: int, rows: int) -> np.ndarray:
    return np.arange(first + 1, first + rows + 1, dtype=np.int32)


def _spaced(left: tuple[str, ...], left_at: Whole, right: tuple[str, ...], right_at: Whole) -> Text:
    """Two words with a space between them, row by row."""
    return np.strings.add(table_of([f"{word} " for word in left])[left_at], table_of(right)[right_at])
