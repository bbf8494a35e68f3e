"""The service level of a mail run: the latency of its tasks, and how many of those due were done."""

from typing import Any

import pytest

from engine.analysis.service_level import service_level_verdict
from engine.analysis.specification import verdict_sentences, verdicts_json
from engine.analysis.totals import RunTotals
from engine.analysis.verdicts.figures import Measured, find_figure
from engine.plan.plan import RunPlan
from engine.record.record import Phases
from engine.record.totals import ResponseTimes, Totals, TransactionTotals
from engine.record.totals_json import totals_from_dict, totals_to_dict
from engine.target.target import Target
from engine.telemetry.sample import Count, Sample
from engine.workload.registry import MAIL
from engine.workloads.mail.transactions import TASK

PLAN = RunPlan(workload=MAIL, targets=(Target.parse("mail://user@mx.lab/lab.test")[0],))


def mail_totals(mean_ms: float, p95_ms: float, *, due: int | None = 1_000, done: int = 990) -> Totals:
    times = ResponseTimes(mean=mean_ms, p95=p95_ms)
    return Totals(
        workload=MAIL,
        measured_seconds=60,
        counted=TASK,
        transactions={TASK: TransactionTotals(count=done, times=times)},
        due=due,
    )


@pytest.mark.parametrize(
    ("totals", "is_met", "by"),
    [
        (mail_totals(5, 20), True, ("mean", "p95")),
        (mail_totals(5, 20.1), True, ("mean",)),
        (mail_totals(20.1, 20), True, ("p95",)),
        (mail_totals(20.1, 30), False, ()),
        (mail_totals(5, 6, done=989), False, ("mean", "p95")),
        (mail_totals(5, 6, due=None), None, ("mean", "p95")),
        (mail_totals(21, 22, due=None), False, ()),
    ],
)
def test_it_is_met_by_the_mean_or_p95_and_99_per_cent_done(
    totals: Totals, is_met: bool | None, by: tuple[str, ...]
) -> None:
    found = service_level_verdict(PLAN, totals)
    assert found is not None
    assert (found.is_met, found.latency_met_by) == (is_met, by)


def test_the_limit_is_that_of_the_plan_and_other_workloads_have_none() -> None:
    found = service_level_verdict(PLAN.changed({"latency_limit_ms": 4.0}), mail_totals(5, 20))
    assert found is not None
    assert (found.limit_ms, found.is_met) == (4, False)
    assert service_level_verdict(RunPlan(), Totals(workload="dvdstore", measured_seconds=10)) is None


def test_it_is_said_with_its_figures_in_sentences_json_and_checks() -> None:
    totals = mail_totals(5, 30, done=1_980, due=2_000)
    latency, done = verdict_sentences(PLAN, totals)
    assert latency.startswith("Service level met: latency mean 5")
    assert latency.endswith("limit 20\u202fms: met by mean.")
    assert done == "Of 2\u202f000 tasks due, 1\u202f980 were done, 99.00\u202f%, limit 99\u202f%: met."
    plain = verdicts_json(PLAN, totals)["service_level"]
    assert (plain["met"], plain["due"], plain["done"], plain["done_pct"]) == (True, 2_000, 1_980, 99)
    measured = Measured(title="run", workload=MAIL, totals=totals)
    assert find_figure("done_pct", MAIL).of(measured) == 99
    assert totals_from_dict(MAIL, totals_to_dict(totals)).due == 2_000


def second(number: int, done: int, **levels: Any) -> Sample:
    return Sample(client=1, second=number, transactions={TASK: Count(done, 1_000 * done, 1_000)}, **levels)


def due(samples: list[Sample]) -> int | None:
    phases = Phases(warming_up_from=0, measuring_from=1, measuring_to=4)
    return RunTotals(MAIL, PLAN.client_plans(), phases).add_all(samples).totals().due


def test_due_is_what_was_done_and_what_is_left_at_the_end_of_measuring() -> None:
    samples = [
        second(0, 100, queue=50),
        second(1, 10, queue=9),
        second(2, 10, queue=9, working=2, reconnecting=4, down=1, thinking=5),
        second(3, 10, queue=3, down=12),  # users that leave
        second(4, 10, queue=70),
    ]
    assert due(samples) == 40
    assert due(samples[:3]) is None
