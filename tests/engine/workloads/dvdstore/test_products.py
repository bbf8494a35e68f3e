import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.workloads.dvdstore import words
from engine.workloads.dvdstore.products import Products, categories, titles
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.workloads.dvdstore.stores import SEEDS, sizes, texts


def test_there_are_the_sixteen_categories() -> None:
    columns = categories()
    assert columns["category"].tolist() == list(range(1, 17))
    names = texts(columns["categoryname"])
    assert (names[0], names[13], names[15]) == ("Action", "Sci-Fi", "Travel")
    assert names == sorted(set(names))


def test_the_first_million_titles_are_all_different() -> None:
    assert len(np.unique(titles(0, 1_000_000))) == 1_000_000


@given(st.integers(0, 10_000_000 - 1))
def test_a_title_is_the_two_words_that_searches_pick(number: int) -> None:
    assert texts(titles(number, 1)) == [" ".join(words.title_of(number + 1))]


@given(sizes(), SEEDS, st.data())
def test_products_are_in_the_workloads_ranges(size: DbSize, seed: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, size.products - 1))
    rows = min(20, size.products - first)
    columns = Products(size, seed).products(first, rows)
    assert columns["prod_id"].tolist() == list(range(first + 1, first + rows + 1))
    assert set(columns["category"].tolist()) <= set(range(1, 17))
    assert set(columns["price"].tolist()) <= set(range(9_99, 30_00, 1_00))
    assert 1 <= columns["common_prod_id"].min() <= columns["common_prod_id"].max() <= size.products
    for actor in texts(columns["actor"]):
        first_name, last_name = actor.split(" ")
        assert first_name in words.first_names()
        assert last_name in words.last_names()


@pytest.mark.parametrize(
    ("size", "every"), [(DbSize(3, "MB"), 100), (DbSize(1, "GB"), 100), (DbSize(11, "GB"), 10_000)]
)
def test_one_product_in_so_many_is_a_special(size: DbSize, every: int) -> None:
    special = Products(size, 9).products(0, size.products)["special"]
    assert special.reshape(-1, every).sum(axis=1).tolist() == [1] * (size.products // every)
    assert len(set((np.flatnonzero(special) % every).tolist())) > 1


def test_prices_and_categories_take_every_value() -> None:
    columns = Products(DbSize(10, "MB"), 9).products(0, 10_000)
    assert np.unique(columns["price"]).tolist() == list(range(9_99, 30_00, 1_00))
    assert np.unique(columns["category"]).tolist() == list(range(1, 17))


def test_stock_goes_to_500_and_ten_times_that_for_every_ten_thousandth_product() -> None:
    size = DbSize(1, "GB")
    sales = np.arange(size.products, dtype=np.int64)
    columns = Products(size, 9).inventory(0, size.products, sales)
    popular = columns["prod_id"] % 10_000 == 0
    stock = columns["quan_in_stock"]
    assert (stock[~popular].min(), stock[~popular].max()) == (0, 500)
    assert stock[popular].max() > 500
    assert not (stock[popular] % 10).any()
    assert columns["sales"].tolist() == sales.tolist()
    part = Products(size, 9).inventory(500, 10, sales)
    assert part["sales"].tolist() == list(range(500, 510))
    assert part["quan_in_stock"].tolist() == stock[500:510].tolist()
