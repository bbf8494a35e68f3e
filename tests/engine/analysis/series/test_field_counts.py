"""Counts by row and second, against a plain list of lists."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.series.field_counts import CHUNK_SECONDS, FieldCounts

ROWS = 2
ROOM = 4 * CHUNK_SECONDS
SECONDS = st.integers(0, ROOM - 1)
ADDED = st.lists(st.tuples(st.integers(0, ROWS - 1), SECONDS, st.integers(0, 2**33)), max_size=12)


@given(ADDED, ADDED, SECONDS, SECONDS, st.integers(0, ROOM // 2))
def test_sums_do_not_depend_on_how_values_were_added(
    singly: list[tuple[int, int, int]],
    scattered: list[tuple[int, int, int]],
    first: int,
    end: int,
    span_from: int,
) -> None:
    plain = np.zeros((ROWS, ROOM), dtype=np.int64)
    counts = FieldCounts(ROWS, ROOM)
    for row, second, value in singly:
        counts.add(row, second, value)
        plain[row, second] += value
    for row in range(ROWS):
        mine = [(second, value) for each, second, value in scattered if each == row]
        if mine:
            seconds, values = (np.array(each) for each in zip(*mine, strict=True))
            counts.add_all(row, seconds, values)
        for second, value in mine:
            plain[row, second] += value
    span = np.arange(ROOM // 2, dtype=np.uint64)
    counts.add_span(1, span_from, span)
    plain[1, span_from : span_from + len(span)] += span.astype(np.int64)

    for rows in (slice(None), slice(0, 1), slice(1, 2)):
        assert counts.sum(rows, first, end) == int(plain[rows, first:end].sum())
        np.testing.assert_array_equal(counts.values(rows, first, end), plain[rows, first:end])


@given(ADDED)
def test_growing_keeps_values(added: list[tuple[int, int, int]]) -> None:
    counts = FieldCounts(ROWS, ROOM)
    for row, second, value in added:
        counts.add(row, second, value)
    before = counts.values(slice(None), 0, ROOM).tolist()

    counts.grow(2 * ROOM, ROOM)
    counts.add(0, 2 * ROOM - 1, 5)

    assert counts.values(slice(None), 0, ROOM).tolist() == before
    assert counts.sum(slice(None), 0, 2 * ROOM) == sum(value for _, _, value in added) + 5
    assert counts.at(0, 2 * ROOM - 1) == 5
