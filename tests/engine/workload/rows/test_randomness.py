import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.workload.rows.randomness import GOLDEN_GAMMA, Stream, below, mixed, split
from tests.engine.workloads.dvdstore.stores import SEEDS

WORDS = st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20)


def test_numbers_are_splitmix64s_published_ones() -> None:
    state = np.arange(1, 6, dtype=np.uint64) * GOLDEN_GAMMA + np.full(5, 1_234_567, dtype=np.uint64)
    assert mixed(state).tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(SEEDS, st.integers(0, 2**40), st.integers(1, 50), st.integers(0, 49))
def test_a_number_depends_on_its_index_alone(seed: int, first: int, count: int, at: int) -> None:
    stream = Stream(seed, "orders.netamount")
    alone = stream.words(first + at, 1)[0]
    assert stream.words(first, at + count)[at] == alone
    assert stream.words_at(np.array([first + at], dtype=np.uint64))[0] == alone


def test_streams_differ_by_seed_and_by_name() -> None:
    streams = [Stream(1, "a"), Stream(2, "a"), Stream(1, "b"), Stream(11, ""), Stream(2**63 - 1, "a")]
    assert len({number for stream in streams for number in stream.words(0, 100).tolist()}) == 500


@given(WORDS, st.integers(1, 2**32))
def test_below_is_the_upper_half_of_the_product(words: list[int], limit: int) -> None:
    expected = [word * limit >> 64 for word in words]
    numbers = np.array(words, dtype=np.uint64)
    assert below(numbers, limit).tolist() == expected
    assert below(numbers, np.full(len(words), limit, dtype=np.uint64)).tolist() == expected


@given(WORDS, st.sampled_from([(26, 7), (676, 6), (676, 5), (10_000, 4), (10_000, 3), (2, 1)]))
def test_split_spells_each_half_in_the_base(words: list[int], shape: tuple[int, int]) -> None:
    base, count = shape
    parts = [part.tolist() for part in split(np.array(words, dtype=np.uint64), base, count)]
    assert len(parts) == count
    of_upper = (count + 1) // 2
    for at, word in enumerate(words):
        digits = [part[at] for part in parts]
        for half, spelled in ((word >> 32, digits[:of_upper]), (word % 2**32, digits[of_upper:])):
            number = sum(digit * base**place for place, digit in enumerate(reversed(spelled)))
            assert number == half * base ** len(spelled) >> 32


def test_small_ranges_are_filled_evenly() -> None:
    counts = np.bincount(Stream(7, "lines").below(9, 10**9, 90_000))
    assert len(counts) == 9
    assert abs(counts - 10_000).max() < 500
