import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.recovery.blackout import Blackout, ProbeBlackout, blackout_of, probe_blackouts
from engine.analysis.series.probes import ProbeSeries
from engine.telemetry.sample import ProbeSample

NAN = float("nan")


def found(*orders: float, begin: int = 0, end: int | None = None) -> Blackout:
    return blackout_of(np.array(orders, dtype=np.float64), 100, begin, len(orders) if end is None else end)


def test_blackout_has_longest_total_and_surrounding_orders() -> None:
    assert found(5, 0, 3, 0, 0, 0, 7, 0) == Blackout(
        longest_seconds=3, total_seconds=5, last_transaction_second=102, first_transaction_second=106
    )


def test_blackout_needs_a_second_without_orders() -> None:
    assert found(5, 1, 7) == found() == Blackout()


def test_blackout_excludes_unknown_seconds() -> None:
    assert found(5, 0, NAN, 0, 0, 4) == Blackout(
        longest_seconds=2, total_seconds=3, last_transaction_second=100, first_transaction_second=105
    )


def test_blackout_without_end_and_without_order_before() -> None:
    going_on = found(5, 0, 0)
    assert (going_on.last_transaction_second, going_on.first_transaction_second) == (100, None)
    assert found(0, 0, 5).last_transaction_second is None


def test_blackout_is_limited_to_the_given_places() -> None:
    assert found(0, 0, 5, 0, 5, 0, 0, 0, begin=2, end=5) == Blackout(
        longest_seconds=1, total_seconds=1, last_transaction_second=102, first_transaction_second=104
    )


@given(st.lists(st.sampled_from([0.0, 0.0, 3.0, NAN]), max_size=30))
def test_longest_blackout_equals_a_plain_loop(orders: list[float]) -> None:
    longest = run = 0
    for each in orders:
        run = run + 1 if each == 0 else 0
        longest = max(longest, run)

    assert found(*orders).longest_seconds == longest
    assert found(*orders).total_seconds == orders.count(0.0)


def probe(*seconds: str, first: int = 10) -> ProbeSeries:
    series = ProbeSeries()
    for second, slots in enumerate(seconds, first):
        series.add(ProbeSample(store=1, second=second, slots=slots))
    return series


UP, OUT = "wwwwwwwwww", "----------"


def test_probe_blackout_is_exact_to_a_tenth() -> None:
    probes = [(1, probe(UP, "wwww------", OUT, "---wwwwwww", UP))]

    assert probe_blackouts(probes, 11.3, 11, 15) == [
        ProbeBlackout(store=1, begins_at_seconds=11.4, longest_seconds=1.9, total_seconds=1.9, is_over=True)
    ]


def test_probe_blackout_includes_read_only_answers_and_may_be_open() -> None:
    going_on = probe_blackouts([(1, probe(UP, "www-------", "rrrrrrrrrr"))], 11.0, 11, 13)

    assert going_on == [
        ProbeBlackout(store=1, begins_at_seconds=11.3, longest_seconds=1.7, total_seconds=1.7, is_over=False)
    ]


def test_probe_blackouts_begin_with_that_of_the_worst_store() -> None:
    well, badly = probe(UP, UP, UP, UP), probe(UP, OUT, UP, UP)

    told = probe_blackouts([(1, well), (2, badly), (3, badly)], 11.0, 11, 14)
    assert [(each.store, each.longest_seconds) for each in told] == [(2, 1.0), (3, 1.0)]
    assert probe_blackouts([(1, well)], 11.0, 11, 14) == []
    assert probe_blackouts([], 11.0, 11, 14) == []


def test_probe_blackout_before_the_fault_is_ignored() -> None:
    assert probe_blackouts([(1, probe("w------www", UP))], 10.8, 10, 12) == []
