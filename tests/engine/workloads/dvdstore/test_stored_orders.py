from decimal import Decimal

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.workloads.dvdstore.stored_orders import HistorySums, prices_by_product, unpacked_lines


@given(
    st.integers(0, 2**31 - 1 - 2**16),
    st.lists(
        st.tuples(st.integers(1, 2**16), st.integers(0, 2**24 - 1), st.integers(0, 255), st.integers(0, 2047)),
        max_size=20,
    ),
)
def test_what_is_packed_as_the_scripts_say_comes_back(after: int, lines: list[tuple[int, int, int, int]]) -> None:
    numbers = [
        distance * 8_796_093_022_208 + product * 524_288 + number * 2_048 + quantity
        for distance, product, number, quantity in lines
    ]
    assert all(number < 2**63 for number in numbers)
    found = unpacked_lines(np.array(numbers, dtype=np.int64), after)
    expected = [(after + distance, number, quantity, product) for distance, product, number, quantity in lines]
    assert [tuple(line) for line in found.tolist()] == expected


def test_prices_are_found_by_product_and_a_gap_is_0() -> None:
    assert prices_by_product([(4, 2999), (1, 999)]).tolist() == [0, 999, 0, 0, 2999]
    assert prices_by_product([]).tolist() == [0]


def test_history_sums_are_whole_numbers_however_large_and_whatever_the_driver_makes_of_them() -> None:
    found = HistorySums.of((3, "36", Decimal(2**70), Decimal(17)))
    assert found == HistorySums(rows=3, orders=36, orders_by_product=2**70, customers_by_product=17)
