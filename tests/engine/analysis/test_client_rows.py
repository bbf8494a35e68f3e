"""The rows of the client table: every client's figures, its share and its last two minutes."""

import math

import numpy as np

from engine.analysis.client_rows import SPARK_SECONDS, client_rows
from engine.analysis.run_data import RunData
from engine.plan.plan import RunPlan
from engine.target.target import POSTGRESQL, Host, Target
from tests.doubles.live_runs import MEASURING_FROM, OUTAGE, THREADS, a_live_run, a_plan, a_second


def test_the_total_is_the_last_row_and_the_shares_add_up_to_it() -> None:
    rows = client_rows(a_live_run(4, 120, troubled=False))
    assert [row.label for row in rows] == ["ds2_1", "ds2_2", "ds2_3", "ds2_4", "Total"]
    assert sum(row.figures.orders for row in rows[:-1]) == rows[-1].figures.orders
    assert math.isclose(sum(row.share_pct or 0 for row in rows[:-1]), 100)
    assert rows[-1].client is None
    assert rows[-1].share_pct == 100


def test_share_is_unknown_before_the_first_order() -> None:
    rows = client_rows(RunData(a_plan(2)))
    assert [row.share_pct for row in rows] == [None, None, None]
    assert [len(row.spark) for row in rows] == [0, 0, 0]
    assert rows[0].spark_top == 0


def test_spark_has_two_minutes_with_zeros_and_gaps() -> None:
    rows = client_rows(a_live_run(4, OUTAGE.stop + 1))
    spark = rows[0].spark
    assert len(spark) == SPARK_SECONDS
    assert spark[-1] == 60 * a_second(1, OUTAGE.stop).of("order").n
    assert (spark[-1 - len(OUTAGE) : -1] == 0).all()
    lost = client_rows(a_live_run(4, 430))[1].spark
    assert np.isnan(lost[-30:]).all()
    assert not np.isnan(lost[:-30]).any()


def test_sparks_share_the_scale_of_the_highest() -> None:
    rows = client_rows(a_live_run(4, 120, troubled=False))
    assert {row.spark_top for row in rows[:-1]} == {max(float(row.spark.max()) for row in rows[:-1])}
    assert rows[-1].spark_top == rows[-1].spark.max()


def test_errors_are_those_of_all_classes() -> None:
    rows = client_rows(a_live_run(2, OUTAGE.stop))
    assert rows[0].errors == 3 * len(OUTAGE)
    assert rows[-1].errors == 2 * 3 * len(OUTAGE)


def test_hosts_are_named_when_they_differ() -> None:
    def at(*names: str) -> RunPlan:
        targets = tuple(Target(kind=POSTGRESQL, hosts=(Host(name, 5432),), user="ds2") for name in names)
        return RunPlan(targets=targets, threads=THREADS)

    assert client_rows(RunData(at("r630-a", "r630-b")))[1].target == "r630-b:5432/ds2"
    assert client_rows(RunData(at("r630-a")))[0].target == "ds2"


def test_a_client_without_a_sample_is_shown_as_connecting() -> None:
    run = RunData(a_plan(2))
    run.add(a_second(1, MEASURING_FROM))
    assert [row.condition.word if row.condition else None for row in client_rows(run)] == ["ok", "silent", None]
