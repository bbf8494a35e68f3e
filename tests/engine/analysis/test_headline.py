"""The words and figures of a workload's headline metric."""

import pytest

from engine.analysis.headline import check_same_workload, headline_of
from engine.analysis.totals import RunTotals
from engine.errors import BadInput
from engine.histogram import bucket_of, pack
from engine.plan.plan import RunPlan
from engine.record.record import Phases
from engine.record.totals_json import totals_from_dict, totals_to_dict
from engine.telemetry.sample import Count, Sample
from engine.workload.registry import WHOLESALE


def test_words_of_both_workloads() -> None:
    orders, new_orders = headline_of("dvdstore"), headline_of("wholesale")
    assert (orders.label, orders.one, orders.many, orders.heading) == ("OPM", "order", "orders", "Orders")
    assert (new_orders.label, new_orders.many, new_orders.heading) == ("NOPM", "New-Orders", "New-Orders")
    assert (orders.rate_heading, new_orders.rate) == ("Orders per minute", "New-Orders per minute")


def test_totals_are_read_by_the_keys_of_the_metric() -> None:
    plain = {"nopm": 60, "nopm_peak": 70, "new_orders": 3, "opm": 1, "orders": 2}
    totals = totals_from_dict(WHOLESALE, plain)

    assert (totals.headline_rate, totals.peak, totals.count) == (60, 70, 3)
    assert totals_to_dict(totals).items() >= {"nopm": 60, "nopm_peak": 70, "new_orders": 3}.items()


def test_results_of_different_workloads_are_refused() -> None:
    check_same_workload(["Wholesale", "Wholesale"])
    with pytest.raises(
        BadInput, match=r"different workloads, DVD Store 2 and Wholesale, .* results of one workload\.$"
    ):
        check_same_workload(["DVD Store 2", "Wholesale", "DVD Store 2"])


def test_totals_of_several_types_of_transactions() -> None:
    times = pack({bucket_of(2_000): 9, bucket_of(30_000): 1})
    counts = {"new_order": Count(10, 48_000, 30_000, times), "payment": Count(20, 20_000, 1_500, pack({1_000: 20}))}
    sample = Sample(client=1, second=0, rollbacks=1, transactions=counts, overdue=pack({bucket_of(90_000): 2}))

    totals = RunTotals("wholesale", RunPlan().client_plans(), Phases(measuring_from=0, measuring_to=1))
    found = totals_to_dict(totals.add_all([sample]).totals())

    assert (found["nopm"], found["nopm_peak"], found["tpm"]) == (600, 600, 1_800)
    assert (found["new_orders"], found["payments"], found["deliveries"], found["rollback_pct"]) == (10, 20, 0, 9.09)
    assert found["rt_ms"]["mean"] == found["rt_new_order_ms"]["mean"] == 4.8
    assert (found["rt_payment_ms"]["p99"], found["rt_payment_ms"]["max"], found["rt_delivery_ms"]["p50"]) == (
        1,
        1.5,
        None,
    )
    assert (found["rt_new_order_ms"]["p90"], found["rt_new_order_ms"]["p90_limit"]) == (pytest.approx(2.0, 0.01), 5_000)
    assert found["overdue"] == 2
    assert found["rt_intended_ms"]["p50"] == 1.0, "of all transactions and of those that were due"
    assert "steps" not in found
    assert totals_to_dict(totals_from_dict(WHOLESALE, found)) == found
