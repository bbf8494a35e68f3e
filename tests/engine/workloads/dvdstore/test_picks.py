import random
import re
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from engine.workloads.dvdstore import people, picks, words
from engine.workloads.dvdstore.customers import Customers
from engine.workloads.dvdstore.products import titles
from engine.workloads.dvdstore.schema import TABLES
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.workloads.dvdstore.stores import SEEDS, sizes, texts
from tests.engine.workloads.dvdstore.test_customers import SHAPES


class Lowest(random.Random):
    """Draws the least that ``random`` can give."""

    def random(self) -> float:
        return 0.0


class Highest(random.Random):
    """Draws the most that ``random`` can give."""

    def random(self) -> float:
        return 1 - 2**-53


@given(sizes())
def test_draws_reach_both_ends_and_nothing_beyond(size: DbSize) -> None:
    assert picks.customer(Lowest(), size) == 1
    assert picks.customer(Highest(), size) == size.customers
    assert picks.product(Lowest(), size) == 1
    assert picks.product(Highest(), size) == (size.products // 10_000 * 10_000 or size.products)
    assert picks.new_username(Lowest()) == "newuser1"
    assert picks.new_username(Highest()) == f"newuser{2**31 - 1}"


@given(SEEDS, sizes(), st.integers(1, 10))
def test_a_cart_holds_products_of_the_store(seed: int, size: DbSize, n_line_items: int) -> None:
    lines = picks.cart(random.Random(seed), size, n_line_items)
    assert 1 <= len(lines) <= min(2 * n_line_items - 1, 10)
    assert all(1 <= product <= size.products and quantity in (1, 2, 3) for product, quantity in lines)


def test_carts_take_every_length_to_the_cap() -> None:
    rng, size = random.Random(1), DbSize(10, "MB")
    assert {len(picks.cart(rng, size, 5)) for _ in range(500)} == set(range(1, 10))
    assert {len(picks.cart(rng, size, 10)) for _ in range(500)} == set(range(1, 11))


def test_a_login_is_an_initial_customers() -> None:
    columns = Customers(DbSize(1, "MB"), 1).columns(41, 1)
    assert picks.username(42) == texts(columns["username"])[0]
    assert texts(columns["password"]) == [picks.PASSWORD]


@given(SEEDS)
def test_a_title_search_finds_a_title_of_a_small_store(seed: int) -> None:
    size = DbSize(1, "MB")
    found = " ".join(picks.title_words(random.Random(seed), size)).encode()
    assert found in titles(0, size.products).tolist()


@given(SEEDS)
def test_an_actor_search_is_a_first_and_a_last_name(seed: int) -> None:
    first_name, last_name = picks.actor(random.Random(seed))
    assert first_name in words.first_names()
    assert last_name in words.last_names()


@given(SEEDS)
def test_a_new_customer_looks_like_an_initial_one(seed: int) -> None:
    customer = picks.new_customer(random.Random(seed))
    values = customer._asdict()
    for name, shape in {**SHAPES, "username": r"newuser[1-9][0-9]*"}.items():
        assert re.fullmatch(shape, values[name]), name
    if customer.region == people.US:
        assert (customer.country, customer.state in people.STATES) == ("US", True)
        assert 10_000 <= customer.zip <= 99_999
    else:
        assert (customer.region, customer.state, customer.zip) == (2, "", 0)
        assert customer.country in people.COUNTRIES
    assert 18 <= customer.age <= 90
    assert customer.income in range(20_000, 100_001, 20_000)
    assert 1 <= customer.creditcardtype <= 5
    for column in TABLES["customers"][1:]:
        assert len(str(values[column.name])) <= column.width or column.kind != "text"


def test_a_new_customer_has_every_column_but_the_id() -> None:
    assert list(picks.NewCustomer._fields) == [column.name for column in TABLES["customers"][1:]]


def test_new_customers_come_from_both_regions_and_draws_follow_the_seed() -> None:
    rng = random.Random(1)
    assert {picks.new_customer(rng).region for _ in range(50)} == {1, 2}
    assert picks.new_customer(random.Random(7)) == picks.new_customer(random.Random(7))


def test_a_new_customers_numbers_take_every_digit_at_every_place_and_keep_their_length() -> None:
    least, most = picks.new_customer(Lowest()), picks.new_customer(Highest())
    assert (least.phone, least.creditcard) == ("0" * 10, "0" * 16)
    assert (most.phone, most.creditcard) == ("9" * 10, "9" * 16)

    rng = random.Random(1)
    drawn = [picks.new_customer(rng) for _ in range(2_000)]
    for numbers in ([each.phone for each in drawn], [each.creditcard for each in drawn]):
        for place in zip(*numbers, strict=True):
            counts = Counter(place)
            assert len(counts) == 10
            assert all(abs(count - 200) < 70 for count in counts.values())  # five standard deviations
