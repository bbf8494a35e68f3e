"""Percentiles of many seconds at once: they are those of each second's merged histograms."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.latency.percentiles import merged, percentile_ms
from engine.analysis.latency.second_percentiles import second_percentiles, second_times
from engine.analysis.series.blocks import HistogramBlock, histograms_of
from engine.histogram import BUCKETS, pack

HISTOGRAMS = st.dictionaries(st.integers(0, BUCKETS - 1), st.integers(1, 200_000), max_size=5)
CLIENTS = st.lists(st.dictionaries(st.integers(0, 400), HISTOGRAMS, min_size=1, max_size=8), min_size=1, max_size=3)
PERCENTS = (50, 95, 99)


def a_block(client: int, by_second: dict[int, dict[int, int]]) -> HistogramBlock:
    seconds = sorted(by_second)
    return histograms_of(client, np.array(seconds, dtype=np.int64), [pack(by_second[each]) for each in seconds])


@given(CLIENTS)
def test_second_percentiles_equal_those_of_merged_histograms(clients: list[dict[int, dict[int, int]]]) -> None:
    blocks = [a_block(number, each) for number, each in enumerate(clients, start=1)]
    times = second_percentiles(blocks, 0, 401, PERCENTS)
    assert times.shape == (3, 401)
    for second in {second for each in clients for second in each} | {0, 127, 128, 400}:
        counts = merged(pack(each[second]) for each in clients if second in each)
        expected = [percentile_ms(counts, percent) for percent in PERCENTS]
        assert [None if np.isnan(time) else time for time in times[:, second]] == expected


def test_only_the_asked_seconds_are_given() -> None:
    block = a_block(1, {3600: {4000: 1}, 3601: {5000: 1}, 3700: {100: 1}})
    times = second_percentiles([block], 3600, 3602, (95,))
    assert times.shape == (1, 2)
    assert not np.isnan(times).any()


@given(CLIENTS, CLIENTS)
def test_intended_percentiles_include_overdue_orders(
    clients: list[dict[int, dict[int, int]]], late: list[dict[int, dict[int, int]]]
) -> None:
    blocks = [a_block(number, each) for number, each in enumerate(clients, start=1)]
    lately = [a_block(number, each) for number, each in enumerate(late, start=1)]
    both = [replace(block, overdue=other) for block, other in zip(blocks, lately, strict=False)]

    times = second_times(both, 0, 401)

    assert times.intended is not None
    np.testing.assert_array_equal(times.service, second_percentiles(both, 0, 401, PERCENTS))
    expected = second_percentiles([*both, *lately[: len(both)]], 0, 401, PERCENTS)
    np.testing.assert_array_equal(times.intended, expected)


def test_blocks_without_a_schedule_have_no_times_as_intended() -> None:
    block = a_block(1, {0: {1: 1}})
    assert second_times([block], 0, 1).intended is None
    scheduled = second_times([replace(block, overdue=a_block(1, {0: {}}))], 0, 1)
    assert scheduled.intended is not None
    assert scheduled.intended.tolist() == scheduled.service.tolist()


def test_empty_span_has_no_columns() -> None:
    assert second_percentiles([a_block(1, {0: {1: 1}})], 5, 5, PERCENTS).shape == (3, 0)


def test_times_as_intended_are_of_the_other_types_of_transactions_too() -> None:
    block = replace(
        a_block(1, {0: {100: 10}}),
        overdue=a_block(1, {0: {}}),
        others={"payment": a_block(1, {0: {900: 90}}), "login": a_block(1, {0: {5_000: 900}})},
    )
    found = second_times([block], 0, 1, others={"payment"})
    assert found.intended is not None
    assert found.service[:, 0].tolist() == [percentile_ms(merged([pack({100: 1})]), 50)] * 3
    assert found.intended[:, 0].tolist() == [percentile_ms(merged([pack({900: 1})]), 50)] * 3
