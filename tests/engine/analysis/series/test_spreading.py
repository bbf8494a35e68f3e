"""Counts of several seconds, laid over them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.series.rates import Spans


@given(st.integers(0, 10**12), st.integers(1, 100))
def test_a_count_is_spread_as_evenly_as_whole_numbers_can_be(value: int, covers: int) -> None:
    spans = Spans(np.array([500]), np.array([covers]))

    parts = spans.spread(np.array([value]))

    assert len(parts) == covers
    assert int(parts.sum()) == value
    assert int(parts.max() - parts.min()) <= 1


def test_each_sample_covers_the_seconds_that_end_with_its_own() -> None:
    spans = Spans(np.array([1, 4, 5]), np.array([10, 3, 1]))

    assert spans.seconds.tolist() == [0, 1, 2, 3, 4, 5]
    assert spans.spread(np.array([7, 6, 9])).tolist() == [3, 4, 2, 2, 2, 9]
    assert spans.hold(np.array([7, 6, 9])).tolist() == [7, 7, 6, 6, 6, 9]
