from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.series.blocks import block_of, samples_of
from engine.library.packing import block_values, counts_from, errors_from, histograms_from, seconds_from
from tests.doubles.samples import dvd_sample
from tests.engine.library.examples import SAMPLES, some_samples

HOUR = st.lists(SAMPLES, min_size=1, max_size=8).map(
    lambda drawn: [
        replace(each, client=2, second=7_200 + second)
        for second, each in zip(sorted({each.second % 3_600 for each in drawn}), drawn, strict=False)
    ]
)


def unpacked(values):
    seconds = seconds_from(values["first_second"], values["last_second"], values["seconds"])
    counts = counts_from(2, seconds, values["types"], values["counts"])
    histograms = histograms_from(2, seconds, values["histograms"], values["overdue"], values["others"])
    return counts, histograms, errors_from(values["errors"])


@given(HOUR)
def test_packed_samples_round_trip(samples):
    block = block_of(samples)
    counts, histograms, errors = unpacked(block_values(block))
    again = type(block)(counts=counts, histograms=histograms, errors=errors)
    assert list(samples_of(again)) == samples


def test_column_has_the_smallest_type_and_zeros_are_not_stored():
    samples = [
        dvd_sample(client=2, second=second, orders=200 * second, order_us=90_000 * second) for second in range(3)
    ]
    counts, _, _ = unpacked(block_values(block_of(samples)))
    assert {name: values.dtype.itemsize for name, values in counts.counts.items()} == {
        "covers": 1,
        "order.n": 2,
        "order.sum_us": 4,
    }


def test_seconds_are_kept_only_when_one_is_missing():
    whole = block_values(block_of(some_samples(clients=1, seconds=9)))
    holed = block_values(block_of([each for each in some_samples(clients=1, seconds=9) if each.second != 4]))
    assert whole["seconds"] is None
    assert seconds_from(0, 8, holed["seconds"]).tolist() == [0, 1, 2, 3, 5, 6, 7, 8]


def test_packed_hour_is_a_fraction_of_its_raw_size():
    values = block_values(block_of(some_samples(clients=1, seconds=3_600)))
    assert len(values["counts"]) < 3_600 * 8
    assert len(values["histograms"]) < 3_600 * 8


def test_block_without_schedule_has_no_overdue_histograms():
    values = block_values(block_of([dvd_sample(client=2, second=second) for second in range(3)]))
    assert values["overdue"] is None
    assert unpacked(values)[1].overdue is None


def test_empty_overdue_histograms_are_small():
    values = block_values(block_of([dvd_sample(client=2, second=second, overdue=b"") for second in range(3_600)]))
    assert len(values["overdue"]) < 100


def test_negative_count_is_rejected():
    with pytest.raises(ValueError, match="below zero"):
        block_values(block_of([dvd_sample(client=2, second=0, orders=-1)]))


def test_a_count_of_a_newer_version_is_refused():
    types = '{"transactions": [], "columns": {"refunds": "|u1"}}'
    values = block_values(block_of([dvd_sample(client=1, second=0)]))
    with pytest.raises(ValueError, match="'refunds', which this version doesn't know"):
        counts_from(1, np.arange(1), types, values["counts"])
