"""The figures of stages from samples made by hand, and their table."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.analysis.headline import headline_of
from engine.analysis.specification import received_sentence
from engine.analysis.stages.figures import StageSums
from engine.analysis.stages.table import (
    compared_extremes,
    shortfall_sentences,
    stage_sentences,
    stage_table,
    steadiness_sentences,
)
from engine.analysis.totals import RunTotals
from engine.figure_text import UNKNOWN, milliseconds, signed_percent
from engine.histogram import bucket_of, pack
from engine.plan.load.profile import LoadProfile
from engine.plan.load.stage import Stage
from engine.plan.plan import RunPlan
from engine.record.record import Phases
from engine.record.totals import ResponseTimes, StageTotals
from engine.record.totals_json import totals_from_dict, totals_to_dict
from engine.telemetry.sample import Count, Sample
from engine.telemetry.workstation import WorkstationLoad
from engine.workload.registry import BROKERAGE, DVD_STORE
from engine.workloads.brokerage.transactions import TRADE_RESULT
from tests.totals import totals_with

OPM = headline_of(DVD_STORE)
PROFILE = LoadProfile(stages=(Stage(users=1, seconds=4, settle_seconds=1), Stage(users=2, seconds=3, settle_seconds=1)))


def sample(second: int, orders: int, each_us: int = 2_000, **fields: int) -> Sample:
    times = pack({bucket_of(each_us): orders}) if orders else b""
    return Sample(
        client=1, second=second, transactions={"order": Count(orders, orders * each_us, each_us, times)}, **fields
    )


SAMPLES = [
    sample(9, 100),  # warm-up
    sample(10, 100),  # settling
    sample(11, 10, 1_000),
    sample(12, 20, 4_000),
    sample(13, 30, 1_000),
    sample(14, 500),  # settling
    sample(15, 50, 3_000),
    sample(16, 70, 3_000),
    sample(17, 900),  # after the end
]


def test_stage_has_the_figures_of_the_seconds_after_its_settling() -> None:
    sums = StageSums(OPM, list(PROFILE.spans(10)))
    for each in SAMPLES:
        sums.add(each)
    for second, pct in ((10, 90.0), (11, 10.0), (12, 20.0), (15, 7.0)):
        sums.add_load(
            WorkstationLoad(
                second=second, machine_pct=2 * pct, clients_pct=pct, busiest_process_pct=0, is_bottleneck=False
            )
        )
    first, second = sums.totals(17)

    assert (first.users, first.first_second, first.seconds, first.count) == (1, 11, 3, 60)
    assert first.headline == 60 * 60 // 3
    assert first.times.mean == pytest.approx((10 * 1 + 20 * 4 + 30 * 1) / 60, abs=0.001)
    assert first.times.p95 == pytest.approx(4, rel=0.01)
    assert first.times.p50 == pytest.approx(1, rel=0.01)
    assert first.times.max == 4
    assert (first.clients_cpu_pct, first.machine_cpu_pct) == (15, 30)
    assert (second.users, second.first_second, second.seconds, second.count, second.headline) == (2, 15, 2, 120, 3_600)
    assert second.longest_queue is None


def test_stage_that_was_cut_short_has_its_own_length_and_one_that_never_counted_is_left_out() -> None:
    sums = StageSums(OPM, list(PROFILE.spans(10)))
    for each in SAMPLES[:5]:
        sums.add(each)
    (stage,) = sums.totals(13)
    assert (stage.number, stage.seconds) == (1, 2)


def test_totals_hold_the_stages_and_json_returns_them() -> None:
    plan = RunPlan(stages=PROFILE.stages, threads=2)
    phases = Phases(warming_up_from=8, measuring_from=10, measuring_to=17)
    totals = RunTotals(DVD_STORE, plan.client_plans(), phases, plan.profile).add_all(SAMPLES).totals()

    assert [(stage.users, stage.headline) for stage in totals.stages] == [(1, 1_200), (2, 3_600)]
    assert totals_from_dict(DVD_STORE, totals_to_dict(totals)).stages == totals.stages
    assert totals_to_dict(totals)["stages"][1]["opm"] == 3_600
    assert "stages" not in totals_to_dict(RunTotals(DVD_STORE, plan.client_plans(), phases).totals())


def test_queue_of_an_open_loop_is_the_longest_of_all_clients_together() -> None:
    profile = LoadProfile(stages=(Stage(rate=600, seconds=3, settle_seconds=0),))
    sums = StageSums(OPM, list(profile.spans(0)))
    for client, queues in ((1, (5, 0, 3)), (2, (0, 6, 1))):
        for second, queue in enumerate(queues):
            sums.add(Sample(client=client, second=second, queue=queue, transactions={"order": Count(1, 1, 1, b"")}))
    (stage,) = sums.totals(3)
    assert stage.longest_queue == 6


@pytest.mark.parametrize(
    ("rate", "is_steady", "said"),
    [
        (lambda _second: 100, True, []),
        (
            lambda second: 100 + second,
            False,
            ["OPM was not steady at 8 users (drift +47.2\u202f%, spread 14.5\u202f%)"],
        ),
        (
            lambda second: 50 + 100 * (second // 10 % 2),
            False,
            ["OPM was not steady at 8 users (drift −38.1\u202f%, spread 53.5\u202f%)"],
        ),
    ],
)
def test_a_stage_is_judged_by_its_own_seconds(rate: Callable[[int], int], is_steady: bool, said: list[str]) -> None:
    plan = RunPlan(stages=(Stage(users=8, seconds=110, settle_seconds=30),), threads=8)
    phases = Phases(measuring_from=0, measuring_to=110)
    samples = [sample(second, rate(second)) for second in range(110)]
    totals = RunTotals(DVD_STORE, plan.client_plans(), phases, plan.profile).add_all(samples).totals()

    assert totals.stages[0].is_steady is is_steady
    assert [each.split(";")[0] for each in steadiness_sentences(totals, OPM)] == said
    table = stage_table(totals.stages * 2, OPM)
    place = 1 + table.columns.index("Steady")
    assert table.rows[0][place] == ("yes" if is_steady else "no")
    assert {row[place] for row in table.extremes} == {""}


def test_a_stage_in_which_the_market_s_queue_grows_is_not_steady() -> None:
    plan = RunPlan(workload=BROKERAGE, stages=(Stage(users=8, seconds=80, settle_seconds=20),), threads=8)
    samples = [
        Sample(client=1, second=second, backlog=3 * second, transactions={TRADE_RESULT: Count(20, 1, 1, b"")})
        for second in range(80)
    ]
    totals = RunTotals(BROKERAGE, plan.client_plans(), Phases(measuring_from=0, measuring_to=80), plan.profile)
    (sentence,) = steadiness_sentences(totals.add_all(samples).totals(), headline_of(BROKERAGE))
    assert sentence.startswith(
        "trades/s was not steady at 8 users (drift 0.0\u202f%, spread 0.0\u202f%, market's queue grew by 180 orders);"
    )


def test_stages_that_are_too_short_to_be_judged_say_so() -> None:
    plan = RunPlan(stages=PROFILE.stages, threads=2)
    phases = Phases(measuring_from=10, measuring_to=17)
    totals = RunTotals(DVD_STORE, plan.client_plans(), phases, plan.profile).add_all(SAMPLES).totals()
    assert totals.stages[0].is_steady is None
    assert "Steady" not in stage_table(totals.stages, OPM).columns
    (sentence,) = steadiness_sentences(totals, OPM)
    assert "not assessed" in sentence


@pytest.mark.parametrize(("bytes_of_second", "kb", "cell"), [(500, 1.0, "1"), (0, None, UNKNOWN)])
def test_bytes_that_the_driver_of_one_client_does_not_say_are_unknown(
    bytes_of_second: int, kb: float | None, cell: str
) -> None:
    """As over ODBC; the run's, of which the other client has a part, would be too few."""
    plan = RunPlan(stages=(Stage(users=2, seconds=4, settle_seconds=0),), threads=1, clients=2)
    samples = [
        Sample(client=client, second=second, rows_received=10, bytes_received=size)
        for second in range(4)
        for client, size in ((1, 500), (2, bytes_of_second))
    ]
    totals = RunTotals(DVD_STORE, plan.client_plans(), Phases(measuring_from=0, measuring_to=4), plan.profile)
    found = totals.add_all(samples).totals()

    assert (found.rows_per_second, found.kb_per_second) == (20.0, kb)
    table = stage_table(found.stages, OPM)
    assert table.rows[0][1 + table.columns.index("KB/s")] == cell
    plain = totals_to_dict(found)
    assert plain["kb_per_second"] == plain["stages"][0]["kb_per_second"] == kb
    assert ("KB/s are not known" in received_sentence(found)) == (kb is None)


def published(users: int, rows: int) -> StageTotals:
    return StageTotals(number=users // 10, users=users, first_second=0, seconds=90, headline=rows, count=rows)


def test_table_ends_with_minimum_maximum_and_average_as_the_published_ones() -> None:
    stages = [published(10, 2_577), published(20, 3_718), published(30, 3_700), published(40, 3_715)]
    table = stage_table(stages, OPM)

    assert table.rows[1] == ("2: 20 users", "3\u202f718", "0")
    assert [row[:2] for row in table.extremes] == [
        ("Minimum", "2\u202f577"),
        ("Maximum", "3\u202f718"),
        ("Average", "3\u202f428"),
    ]
    assert "Longest queue" not in table.columns
    assert stage_table(stages[:1], OPM).extremes == ()


def test_percentiles_of_the_stages_are_not_averaged() -> None:
    slow, fast = (
        replace(published(users, 900), times=ResponseTimes(mean=mean, p95=3 * mean, p99=4 * mean))
        for users, mean in ((10, 20.0), (20, 10.0))
    )
    both = [slow, fast]
    table = stage_table(both, OPM)
    assert [row[2:] for row in table.extremes] == [
        (milliseconds(10.0), milliseconds(30.0), milliseconds(40.0), "0"),
        (milliseconds(20.0), milliseconds(60.0), milliseconds(80.0), "0"),
        (milliseconds(15.0), UNKNOWN, UNKNOWN, "0"),
    ]
    difference = compared_extremes([("old", both), ("new", [fast, fast])], OPM).rows[-1]
    assert difference[2:5] == (signed_percent(100 * (10 - 15) / 15), UNKNOWN, UNKNOWN)


def test_knee_is_reported_in_a_sentence() -> None:
    stages = [published(users, 100 * min(users, 30)) for users in (10, 20, 30, 40, 50)]
    assert stage_sentences(stages, OPM, []) == [
        "The knee is at 30 users, with 3\u202f000 OPM: up to there a user added 100 OPM, beyond it 0 OPM."
    ]
    assert stage_sentences(stages[:3], OPM, []) == []
    straight = [published(users, 100 * users) for users in (10, 20, 30, 40)]
    assert stage_sentences(straight, OPM, []) == ["No knee: OPM grew with the load to the last stage."]


@pytest.mark.parametrize(
    ("plan", "orders", "said"),
    [
        (
            RunPlan(rate=600_000, threads=2, minutes=0.1),
            1_211,
            ["The rate was not held: 1\u202f211 of about 60\u202f000 orders due were placed, 2.0\u202f%."],
        ),
        (RunPlan(rate=600, threads=4, minutes=0.1), 55, []),  # chance explains it
        (RunPlan(threads=4, minutes=0.1), 55, []),
    ],
)
def test_rate_that_a_short_run_did_not_hold_is_reported(plan: RunPlan, orders: int, said: list[str]) -> None:
    totals = totals_with(orders=orders, measured_seconds=6)
    assert shortfall_sentences(plan, totals) == said
