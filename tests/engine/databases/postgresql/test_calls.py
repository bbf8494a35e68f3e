"""The parameters that are made of a call's arguments: the compiled way's beside Python's, which define them."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.databases.postgresql.calls import plain_purchase_values, plain_two_words_values

compiled = pytest.importorskip("engine.databases.postgresql._exchange", reason="set up without a C compiler")

_NUMBERS = st.integers(-(2**40), 2**40)


@given(st.text(), st.text(), _NUMBERS)
def test_the_words_of_a_search_are_one_text(word: str, other_word: str, batch_size: int) -> None:
    values = compiled.two_words_values(word, other_word, batch_size)
    assert values == plain_two_words_values(word, other_word, batch_size) == (word + " " + other_word, batch_size)


@given(_NUMBERS, st.lists(st.tuples(_NUMBERS, _NUMBERS)), _NUMBERS, _NUMBERS, _NUMBERS)
def test_the_lines_of_a_purchase_become_two_lists(
    customer: int, lines: list[tuple[int, int]], net: int, tax: int, total: int
) -> None:
    values = compiled.purchase_values(customer, lines, net, tax, total)
    assert values == plain_purchase_values(customer, lines, net, tax, total)
    assert list(zip(values[1], values[2], strict=True)) == lines


@pytest.mark.parametrize(
    ("make", "arguments"),
    [
        (compiled.two_words_values, ("one", "two")),
        (compiled.two_words_values, (b"one", "two", 3)),
        (compiled.two_words_values, ("one", None, 3)),
        (compiled.purchase_values, (1, [], 2, 3)),
        (compiled.purchase_values, (1, ((1, 2),), 2, 3, 4)),
        (compiled.purchase_values, (1, [(1, 2), (3,)], 2, 3, 4)),
        (compiled.purchase_values, (1, [(1, 2), 3], 2, 3, 4)),
    ],
)
def test_other_arguments_are_refused(make: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        make(*arguments)
