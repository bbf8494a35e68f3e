"""The parameters that are made of a call's arguments: the compiled ones beside Python's, which define them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.databases.exchange.parameters import (
    Form,
    PlainParameters,
    Source,
    all_words,
    count,
    joined,
    members,
    plain,
    spread,
    words,
)

compiled = pytest.importorskip("engine.databases.exchange._exchange", reason="set up without a C compiler")

_NUMBERS = st.integers(-(2**40), 2**40)
_PAIRS = st.lists(st.tuples(_NUMBERS, _NUMBERS), max_size=3)


def made(sources: tuple[Source, ...], arguments: tuple[Any, ...]) -> Any:
    """What both make of the same arguments."""
    parameters = compiled.Parameters(*sources)(*arguments)
    assert parameters == PlainParameters(*sources)(*arguments)
    return parameters


@given(st.text(), st.text(), _NUMBERS)
def test_arguments_change_places_and_texts_are_joined(one: str, other: str, number: int) -> None:
    assert made((plain(2), joined(0, 1), plain(0)), (one, other, number)) == (number, f"{one} {other}", one)


@given(st.text(), st.text())
def test_words_match_the_regular_expressions_words(one: str, other: str) -> None:
    assert made((words(0, 1),), (one, other)) == (all_words(one, other),)


@pytest.mark.parametrize(
    ("texts", "search"),
    [
        (("SILVER", "HARBOR"), "+SILVER +HARBOR"),
        (("o'neill", '"'), "+o +neill"),
        (("-not", "(any* ~thing)"), "+not +any +thing"),
        (("pässwörd", "under_score"), "+pässwörd +under_score"),
        (("", "&"), ""),
    ],
)
def test_search_requires_all_words_and_has_no_operator(texts: tuple[str, str], search: str) -> None:
    assert made((words(0, 1),), texts) == (search,)


@given(_NUMBERS, _PAIRS)
def test_pairs_become_two_lists_or_a_run_of_parameters(number: int, pairs: list[tuple[int, int]]) -> None:
    sources = (plain(0), members(1, 0), members(1, 1), count(1), spread(1, length=6, width=2))
    first, ones, others, length, *run = made(sources, (number, pairs))
    assert (first, length) == (number, len(pairs))
    assert list(zip(ones, others, strict=True)) == pairs
    assert list(zip(run[::2], run[1::2], strict=True)) == pairs + [(0, 0)] * (3 - len(pairs))


@given(st.lists(_NUMBERS, max_size=4))
def test_a_list_becomes_a_run_of_parameters(numbers: list[int]) -> None:
    assert made((spread(0, length=4),), (numbers,)) == (*numbers, *[0] * (4 - len(numbers)))


@pytest.mark.parametrize("make", [compiled.Parameters, PlainParameters])
def test_a_list_that_is_too_long_is_an_error(make: Any) -> None:
    with pytest.raises(ValueError, match="a list of 3 is longer"):
        make(spread(0, length=2))([1, 2, 3])


@pytest.mark.parametrize(
    ("sources", "arguments"),
    [
        ((joined(0, 1),), ("one",)),
        ((joined(0, 1),), (b"one", "two")),
        ((words(0, 1),), ("one", None)),
        ((plain(1),), (1,)),
        ((members(0, 0),), (((1, 2),),)),
        ((members(0, 1),), ([(1, 2), (3,)],)),
        ((members(0, 1),), ([(1, 2), 3],)),
        ((count(0),), ((1, 2),)),
        ((spread(0, length=2),), ((1, 2),)),
        ((spread(0, length=4, width=2),), ([(1, 2), (3,)],)),
        ((plain(0), spread(0, length=4, width=2)), ([1, 2],)),
    ],
)
def test_other_arguments_are_refused(sources: tuple[Source, ...], arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        compiled.Parameters(*sources)(*arguments)


@pytest.mark.parametrize(
    "source",
    [
        (Form.PLAIN, 0, 0),
        (9, 0, 0, 1),
        (Form.PLAIN, -1, 0, 1),
        (Form.SPREAD, 0, 0, 3),
        (Form.SPREAD, 0, 1, 0),
        (Form.SPREAD, 0, 1, 2**20),
        ("plain", 0, 0, 1),
    ],
)
def test_what_is_no_source_makes_no_parameters(source: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        compiled.Parameters(source)
