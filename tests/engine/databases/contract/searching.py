"""The contract of a session's reading calls: login, browses and prices."""

from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any

import pytest

from engine.workloads.dvdstore import picks, words
from engine.workloads.dvdstore.people import PASSWORD
from engine.workloads.dvdstore.sizing import CATEGORIES
from tests.engine.databases.contract.places import SIZE, Place

_CUSTOMERS = range(1, SIZE.customers + 1)
_MORE_THAN_ALL = 10_000
_PRODUCT, _CATEGORY, _TITLE, _ACTOR, _SPECIAL = 0, 1, 2, 3, 5
Row = tuple[Any, ...]


class SearchingContract:
    """What a session finds, beside what plain SQL finds in the same store."""

    def test_a_log_in_returns_what_the_customer_bought_with_each_products_related_title(self, reader: Place) -> None:
        buyers = Counter(customer for (customer,) in reader.run("SELECT customerid FROM cust_hist"))
        ((customer, bought),) = buyers.most_common(1)
        found, rows = reader.open().login(f"user{customer}", PASSWORD)
        assert found == customer
        assert len(rows) == bought
        assert Counter(rows.decoded()) == _history(reader, customer)

    def test_a_customer_who_bought_nothing_is_found_and_has_no_rows(self, reader: Place) -> None:
        buyers = {customer for (customer,) in reader.run("SELECT customerid FROM cust_hist")}
        customer = next(each for each in _CUSTOMERS if each not in buyers)
        found, rows = reader.open().login(f"user{customer}", PASSWORD)
        assert (found, len(rows), rows.decoded()) == (customer, 0, [])

    @pytest.mark.parametrize(
        ("username", "password"),
        [
            ("user0", PASSWORD),
            ("user1", "wrong"),
            ("user1", ""),
            ("", PASSWORD),
            ("' OR username = 'user1' --", PASSWORD),
            ("usér1", PASSWORD),
        ],
    )
    def test_login_of_an_unknown_customer_finds_none(self, reader: Place, username: str, password: str) -> None:
        found, rows = reader.open().login(username, password)
        assert (found, len(rows), rows.decoded()) == (None, 0, [])

    @pytest.mark.parametrize("batch_size", [1, 2, _MORE_THAN_ALL])
    def test_a_browse_by_category_finds_its_specials(self, reader: Place, batch_size: int) -> None:
        session, specials = reader.open(), [row for row in reader.rows("products") if row[_SPECIAL] == 1]
        found_any = 0
        for category in range(1, CATEGORIES + 1):
            expected = {row for row in specials if row[_CATEGORY] == category}
            _assert_among(session.browse_by_category(category, batch_size).decoded(), expected, batch_size)
            found_any += len(expected)
        assert found_any == SIZE.products // 100

    def test_an_unknown_category_has_nothing(self, reader: Place) -> None:
        rows = reader.open().browse_by_category(CATEGORIES + 1, 5)
        assert (len(rows), rows.decoded()) == (0, [])

    @pytest.mark.parametrize("batch_size", [1, 3, _MORE_THAN_ALL])
    def test_browse_by_title_returns_titles_with_both_words(self, reader: Place, batch_size: int) -> None:
        session, products = reader.open(), reader.rows("products")
        for product, title in _some(products, _TITLE):
            expected = _with_words(products, _TITLE, title)
            assert product in {row[_PRODUCT] for row in expected}
            _assert_among(session.browse_by_title(*_two_words(title), batch_size).decoded(), expected, batch_size)

    def test_search_ignores_word_order_and_case(self, reader: Place) -> None:
        session = reader.open()
        first, second = reader.value("SELECT title FROM products WHERE prod_id = 5").split()
        found = session.browse_by_title(first, second, _MORE_THAN_ALL).decoded()
        assert found
        assert Counter(session.browse_by_title(second.lower(), first.swapcase(), _MORE_THAN_ALL).decoded()) == Counter(
            found
        )

    @pytest.mark.parametrize("batch_size", [1, _MORE_THAN_ALL])
    def test_a_browse_by_actor_finds_the_actors_with_both_names(self, reader: Place, batch_size: int) -> None:
        session, products = reader.open(), reader.rows("products")
        for product, actor in _some(products, _ACTOR):
            expected = _with_words(products, _ACTOR, actor)
            assert product in {row[_PRODUCT] for row in expected}
            _assert_among(session.browse_by_actor(*_two_words(actor), batch_size).decoded(), expected, batch_size)

    def test_titles_are_not_searched_for_actors_nor_actors_for_titles(self, reader: Place) -> None:
        session = reader.open()
        title, actor = reader.run("SELECT title, actor FROM products WHERE prod_id = 1")[0]
        assert session.browse_by_title(*_two_words(actor), _MORE_THAN_ALL).decoded() == []
        assert session.browse_by_actor(*_two_words(title), _MORE_THAN_ALL).decoded() == []

    @pytest.mark.parametrize("words", [("NOSUCH", "WORDS"), ("o'neill", '"'), ("&", "|!"), ("", "")])
    def test_unknown_words_return_no_product(self, reader: Place, words: tuple[str, str]) -> None:
        session = reader.open()
        assert session.browse_by_title(*words, 5).decoded() == []
        assert session.browse_by_actor(*words, 5).decoded() == []

    def test_the_searches_that_an_emulated_user_draws_find_what_is_there(self, reader: Place) -> None:
        session, products, random = reader.open(), reader.rows("products"), Random(3)
        for _ in range(20):
            word, other = picks.title_words(random, SIZE)
            expected = _with_words(products, _TITLE, f"{word} {other}")
            assert expected
            _assert_among(session.browse_by_title(word, other, _MORE_THAN_ALL).decoded(), expected, _MORE_THAN_ALL)

    def test_every_listed_word_can_be_searched(self, reader: Place) -> None:
        session, products = reader.open(), reader.rows("products")
        found = {row[_PRODUCT]: (row[_TITLE], row[_ACTOR]) for row in products}
        assert {word for title, _ in found.values() for word in title.split()} == set(words.title_words())
        for product, (title, actor) in found.items():
            by_title = session.browse_by_title(*_two_words(title), _MORE_THAN_ALL).decoded()
            by_actor = session.browse_by_actor(*_two_words(actor), _MORE_THAN_ALL).decoded()
            assert product in {row[_PRODUCT] for row in by_title}, title
            assert product in {row[_PRODUCT] for row in by_actor}, actor

    @pytest.mark.parametrize("products", [[1], [5, 7, 5, 1_000, 7, 7], list(range(1, 11))])
    def test_each_products_price_is_queried_once(self, reader: Place, products: list[int]) -> None:
        expected = {row[_PRODUCT]: row[4] for row in reader.rows("products") if row[_PRODUCT] in products}
        assert len(expected) == len(set(products))
        assert dict(reader.open().prices(products)) == expected

    def test_a_product_that_does_not_exist_has_no_price(self, reader: Place) -> None:
        assert set(reader.open().prices([SIZE.products + 1, 1, 0])) == {1}


def _history(place: Place, customer: int) -> Counter[Row]:
    return Counter(
        place.run(
            "SELECT p.title, p.actor, r.title FROM cust_hist h JOIN products p ON p.prod_id = h.prod_id"
            f" JOIN products r ON r.prod_id = p.common_prod_id WHERE h.customerid = {customer}"
        )
    )


def _some(products: Iterable[Row], column: int) -> list[tuple[int, str]]:
    """A few products and what they have in a column."""
    return [(row[_PRODUCT], row[column]) for row in products if row[_PRODUCT] in (1, 2, SIZE.products)]


def _two_words(text: str) -> tuple[str, str]:
    first, second = text.split()
    return first, second


def _with_words(products: Iterable[Row], column: int, text: str) -> set[Row]:
    """The products that have all words of a text in a column."""
    words = set(text.lower().split())
    return {row for row in products if words <= set(row[column].lower().split())}


def _assert_among(found: list[Row], expected: set[Row], batch_size: int) -> None:
    """As many rows as were asked for and are there, all different and all of them right."""
    assert len(found) == min(batch_size, len(expected))
    assert len(set(found)) == len(found)
    assert set(found) <= expected
