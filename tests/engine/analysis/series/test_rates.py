"""Counts by client and second, recomputed by plain loops over the samples."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.headline import headline_of
from engine.analysis.series.rates import FIELDS, Series
from engine.telemetry.sample import Count, CountNames, Sample
from tests.doubles.samples import dvd_sample, number
from tests.engine.analysis.samples import CLIENTS, SECONDS, blocks, runs, sample

OPM = headline_of("dvdstore")
BOUNDS = st.integers(0, SECONDS + 3)
WHO = st.one_of(st.none(), st.integers(1, CLIENTS))


def orders_by_second(samples: list[Sample], client: int | None) -> dict[int, int]:
    """The orders of every known second."""
    known: dict[int, int] = {}
    for each in samples:
        if client in (None, each.client):
            known[each.second] = known.get(each.second, 0) + each.of("order").n
    return known


@given(runs(), BOUNDS, BOUNDS, WHO)
def test_a_count_is_the_sum_over_the_seconds_asked_for(
    samples: list[Sample], first: int, end: int, client: int | None
) -> None:
    series = Series.of(CLIENTS, samples)

    for name, word in {"order.n": "orders", "rollbacks": "rollbacks", "login.sum_us": "login_us"}.items():
        expected = sum(
            number(each, word) for each in samples if first <= each.second < end and client in (None, each.client)
        )
        assert series.count(name, client=client, first=first, end=end) == expected


@given(runs(), BOUNDS, BOUNDS, WHO)
def test_the_largest_is_that_of_any_second(samples: list[Sample], first: int, end: int, client: int | None) -> None:
    inside = [each for each in samples if first <= each.second < end and client in (None, each.client)]
    times = [each.of("order").max_us for each in inside]

    found = Series.of(CLIENTS, samples).largest("order.max_us", client=client, first=first, end=end)

    assert found == max(times, default=0)


@given(runs(), WHO)
def test_a_second_without_a_sample_is_unknown_and_one_without_orders_is_zero(
    samples: list[Sample], client: int | None
) -> None:
    series = Series.of(CLIENTS, samples)
    known = orders_by_second(samples, client)

    found = series.by_second("order.n", client)

    assert len(found) == series.seconds == max((each.second + 1 for each in samples), default=0)
    for second, value in enumerate(found):
        assert math.isnan(value) if second not in known else value == known[second]


@given(runs())
def test_the_largest_of_a_second_is_that_of_any_client(samples: list[Sample]) -> None:
    largest: dict[int, int] = {}
    for each in samples:
        largest[each.second] = max(largest.get(each.second, 0), each.of("order").max_us)
    found = Series.of(CLIENTS, samples).largest_by_second("order.max_us")
    assert {second: int(value) for second, value in enumerate(found) if not math.isnan(value)} == largest


@given(runs(), BOUNDS, BOUNDS, WHO)
def test_opm_running_is_the_floor_of_sixty_times_orders_by_seconds(
    samples: list[Sample], measuring_from: int, end: int, client: int | None
) -> None:
    opm = Series.of(CLIENTS, samples).running(OPM, measuring_from, end, client)

    if end <= measuring_from:
        assert opm is None
    else:
        orders = sum(
            count for second, count in orders_by_second(samples, client).items() if measuring_from <= second < end
        )
        assert opm == math.floor(60 * orders / (end - measuring_from))


@given(runs(), BOUNDS, BOUNDS, st.integers(1, SECONDS), WHO)
def test_the_window_is_the_mean_of_its_known_seconds(
    samples: list[Sample], begin: int, end: int, window_seconds: int, client: int | None
) -> None:
    known = orders_by_second(samples, client)
    inside = [count for second, count in known.items() if max(begin, end - window_seconds) <= second < end]

    found = Series.of(CLIENTS, samples).window(OPM, end, window_seconds, client, not_before=begin)

    if inside:
        assert found == pytest.approx(60 * sum(inside) / len(inside))
    else:
        assert found is None


@given(runs(), BOUNDS, BOUNDS, st.integers(1, SECONDS), WHO)
def test_the_peak_is_the_best_full_window(
    samples: list[Sample], first: int, end: int, window_seconds: int, client: int | None
) -> None:
    series = Series.of(CLIENTS, samples)
    known = orders_by_second(samples, client)
    seconds = list(range(first, min(end, series.seconds)))
    window = min(window_seconds, len(seconds))

    found = series.peak(OPM, first, end, window_seconds, client)

    if not seconds:
        assert found is None
    else:
        sums = [
            sum(known.get(second, 0) for second in seconds[begin : begin + window])
            for begin in range(len(seconds) - window + 1)
        ]
        assert found == math.floor(60 * max(sums) / window)


def test_the_latest_users_are_those_of_each_clients_last_known_second() -> None:
    series = Series.of(
        2,
        [
            sample(1, 0, [], working=4),
            sample(1, 1, [], working=3, thinking=1),
            sample(2, 0, [], working=2),
        ],
    )

    assert series.latest("working") == 3 + 2
    assert series.latest("thinking") == 1
    assert series.latest("working", 2) == 2
    assert Series(2).latest("working") == 0


def test_counts_over_several_seconds_are_spread_and_levels_hold_for_each() -> None:
    reported = dvd_sample(client=1, second=9, covers=10, orders=25, order_us_max=40_000, working=8)

    series = Series.of(1, [reported])

    assert series.by_second("order.n").tolist() == [2, 3] * 5
    assert series.by_second("working").tolist() == [8] * 10
    assert series.largest("order.max_us") == 40_000
    assert series.latest("working") == 8


def test_a_report_that_covers_more_than_there_was_begins_at_the_start() -> None:
    series = Series.of(1, [dvd_sample(client=1, second=1, covers=10, orders=7)])

    assert series.by_second("order.n").tolist() == [3, 4]


def test_a_run_of_hours_keeps_every_second() -> None:
    series = Series(2)
    for second in range(0, 7_200, 7):
        series.add(sample(1 + second % 2, second, [1_000]))

    assert series.seconds == 7_197
    assert series.count("order.n") == 1_029
    assert int(np.isnan(series.by_second("order.n")).sum()) == 7_197 - 1_029


REPORTS = st.lists(
    st.builds(
        dvd_sample,
        client=st.integers(1, CLIENTS),
        second=st.integers(0, 2_000),
        covers=st.integers(1, 30),
        orders=st.integers(0, 2**20),
        working=st.integers(0, 500),
        order_us=st.integers(0, 2**40),
        order_us_max=st.integers(0, 2**33),
    ),
    max_size=8,
    unique_by=lambda each: (each.client, each.second),
)


@given(st.one_of(runs(), REPORTS))
def test_a_block_counts_as_its_samples_do_one_by_one(samples: list[Sample]) -> None:
    singly, together = Series.of(CLIENTS, samples), Series(CLIENTS)
    for block in blocks(samples):
        together.add_block(block.counts)

    assert together.seconds == singly.seconds
    for client in range(1, CLIENTS + 1):
        assert together.known(client).tolist() == singly.known(client).tolist()
        for name in FIELDS:
            np.testing.assert_array_equal(together.by_second(name, client), singly.by_second(name, client))
            assert together.count(name, client=client) == singly.count(name, client=client)
            assert together.latest(name, client) == singly.latest(name, client)


@given(REPORTS, st.integers(0, 2_100), st.integers(0, 2_100), WHO)
def test_slices_equal_those_of_the_whole_series(
    samples: list[Sample], first: int, end: int, client: int | None
) -> None:
    series = Series.of(CLIENTS, samples)
    first, end = min(first, end), max(first, end)

    found = series.by_second("order.sum_us", client, first=first, end=end)

    whole = series.by_second("order.sum_us", client)
    np.testing.assert_array_equal(found, whole[first:end])
    assert series.known(client)[first:end].tolist() == (~np.isnan(found)).tolist()
    assert series.count("order.sum_us", client=client, first=first, end=end) == np.nansum(whole[first:end])


def test_counts_that_outgrow_four_bytes_are_kept_whole_with_those_before() -> None:
    series = Series.of(
        1, [dvd_sample(client=1, second=0, order_us=2**31 - 1), dvd_sample(client=1, second=1, order_us=2**31)]
    )
    series.add(dvd_sample(client=1, second=0, order_us=1))

    assert series.by_second("order.sum_us").tolist() == [2**31, 2**31]
    assert series.count("order.sum_us") == 2**32


def test_take_changed_from_returns_a_change_once() -> None:
    series = Series(2, seconds_hint=100)
    assert series.take_changed_from() is None

    for each in (sample(1, 7, [1]), sample(2, 3, [1]), sample(1, 8, [1])):
        series.add(each)

    assert series.take_changed_from() == 3
    assert series.take_changed_from() is None
    series.add(dvd_sample(client=1, second=29, covers=10, orders=1))
    assert series.take_changed_from() == 20


@pytest.mark.parametrize("hint", [0, 5, 100_000])
def test_seconds_hint_does_not_change_results(hint: int) -> None:
    series = Series(1, seconds_hint=hint)
    for second in (0, 700, 1_500):
        series.add(sample(1, second, [1_000]))

    assert series.seconds == 1_501
    assert np.flatnonzero(series.known()).tolist() == [0, 700, 1_500]
    assert series.count("order.n", first=1, end=1_501) == 2


def test_every_count_of_a_sample_is_there() -> None:
    values = {name: number for number, name in enumerate(FIELDS, start=1)}
    transactions = {"visit": Count(20, 21, 22), "call": Count(23, 24)}

    series = Series.of(1, [Sample(client=1, second=0, transactions=transactions, **values)])

    of_types = dict(zip([*CountNames.of("visit"), *CountNames.of("call")], [20, 21, 22, 23, 24, 0], strict=True))
    assert {name: series.count(name) for name in (*FIELDS, *of_types)} == values | of_types
    assert {"rollbacks", "in_doubt", "down"} <= set(FIELDS)
