from dataclasses import replace

from engine.analysis.recovery.judging import recoveries_of
from engine.record.record import Origin, Phases, RunState
from engine.report.document import Text, Warn
from engine.report.run_parts import faults_table, left_out_section, run_notices, run_subtitle
from engine.target.target import Target
from tests.engine.analysis.faulted import constant, run_of, with_faults
from tests.engine.report.reported import a_plan, a_reported_run, rows_of, texts_of
from tests.texts import plain


def test_the_line_below_the_title_names_the_run() -> None:
    record = a_reported_run().record
    assert run_subtitle(record) == "Run 20261121-043017-aaaa · 2026-11-21 04:30 UTC · completed"


def test_a_failure_is_reported_first_and_without_names() -> None:
    plan = a_plan(targets=(Target.parse("postgresql://telling_name@db1/shop")[0],))
    failure = 'password authentication failed for user "telling_name"'
    run = a_reported_run(plan=plan, state=RunState.FAILED, failure=failure, note="Second try.")
    first, *_, last = run_notices(run)
    assert first == Warn(text="It ended early: password authentication failed for user …")
    assert last == Text(text="Second try.")


def test_omitted_data_is_listed() -> None:
    run = a_reported_run()
    texts = texts_of(left_out_section(run.record, run.data).blocks)
    assert plain(texts[0]) == "The ramp and the warm-up, 3 s before measuring began, are not part of any figure."
    assert texts[-1] == "The orders were not compared with the servers after the run."

    imported = replace(run.record, origin=Origin.DS2_LOG, audit={"verdict": "clean", "stores": []})
    texts = texts_of(left_out_section(imported, run.data).blocks)
    assert any("driver's output" in text for text in texts)
    assert not any("compared with the servers" in text for text in texts)


def test_a_run_that_never_measured_says_so() -> None:
    run = a_reported_run(phases=Phases(warming_up_from=1), totals=None)
    assert "ended before measuring began" in texts_of(left_out_section(run.record, run.data).blocks)[0]


def test_a_line_for_each_fault() -> None:
    run = with_faults(run_of([*constant(60), *constant(5, 0), *constant(95)], over=True), 60, 120)
    rows = rows_of(faults_table(run.plan, recoveries_of(run)))
    assert [plain(cell) for cell in rows[0][:6]] == ["1:00.0", "Fault 1", "recovered", "5 s", "none", "5 s"]
    assert rows[1][:2] == ("2:00.0", "Fault 2")
