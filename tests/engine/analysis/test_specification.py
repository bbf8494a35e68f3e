"""The verdicts on a run of Brokerage: its mix, its nominal throughput, the market's queue, rows and bytes."""

from dataclasses import replace

import pytest

from engine.analysis.specification import measured_mix, mix_rows, nominal_share, verdict_sentences, verdicts_json
from engine.plan.plan import RunPlan
from engine.record.totals import BacklogTotals, Totals, TransactionTotals
from engine.record.totals_json import totals_from_dict, totals_to_dict
from engine.workload.registry import find_workload

PLAN = RunPlan(workload="brokerage", parameters={"customers": 1_000, "days": 1})


def a_mix(**changed: int) -> Totals:
    """Of a hundred thousand transactions the specified shares, of the orders one in a hundred rolled back."""
    counts = {each.id: round(1_000 * (each.mix_pct or 0)) for each in find_workload("brokerage").transactions}
    counts |= {"trade_order": 10_000, "rolled_back": 100, "data_maintenance": 3} | changed
    return Totals(
        workload="brokerage",
        measured_seconds=100,
        counted="trade_result",
        headline_rate=100.0,
        transactions={name: TransactionTotals(count=count) for name, count in counts.items()},
        rows_per_second=4_943.0,
        kb_per_second=183.2,
        backlog=BacklogTotals(mean=2.5, longest=9, growth=0.0, has_grown=False),
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
    assert said[0].startswith("Mix: Trade-Result, Trade-Update, Market-Feed beyond ±0.5")
    assert "2.00\u202ftrades/s" in said[2]
    assert said[3].endswith("it grew by 75 orders: not steady.")
    assert said[4] == "Returned by the servers' answers: 4\u202f943 rows/s and 183 KB/s."
    plain = verdicts_json(PLAN, totals)
    assert plain["mix"]["trade_update"]["met"] is False
    assert plain["nominal"] == {"rate": 2, "reached_pct": 5_000, "within": False}
    assert len(plain["limits"]) == 11


def test_a_trade_result_counts_with_its_order_in_the_mix_whenever_it_was_due() -> None:
    """The throughput rose: of the orders 100 more were with the market at the end than at the beginning."""
    totals = a_mix(trade_result=9_900, market_feed=990)
    rows = {each.transaction: each for each in measured_mix(totals)}
    assert (rows["trade_result"].count, rows["trade_result"].carried) == (10_000, 100)
    assert rows["market_feed"].count == 1_000
    assert [each.verdict for each in rows.values()] == ["met"] * 10
    said = verdict_sentences(PLAN, totals)
    assert said[1].startswith("There a Trade-Result counts with its Trade-Order: 100 more were to come")
    assert verdicts_json(PLAN, totals)["mix"]["trade_result"]["carried"] == 100
    assert not any("to come" in each for each in verdict_sentences(PLAN, a_mix()))


def test_results_that_are_due_and_were_not_sent_are_missing_in_the_mix() -> None:
    queue = BacklogTotals(mean=50, longest=100, growth=100, has_grown=True)
    totals = replace(a_mix(trade_result=9_900), backlog=queue)
    row = next(each for each in measured_mix(totals) if each.transaction == "trade_result")
    assert (row.count, row.verdict) == (9_900, "missed")


def test_a_share_may_differ_by_one_transaction_where_half_a_per_cent_is_less() -> None:
    few = {name: (each.count or 0) // 100 for name, each in a_mix().transactions.items()}
    for feeds, verdict in ((10, "met"), (11, "met"), (12, "missed")):
        rows = mix_rows(find_workload("brokerage"), {**few, "market_feed": feeds}.get)
        assert next(each.verdict for each in rows if each.transaction == "market_feed") == verdict


def test_they_are_stored_with_the_totals_and_no_other_workload_has_them() -> None:
    totals = a_mix()
    back = totals_from_dict("brokerage", totals_to_dict(totals))
    assert (back.backlog, back.rows_per_second, back.kb_per_second) == (totals.backlog, 4_943.0, 183.2)
    assert verdicts_json(RunPlan(), Totals(workload="dvdstore", measured_seconds=10)) == {}
    assert verdict_sentences(RunPlan(), Totals(workload="dvdstore", measured_seconds=10)) == []
