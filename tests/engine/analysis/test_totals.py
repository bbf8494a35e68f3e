"""A run's totals, recomputed by an independent plain loop over its samples."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.series.blocks import ErrorCount
from engine.analysis.totals import RunTotals
from engine.histogram import bucket_of, pack
from engine.plan.clients import ClientPlan
from engine.plan.plan import RunPlan
from engine.record.record import Phases
from engine.record.totals_json import totals_to_dict
from engine.telemetry.sample import Sample
from tests.doubles.samples import dvd_sample
from tests.engine.analysis.samples import CLIENTS, SECONDS, blocks, runs, sample

PLANS = RunPlan(clients=CLIENTS).client_plans()


def totals(samples: list[Sample], phases: Phases, clients: tuple[ClientPlan, ...] = PLANS) -> dict[str, Any]:
    """The totals in a run's JSON."""
    return totals_to_dict(RunTotals("dvdstore", clients, phases).add_all(samples).totals())


def measured(first: int, end: int) -> Phases:
    return Phases(warming_up_from=0, measuring_from=first, measuring_to=end)


@given(runs(), st.integers(0, SECONDS), st.integers(1, SECONDS))
def test_totals_equal_a_plain_loop(samples: list[Sample], first: int, seconds: int) -> None:
    found = totals(samples, measured(first, first + seconds))

    def check(figures: dict[str, Any], counted: list[Sample]) -> None:
        orders = rollbacks = order_us = longest = 0
        for each in counted:
            orders += each.of("order").n
            rollbacks += each.rollbacks
            order_us += each.of("order").sum_us
            longest = max(longest, each.of("order").max_us)
        assert figures["orders"] == orders
        assert figures["opm"] == math.floor(60 * orders / seconds)
        assert figures["rollbacks"] == rollbacks
        if orders:
            assert figures["rollback_pct"] == pytest.approx(100 * rollbacks / orders, abs=0.00501)
            assert figures["rt_ms"]["mean"] == pytest.approx(order_us / orders / 1000, abs=0.000501)
            assert figures["rt_ms"]["max"] == longest / 1000
        else:
            assert figures["rollback_pct"] is None
            assert set(figures["rt_ms"].values()) == {None}

    inside = [each for each in samples if first <= each.second < first + seconds]
    check(found, inside)
    for number, client in enumerate(found["clients"], start=1):
        check(client, [each for each in inside if each.client == number])
    assert found["orders"] == sum(client["orders"] for client in found["clients"])
    assert found["measured_seconds"] == seconds
    assert found["since_start"]["orders"] == sum(each.of("order").n for each in samples)


def test_percentiles_are_of_all_measured_orders() -> None:
    times = [[1_000, 2_000, 50_000], [3_000], [900_000, 1_000], [77_000]]
    samples = [
        sample(1, 0, [9_999_999]),
        *(sample(1 + number % 2, 1 + number // 2, each) for number, each in enumerate(times)),
    ]

    found = totals(samples, measured(1, 3))

    everything = [time_us for each in times for time_us in each]
    for percent in (50, 95, 99):
        expected = float(np.percentile(everything, percent, method="inverted_cdf")) / 1000
        assert found["rt_ms"][f"p{percent}"] == pytest.approx(expected, rel=0.0016)
    assert found["rt_ms"]["max"] == 900.0
    assert found["clients"][0]["rt_ms"]["p99"] == pytest.approx(900, rel=0.0016)
    assert found["clients"][2]["rt_ms"]["p99"] is None


def test_steps_have_means_of_their_own() -> None:
    step = {"logins": 2, "login_us": 3_000, "new_customers": 1, "new_customer_us": 5_000}
    more = {"browses": 4, "browse_us": 10_000, "purchases": 3, "purchase_us": 10_000}

    found = totals([dvd_sample(client=1, second=0, **step, **more)], measured(0, 1))

    assert found["rt_login_ms"] == 1.5
    assert found["rt_new_customer_ms"] == 5.0
    assert found["rt_browse_ms"] == 2.5
    assert found["rt_purchase_ms"] == 3.333
    assert found["clients"][1]["rt_login_ms"] is None


def test_errors_are_counted_by_class_per_client_and_in_sum_while_measuring() -> None:
    samples = [
        dvd_sample(client=1, second=0, errors={"timeout": 100}),
        dvd_sample(client=1, second=1, errors={"timeout": 1, "deadlock": 2}),
        dvd_sample(client=1, second=2, errors={"timeout": 3}),
        dvd_sample(client=2, second=2, errors={"connection_lost": 4, "deadlock": 1}),
        dvd_sample(client=2, second=3, errors={"other": 100}),
    ]

    found = totals(samples, measured(1, 3))

    assert found["errors"] == {"timeout": 4, "deadlock": 3, "connection_lost": 4}
    assert [client["errors"] for client in found["clients"]] == [
        {"timeout": 4, "deadlock": 2},
        {"connection_lost": 4, "deadlock": 1},
        {},
    ]


def test_what_was_counted_before_and_after_measuring_stands_apart() -> None:
    samples = [sample(1, second, [1_000], purchases=1, rollbacks=1, in_doubt=1) for second in range(6)]

    found = totals(samples, measured(2, 4))

    assert (found["orders"], found["purchases"], found["in_doubt"]) == (2, 2, 2)
    assert {name: count for name, count in found["since_start"].items() if count} == {
        "orders": 6,
        "purchases": 6,
        "rollbacks": 6,
        "in_doubt": 6,
    }


@pytest.mark.parametrize(
    "phases", [Phases(), Phases(warming_up_from=1), Phases(warming_up_from=1, measuring_from=2), measured(4, 4)]
)
def test_a_run_that_measured_nothing_has_no_opm(phases: Phases) -> None:
    found = totals([sample(1, 0, [1_000])], phases)

    assert found["measured_seconds"] == 0
    assert found["opm"] is None
    assert found["opm_peak"] is None
    assert found["orders"] == 0
    assert found["since_start"]["orders"] == 1


def test_the_peak_is_of_ten_seconds() -> None:
    samples = [sample(1, second, [1_000] * (5 if 20 <= second < 30 else 2)) for second in range(60)]

    found = totals(samples, measured(0, 60))

    assert found["opm"] == 60 * (50 * 2 + 10 * 5) // 60
    assert found["opm_peak"] == 300


def test_a_client_is_named_by_its_label_and_target() -> None:
    found = totals([], measured(0, 1))

    assert [client["label"] for client in found["clients"]] == ["ds2 #1", "ds2 #2", "ds2 #3"]
    assert {client["target"] for client in found["clients"]} == {PLANS[0].target.url}


@given(runs(), st.integers(0, 5), st.integers(1, SECONDS))
def test_blocks_add_up_to_what_their_samples_do(samples: list[Sample], first: int, seconds: int) -> None:
    failing = [replace(each, errors={"timeout": 1 + each.second, "other": 2}) for each in samples]
    phases = measured(first, first + seconds)
    together = RunTotals("dvdstore", PLANS, phases)
    for block in blocks(failing):
        together.add_counts(block.counts)
        together.add_histograms(block.histograms)
        together.add_errors(
            ErrorCount(block.counts.client, second, error_class, count)
            for second, errors in block.errors.items()
            for error_class, count in errors.items()
        )

    assert totals_to_dict(together.totals()) == totals(failing, phases)


@given(runs(), st.randoms(use_true_random=False), st.integers(0, 5), st.integers(1, SECONDS))
def test_the_order_of_the_samples_does_not_matter(samples: list[Sample], random: Any, first: int, seconds: int) -> None:
    shuffled = list(samples)
    random.shuffle(shuffled)

    assert totals(shuffled, measured(first, first + seconds)) == totals(samples, measured(first, first + seconds))


def test_as_intended_the_orders_are_those_served_and_those_overdue() -> None:
    served = sample(1, 2, [1_000] * 97)
    late = replace(served, overdue=pack({bucket_of(9_000_000): 2, bucket_of(5_000_000): 1}))
    before = replace(served, second=1, overdue=pack({bucket_of(9_000_000): 500}))

    found = totals([before, late, sample(2, 2, [2_000])], measured(2, 3))

    assert (found["overdue"], found["clients"][0]["overdue"], found["clients"][1]["overdue"]) == (3, 3, None)
    assert found["clients"][0]["rt_ms"]["p99"] == pytest.approx(1.0, rel=0.001)
    assert found["clients"][1]["rt_intended_ms"] is None
    times = found["clients"][0]["rt_intended_ms"]
    assert list(times) == ["mean", "p50", "p95", "p99", "max"]
    assert list(times.values()) == pytest.approx([230.97, 1.0, 1.0, 9_000, 9_000], rel=0.001)
    assert found["rt_intended_ms"]["p99"] == pytest.approx(9_000, rel=0.001)


def test_longest_as_intended_is_no_less_than_the_longest_served() -> None:
    """The middle of the bucket of 75.9 ms is 75.84 ms."""
    late = replace(sample(1, 2, [1_000, 75_900]), overdue=pack({bucket_of(9_000): 1}))
    found = totals([late], measured(2, 3))
    assert found["rt_ms"]["max"] == 75.9
    assert found["rt_intended_ms"]["max"] == 75.9


@given(runs(), st.integers(0, SECONDS), st.integers(1, SECONDS))
def test_as_intended_is_known_with_a_schedule_alone_and_is_as_served_without_a_stall(
    samples: list[Sample], first: int, seconds: int
) -> None:
    phases = measured(first, first + seconds)
    found = totals([replace(each, overdue=b"") for each in samples], phases)

    assert totals(samples, phases)["rt_intended_ms"] is None
    if any(first <= each.second < first + seconds for each in samples):
        assert found["overdue"] == 0
        for share in ("p50", "p95", "p99"):
            assert found["rt_intended_ms"][share] == found["rt_ms"][share]
