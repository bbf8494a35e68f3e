"""Percentiles of merged histograms against the response times themselves."""

from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.latency.percentiles import PERCENTILES, mean_ms, merged, no_counts, percentile_ms, percentiles_ms
from engine.histogram import bucket_of, merge, pack

TIMES_US = st.integers(0, 100_000_000)
HISTOGRAMS = st.dictionaries(st.integers(0, 12_287), st.integers(1, 200_000), max_size=20)
# Half a bucket is 0.1 per cent at most; the figure is then rounded to four digits.
PRECISION = 0.0016


def packed(times_us: list[int]) -> bytes:
    counts: dict[int, int] = {}
    for time_us in times_us:
        counts[bucket_of(time_us)] = counts.get(bucket_of(time_us), 0) + 1
    return pack(counts)


@given(st.lists(TIMES_US, min_size=1, max_size=300), st.sampled_from([0.1, 1, 50, 95, 99, 99.9, 100]))
def test_a_percentile_is_numpys_nearest_rank_within_a_bucket(times_us: list[int], percent: float) -> None:
    expected_ms = float(np.percentile(times_us, percent, method="inverted_cdf")) / 1000

    assert percentile_ms(merged([packed(times_us)]), percent) == pytest.approx(expected_ms, rel=PRECISION)


@given(st.lists(TIMES_US, min_size=1, max_size=100))
def test_percentiles_never_fall(times_us: list[int]) -> None:
    counts = merged([packed(times_us)])

    values = [percentile_ms(counts, percent) for percent in PERCENTILES]

    assert values == sorted(values)  # type: ignore[type-var]


def test_no_percentile_exceeds_the_longest_time_where_that_was_recorded() -> None:
    times_us = [1_000, 25_218]  # the middle of the second bucket is 25.2315
    counts = merged([packed(times_us)])
    assert percentile_ms(counts, 95) == 25.23
    assert percentiles_ms(counts, (50, 95, 99), longest_us=max(times_us)) == [1.0, 25.218, 25.218]


@given(st.lists(TIMES_US, min_size=1, max_size=100))
def test_percentiles_up_to_the_longest_time_never_fall(times_us: list[int]) -> None:
    found = percentiles_ms(merged([packed(times_us)]), (50, 95, 99, 100), longest_us=max(times_us))
    values = [*found, max(times_us) / 1000]
    assert values == sorted(values)  # type: ignore[type-var]


def test_the_percentiles_of_one_to_a_hundred_milliseconds() -> None:
    counts = merged([packed([milliseconds * 1000 for milliseconds in range(1, 101)])])

    assert [percentile_ms(counts, percent) for percent in PERCENTILES] == pytest.approx([50, 95, 99], rel=PRECISION)


def test_percentile_without_orders_is_none() -> None:
    assert percentile_ms(no_counts(), 50) is None
    assert percentile_ms(merged([]), 99) is None
    assert percentile_ms(merged([b""]), 99) is None


@given(st.lists(HISTOGRAMS, max_size=6))
def test_merging_adds_every_bucket_up(histograms: list[dict[int, int]]) -> None:
    counts = merged(pack(histogram) for histogram in histograms)

    expected = merge(histograms)
    assert {int(bucket): int(counts[bucket]) for bucket in np.flatnonzero(counts)} == expected


@given(st.lists(HISTOGRAMS, min_size=3, max_size=3))
def test_it_does_not_matter_in_which_order_histograms_are_merged(histograms: list[dict[int, int]]) -> None:
    first, second, third = (pack(histogram) for histogram in histograms)

    at_once = merged([third, first, second])

    assert np.array_equal(at_once, merged([first, second]) + merged([third]))
    assert np.array_equal(at_once, merged([first]) + merged([second, third]))


@given(st.lists(st.lists(TIMES_US, max_size=20), max_size=5))
def test_the_percentile_of_seconds_is_that_of_all_their_orders(seconds: list[list[int]]) -> None:
    everything = reduce(lambda one, other: one + other, seconds, [])

    assert percentile_ms(merged(map(packed, seconds)), 95) == percentile_ms(merged([packed(everything)]), 95)


@given(st.lists(TIMES_US, min_size=1, max_size=100))
def test_mean_is_exact_to_the_microsecond(times_us: list[int]) -> None:
    exact_ms = sum(times_us) / len(times_us) / 1000

    assert mean_ms(sum(times_us), len(times_us)) == pytest.approx(exact_ms, abs=0.000501)


def test_mean_without_orders_is_none() -> None:
    assert mean_ms(0, 0) is None


@given(st.lists(TIMES_US, max_size=50))
def test_several_percentiles_are_those_of_each(times_us: list[int]) -> None:
    counts = merged([packed(times_us)])

    assert percentiles_ms(counts, PERCENTILES) == [percentile_ms(counts, percent) for percent in PERCENTILES]
