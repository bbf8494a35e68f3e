from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from engine.histogram import BUCKETS, LARGEST_US, bucket_of, merge, pack, percentile_us, unpack, value_of

TIMES_US = st.one_of(st.integers(0, 4_096), st.integers(0, LARGEST_US))
COUNTS = st.dictionaries(st.integers(0, BUCKETS - 1), st.integers(1, 200_000), max_size=20)


@given(microseconds=TIMES_US)
def test_a_value_is_known_to_a_thousandth(microseconds: int) -> None:
    bucket = bucket_of(microseconds)
    assert 0 <= bucket < BUCKETS
    assert abs(value_of(bucket) - microseconds) <= microseconds / 1_000


@given(first=TIMES_US, second=TIMES_US)
def test_buckets_keep_the_order(first: int, second: int) -> None:
    low, high = sorted((first, second))
    assert bucket_of(low) <= bucket_of(high)


@given(bucket=st.integers(0, BUCKETS - 1))
def test_a_buckets_middle_lies_in_it(bucket: int) -> None:
    assert bucket_of(int(value_of(bucket))) == bucket


def test_values_out_of_range_count_in_the_outer_buckets() -> None:
    assert bucket_of(-5) == 0
    assert bucket_of(LARGEST_US) == bucket_of(LARGEST_US + 1) == bucket_of(2**63) == BUCKETS - 1


@given(counts=COUNTS)
def test_packing_loses_nothing(counts: dict[int, int]) -> None:
    assert unpack(pack(counts)) == counts


@given(counts=COUNTS)
def test_equal_histograms_are_equal_bytes(counts: dict[int, int]) -> None:
    assert pack(dict(reversed(counts.items()))) == pack(counts)


def test_bytes_are_pairs_of_16_bit_numbers_and_empty_buckets_take_none() -> None:
    assert pack({7: 0}) == b""
    assert pack({1: 2, 0x0203: 4}) == b"\x01\x00\x02\x00\x03\x02\x04\x00"
    assert len(pack({1: 65_535})) == 4
    assert len(pack({1: 65_536})) == 8


@given(histograms=st.lists(COUNTS, max_size=5))
def test_merged_counts_are_the_sums(histograms: list[dict[int, int]]) -> None:
    expected: Counter[int] = Counter()
    for histogram in histograms:
        expected.update(histogram)
    assert merge(histograms) == expected


@given(histograms=st.lists(COUNTS, max_size=5))
def test_packed_histograms_merge_by_being_put_together(histograms: list[dict[int, int]]) -> None:
    assert unpack(b"".join(pack(each) for each in histograms)) == merge(histograms)


@given(st.lists(st.integers(0, 1023), min_size=1, max_size=200), st.integers(0, 100))
def test_a_percentile_is_the_smallest_value_that_so_many_do_not_exceed(values: list[int], percent: int) -> None:
    found = percentile_us(Counter(values), percent)
    assert found in values
    not_above = sum(value <= found for value in values)
    below = sum(value < found for value in values)
    assert not_above * 100 >= percent * len(values)
    assert below == 0 or below * 100 < percent * len(values)


def test_percentile_of_an_empty_histogram_is_none() -> None:
    assert percentile_us({}, 99) is None
    assert percentile_us({bucket_of(50_000): 7}, 50) == value_of(bucket_of(50_000))
