import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.workloads.dvdstore import people
from engine.workloads.dvdstore.customers import Customers
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.workloads.dvdstore.stores import SEEDS, sizes, texts

SHAPES = {
    "firstname": r"[A-Z]{6}",
    "lastname": r"[A-Z]{10}",
    "address1": r"[1-9][0-9]{3} [A-Z][a-z]+ [A-Z][a-z]+",
    "address2": r"",
    "city": r"[A-Z]{7}",
    "email": r"[a-z]{10}@example\.com",
    "phone": r"[0-9]{10}",
    "creditcard": r"[0-9]{16}",
    "creditcardexpiration": r"20(2[6-9]|30)/(0[1-9]|1[0-2])",
    "username": r"user[1-9][0-9]*",
    "password": r"password",
    "gender": r"[MF]",
}


@given(sizes(), SEEDS, st.data())
def test_values_are_in_the_workloads_ranges(size: DbSize, seed: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, size.customers - 1))
    rows = min(20, size.customers - first)
    columns = Customers(size, seed).columns(first, rows)
    assert columns["customerid"].tolist() == list(range(first + 1, first + rows + 1))
    assert texts(columns["username"]) == [f"user{number}" for number in range(first + 1, first + rows + 1)]
    for name, shape in SHAPES.items():
        assert [text for text in texts(columns[name]) if not re.fullmatch(shape, text)] == []
    assert set(columns["age"].tolist()) <= set(range(18, 91))
    assert set(columns["income"].tolist()) <= {20_000, 40_000, 60_000, 80_000, 100_000}
    assert set(columns["creditcardtype"].tolist()) <= {1, 2, 3, 4, 5}
    assert texts(columns["email"]) == [f"{name.lower()}@example.com" for name in texts(columns["lastname"])]


def test_the_first_half_lives_in_the_us_and_the_second_in_the_rest_of_the_world() -> None:
    size = DbSize(4, "MB")
    columns = Customers(size, 5).columns(0, size.customers)
    half = size.customers // 2
    assert columns["region"].tolist() == [1] * half + [2] * half
    assert set(texts(columns["country"])[:half]) == {"US"}
    assert set(texts(columns["country"])[half:]) == set(people.COUNTRIES)
    assert set(texts(columns["state"])[:half]) == set(people.STATES)
    assert set(texts(columns["state"])[half:]) == {""}
    assert columns["zip"][:half].min() >= 10_000
    assert columns["zip"][:half].max() <= 99_999
    assert not columns["zip"][half:].any()


def test_every_value_of_the_small_ranges_is_taken() -> None:
    columns = Customers(DbSize(10, "MB"), 5).columns(0, 20_000)
    assert set(columns["age"].tolist()) == set(range(18, 91))
    assert len(np.unique(columns["income"])) == 5
    assert len(np.unique(columns["creditcardtype"])) == 5
    assert len(np.unique(columns["creditcardexpiration"])) == 60
    assert len(np.unique(columns["gender"])) == 2
