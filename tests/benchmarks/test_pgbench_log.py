from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks.pgbench_log import Logged, named, times_of, within

_LINES = ["0 1 9000 0 100 0 0", "1 1 500 0 100 900000 0", "0 2 1000 0 105 0 0", "1 2 3000 0 106 500000 2"]


def test_each_client_uses_its_own_names() -> None:
    logged = named(_LINES, lambda client: cycle(["a", "b"] if client == 0 else ["c", "d"]))
    assert logged == [
        Logged(client=0, name="a", us=9000, ended_at=100.0),
        Logged(client=1, name="c", us=500, ended_at=100.9),
        Logged(client=0, name="b", us=1000, ended_at=105.0),
        Logged(client=1, name="d", us=3000, ended_at=106.5),
    ]


def test_a_span_holds_what_ended_in_it() -> None:
    logged = named(_LINES, lambda _: cycle(["a"]))
    assert [each.ended_at for each in within(logged, 100.9, 106.5)] == [100.9, 105.0]


@pytest.mark.parametrize("span", [(99.0, 106.0), (101.0, 107.0)])
def test_a_span_that_the_log_does_not_cover_is_refused(span: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="counted seconds"):
        within(named(_LINES, lambda _: cycle(["a"])), *span)


def test_a_failed_transaction_is_refused() -> None:
    with pytest.raises(ValueError, match="failed"):
        named(["3 17 failed 1 1763735000 250000 0"], lambda _: cycle(["a"]))


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=300))
def test_so_many_of_a_hundred_do_not_exceed_a_percentile(microseconds: list[int]) -> None:
    times = times_of(microseconds)
    for percent, value_ms in ((50, times.p50_ms), (99, times.p99_ms)):
        within = sum(each / 1000 <= value_ms for each in microseconds)
        below = sum(each / 1000 < value_ms for each in microseconds)
        assert within >= percent / 100 * len(microseconds) > below
