"""Orders by second and response time, in logarithmic steps."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.latency.grid import STEPS, LatencyGrid, edges_ms, step_counts
from engine.analysis.latency.percentiles import merged
from engine.analysis.latency.second_percentiles import second_times
from engine.histogram import BUCKETS, pack, value_of
from tests.engine.analysis.latency.test_second_percentiles import CLIENTS, a_block


@given(st.dictionaries(st.integers(0, BUCKETS - 1), st.integers(1, 60_000), min_size=1, max_size=8))
def test_every_order_falls_into_the_step_of_its_time(counts: dict[int, int]) -> None:
    steps = step_counts(merged([pack(counts)]))
    expected = np.zeros(STEPS, dtype=int)
    for bucket, count in counts.items():
        step = int(np.searchsorted(edges_ms(), value_of(bucket) / 1_000, side="right")) - 1
        expected[min(max(step, 0), STEPS - 1)] += count
    assert steps.tolist() == expected.tolist()


def test_the_steps_are_even_on_a_logarithmic_scale() -> None:
    edges = edges_ms()
    np.testing.assert_allclose(edges[1:] / edges[:-1], 10 ** (1 / 20))
    assert (edges[0], edges[20], edges[-1]) == (0.1, 1.0, 100_000)


@given(CLIENTS)
def test_grid_of_a_stored_run_equals_the_live_one(clients: list[dict[int, dict[int, int]]]) -> None:
    blocks = [a_block(number, each) for number, each in enumerate(clients, start=1)]
    steps = second_times(blocks, 0, 401).steps
    assert steps.shape == (401, STEPS)
    for second in {second for each in clients for second in each} | {0, 127, 128, 400}:
        counts = merged(pack(each[second]) for each in clients if second in each)
        assert steps[second].tolist() == step_counts(counts).tolist()


def test_seconds_are_set_in_any_order_and_added_up() -> None:
    grid = LatencyGrid()
    row = np.arange(STEPS, dtype=np.int64)
    grid.put(2_000, np.stack([row, 2 * row]))
    grid.put(5, row[np.newaxis])
    grid.put(2_000, 3 * row[np.newaxis])
    assert grid.seconds == 2_002
    assert grid.between(5, 6).tolist() == [row.tolist()]
    assert grid.between(100, 200).sum() == 0
    assert grid.sum(0, 3_000).tolist() == (6 * row).tolist()


def test_grid_counts_saturate() -> None:
    grid = LatencyGrid()
    grid.put(0, np.full((1, STEPS), 70_000))
    assert grid.between(0, 1).max() == 65_535
