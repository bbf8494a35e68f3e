"""The verdicts on a run of Brokerage: its mix, its nominal throughput, the market's queue, rows and bytes."""

from dataclasses import replace

import pytest

from engine.analysis.specification import measured_mix, nominal_share, verdict_sentences, verdicts_json
from engine.plan.plan import RunPlan
from engine.record.totals import BacklogTotals, StageTotals, Totals, TransactionTotals
from engine.record.totals_json import totals_from_dict, totals_to_dict
from engine.workload.registry import find_workload

PLAN = RunPlan(workload="brokerage", parameters={"customers": 1_000, "days": 1})


def a_mix(**changed: int) -> Totals:
    """Of a hundred thousand transactions the specified shares, of the orders one in a hundred rolled back."""
    counts = {each.id: round(1_000 * (each.mix_pct or 0)) for each in find_workload("brokerage").transactions}
    counts |= {"trade_order": 9_999, "rolled_back": 101, "data_maintenance": 3} | changed
    return Totals(
        workload="brokerage",
        measured_seconds=100,
        counted="trade_result",
        headline_rate=100.0,
        transactions={name: TransactionTotals(count=count) for name, count in counts.items()},
        rows_per_second=4_943.0,
        kb_per_second=183.2,
        backlog=BacklogTotals(mean=2.5, longest=9, growth=0.1, has_grown=False),
    )


def test_the_specified_mix_is_met_and_orders_that_are_rolled_back_are_part_of_it() -> None:
    rows = measured_mix(a_mix())
    assert [each.verdict for each in rows] == ["met"] * 10
    assert sum(each.specified_pct for each in rows) == pytest.approx(100)
    assert next(each.share_pct for each in rows if each.transaction == "trade_order") == pytest.approx(10.1)


@pytest.mark.parametrize(("updates", "is_met"), [(2_009, True), (2_020, False), (1_980, False)])
def test_a_share_may_differ_by_half_a_per_cent_of_itself(updates: int, is_met: bool) -> None:
    row = next(each for each in measured_mix(a_mix(trade_update=updates)) if each.transaction == "trade_update")
    assert row.is_met is is_met


def test_the_nominal_throughput_is_two_trades_a_second_for_a_thousand_customers() -> None:
    found = nominal_share(PLAN.changed({"customers": 5_000}), replace(a_mix(), headline_rate=9.5))
    assert found is not None
    assert (found.rate, found.reached_pct, found.is_within) == (10, 95, True)
    assert nominal_share(RunPlan(workload="brokerage"), a_mix()) is None


def test_the_verdicts_are_said_in_sentences_and_in_json() -> None:
    totals = replace(a_mix(trade_update=2_200), backlog=BacklogTotals(mean=40, longest=90, growth=75.4, has_grown=True))
    said = verdict_sentences(PLAN, totals)
    assert said[0].startswith("Mix: Trade-Update beyond ±0.5")
    assert "2.00\u202ftrades/s" in said[1]
    assert said[2].endswith("it grew by 75 orders: not steady.")
    assert said[3] == "Returned by the servers' answers: 4\u202f943 rows/s and 183 KB/s."
    plain = verdicts_json(PLAN, totals)
    assert plain["mix"]["trade_update"]["met"] is False
    assert plain["nominal"] == {"rate": 2, "reached_pct": 5_000, "within": False}
    assert len(plain["limits"]) == 11


def test_a_mix_that_a_load_by_stages_misses_says_why_it_may() -> None:
    staged = (StageTotals(number=1, users=10, first_second=0, seconds=90, headline=1, count=90),)
    why = "Trade-Results follow their orders by seconds, and the throughput changes from stage to stage."
    missed = a_mix(trade_update=2_200)
    assert verdict_sentences(PLAN, replace(missed, stages=staged))[0].endswith(f"of the specified share. {why}")
    for other in (missed, replace(a_mix(), stages=staged)):
        assert why not in verdict_sentences(PLAN, other)[0]


def test_they_are_stored_with_the_totals_and_no_other_workload_has_them() -> None:
    totals = a_mix()
    back = totals_from_dict("brokerage", totals_to_dict(totals))
    assert (back.backlog, back.rows_per_second, back.kb_per_second) == (totals.backlog, 4_943.0, 183.2)
    assert verdicts_json(RunPlan(), Totals(workload="dvdstore", measured_seconds=10)) == {}
    assert verdict_sentences(RunPlan(), Totals(workload="dvdstore", measured_seconds=10)) == []
