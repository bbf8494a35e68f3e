import numpy as np
import pytest

from engine.workload.rows import texts as spelled
from engine.workload.rows.randomness import Stream
from tests.engine.workloads.dvdstore.stores import texts

LOWEST_AND_HIGHEST = np.array([0, 2**64 - 1], dtype=np.uint64)


@pytest.mark.parametrize("length", [1, 6, 7, 10, 12])
def test_capitals_fill_their_length(length: int) -> None:
    assert texts(spelled.capitals(LOWEST_AND_HIGHEST, length)) == ["A" * length, "Z" * length]
    many = texts(spelled.capitals(Stream(1, "names").words(0, 5_000), length))
    assert {len(text) for text in many} == {length}
    for place in range(length):
        assert {text[place] for text in many} == set("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


@pytest.mark.parametrize("length", [1, 4, 10, 16])
def test_digits_fill_their_length(length: int) -> None:
    assert texts(spelled.digits(LOWEST_AND_HIGHEST, length)) == ["0" * length, "9" * length]
    many = texts(spelled.digits(Stream(1, "cards").words(0, 2_000), length))
    for place in range(length):
        assert {text[place] for text in many} == set("0123456789")


def test_four_digits_keep_leading_zeros() -> None:
    assert texts(spelled.four_digits(np.array([0, 7, 1_234, 9_999]))) == ["0000", "0007", "1234", "9999"]


def test_parts_stand_side_by_side_and_only_the_last_may_be_short() -> None:
    joined = spelled.joined_columns(
        np.array(["12", "34"], dtype="S2"), b"-", np.array(["a", "long"], dtype="S4"), rows=2
    )
    assert texts(joined) == ["12-a", "34-long"]
    assert joined.dtype == np.dtype("S7")
