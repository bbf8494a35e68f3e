import pytest

from tests.benchmarks.driven import Cpu
from tests.benchmarks.pgbench import Second, Seen, orders_between, progress_of, span_from


def test_progress_with_retries_is_read() -> None:
    line = "progress: 1763735000.250 s, 1034.2 tps, lat 7.731 ms stddev 3.020, 1 failed, 3 retried, 4 retries\n"
    assert progress_of(line) == Second(ended_at=1763735000.25, orders_per_second=1034.2, failed=1, retries=4)


def test_progress_with_a_rate_limit_is_read() -> None:
    line = "progress: 5.0 s, 99.0 tps, lat 1.1 ms stddev 0.2, lag 0.052 ms, 0 failed, 0 retried, 0 retries\n"
    assert progress_of(line) == Second(ended_at=5.0, orders_per_second=99.0, failed=0, retries=0)


def test_a_second_without_orders_is_read() -> None:
    line = "progress: 2.0 s, 0.0 tps, lat -nan ms stddev -nan, 0 failed, 0 retried, 0 retries\n"
    second = progress_of(line)
    assert second is not None
    assert second.orders_per_second == 0.0


@pytest.mark.parametrize("line", ["", "tps = 1034.2 (without initial connection time)", "pgbench (18.6)"])
def test_other_lines_are_no_progress(line: str) -> None:
    assert progress_of(line) is None


def _seen(ended_at: float, rate: float) -> Seen:
    second = Second(ended_at=ended_at, orders_per_second=rate, failed=0, retries=0)
    return Seen(second=second, cpu=Cpu(user=0.0, system=0.0))


def test_orders_are_counted_after_the_first_second_by_true_lengths() -> None:
    assert orders_between([_seen(1.0, 9_999.0), _seen(2.5, 100.0), _seen(3.5, 80.0)]) == 150 + 80


def test_a_span_begins_with_the_end_of_a_second() -> None:
    seen = [_seen(1.0, 1.0), _seen(2.0, 2.0), _seen(3.0, 3.0)]
    assert span_from(seen, 1.5) == seen[1:]
