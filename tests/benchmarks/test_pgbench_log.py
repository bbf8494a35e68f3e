import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks.pgbench_log import Logged, logged, times_by_script, times_of


def test_the_wait_for_its_turn_is_no_response_time() -> None:
    assert logged("3 17 2412 1 1763735000 250000 412 0") == Logged(script=1, ended_at=1763735000.25, us=2000)


def test_a_failed_transaction_is_refused() -> None:
    with pytest.raises(ValueError, match="failed"):
        logged("3 17 failed 1 1763735000 250000 412 0")


def test_the_first_seconds_count_for_nobody() -> None:
    lines = ["0 1 9000 0 100 0 0 0", "0 2 1000 0 105 0 0 0", "0 3 3000 1 106 0 1000 0"]
    times = times_by_script(lines, ["a", "b"], 5.0)
    assert (times["a"].count, times["a"].mean_ms) == (1, 1.0)
    assert times["b"].p50_ms == 2.0


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=300))
def test_so_many_of_a_hundred_do_not_exceed_a_percentile(microseconds: list[int]) -> None:
    times = times_of(microseconds)
    for percent, value_ms in ((50, times.p50_ms), (99, times.p99_ms)):
        within = sum(each / 1000 <= value_ms for each in microseconds)
        below = sum(each / 1000 < value_ms for each in microseconds)
        assert within >= percent / 100 * len(microseconds) > below
