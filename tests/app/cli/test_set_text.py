from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from app.cli.set_text import set_text
from engine.analysis.comparing.run_set import RunSet
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord, RunState
from engine.record.totals import totals_of_loads
from tests.app.runs import a_run
from tests.totals import totals_with


def runs_of(*opms: int, **changed: Any) -> list[RunRecord]:
    totals = a_run().totals
    assert totals is not None
    return [
        a_run(minutes_later=number, name=f"evening, run {number + 1}", totals=totals_with(totals, opm=opm), **changed)
        for number, opm in enumerate(opms)
    ]


def text_of(records: list[RunRecord], warnings: Sequence[str] = (), **changed: Any) -> str:
    made = RunSet(
        name="evening",
        made_at=datetime(2026, 11, 21, tzinfo=UTC),
        run_ids=tuple(record.run_id for record in records),
        **changed,
    )
    return set_text(made, records, warnings=warnings)


def test_the_median_run_is_named_with_its_clients() -> None:
    records = runs_of(30_000, 10_000, 20_000)
    text = text_of(records, configuration="R630", note="two\nlines")
    lines = text.splitlines()
    assert "evening  ·  set of 3 runs" in lines
    assert "measured on R630" in lines
    assert "two lines" in lines
    places = [line.split()[-1] for line in lines if line.startswith("20261121-") and "evening, run" in line]
    assert places == ["best", "worst", "median"]
    assert "evening, run 3 is the median run of 3." in lines
    assert "Best 30\u202f000 OPM, worst 10\u202f000, spread 20\u202f000 (66.7\u202f%)." in lines
    assert f"run {records[2].run_id}" in text
    assert "ds2 #2" in text


def test_runs_that_do_not_count_are_named_with_the_reason() -> None:
    records = [*runs_of(100), a_run(minutes_later=5, name="evening, run 2", state=RunState.FAILED)]
    text = text_of(records)
    assert "failed" in text
    assert "left out" in text
    assert "Left out: evening, run 2, as it failed." in text


def test_a_set_of_one_run_shows_it_once() -> None:
    text = text_of(runs_of(100))
    assert "set of 1 run\n" in text
    assert "Only evening, run 1 counts; it represents the set." in text
    assert "ds2 #1" not in text


def test_empty_set_is_reported() -> None:
    assert "No run of the set counts" in text_of([])


def test_set_with_different_plans_has_a_warning() -> None:
    first, second = a_run(clients=1), a_run(clients=1, minutes_later=1, plan=a_run().plan.__class__(threads=3))
    assert "Warning: the runs of this set differ in" in text_of([first, second])


def test_set_text_has_limitations_below_best_and_worst() -> None:
    expected = "evening, run 1 and evening, run 3: The workstation was suspended for 12.3 s."
    lines = text_of(runs_of(30_000, 10_000, 20_000), [expected]).splitlines()
    assert lines[lines.index(f"Warning: {expected}") - 1].startswith("Best")


def test_each_further_load_of_mixed_runs_has_a_median_of_its_own() -> None:
    plan = RunPlan.from_dict(
        {"targets": ["postgresql://db1/ds2"], "load": [{"workload": "mail", "targets": ["mail://user@mx/example.org"]}]}
    )
    totals = a_run().totals
    assert totals is not None
    records = [
        replace(each, plan=plan, totals=totals_of_loads([each.totals, mail]))
        for each, rate in zip(runs_of(30_000, 10_000, 20_000), (500.0, 700.0, 600.0), strict=True)
        if (mail := replace(totals, workload="mail", headline_rate=rate)) is not None and each.totals is not None
    ]
    (line,) = [line for line in text_of(records).splitlines() if line.startswith("Load 2, Mail: ")]
    assert "evening, run 3, Mail is the median run of 3." in line
    assert "Best 700.0 tasks/min, worst 500.0, spread 200.0 (28.6\u202f%)." in line
