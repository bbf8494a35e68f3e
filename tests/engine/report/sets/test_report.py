import pytest

from engine.analysis.comparing.references import find_reference, shipped_references
from engine.errors import BadInput
from engine.record.record import RunState
from engine.report.document import BarChart, Document, KeyFigures, Warn
from engine.report.results import ReportedRun, result_of_reference
from engine.report.sets.report import run_set_report
from engine.target.target import Target
from engine.telemetry.event import EventCode, EventKind, RunEvent
from tests.engine.events import limit, suspended, warning
from tests.engine.report.reported import (
    MADE_AT,
    a_plan,
    a_reported_run,
    a_reported_set,
    blocks_of,
    figure_of,
    rows_of,
    table_of,
    texts_of,
    titles,
)
from tests.texts import lacks, one_with, plain


def a_run(*orders: int, **changed: object) -> ReportedRun:
    name = f"run {sum(orders)}"
    return a_reported_run(orders, run_id=f"id-{sum(orders)}", name=name, **changed)  # type: ignore[arg-type]


def a_report(*runs: ReportedRun, note: str = "") -> Document:
    return run_set_report(a_reported_set(runs, note=note), made_at=MADE_AT)


def warned(label: str) -> RunEvent:
    return RunEvent(at_seconds=4.0, kind=EventKind.WARNING, label=label)


def warnings_of(document: Document) -> list[str]:
    return [block.text for block in blocks_of(document.sections) if isinstance(block, Warn)]


def test_the_median_run_is_named_and_its_own_clients_are_reported() -> None:
    document = a_report(a_run(30, 30), a_run(10, 20), a_run(20, 25))
    blocks = blocks_of(document.sections)
    assert (document.title, document.subtitle) == ("SSD, 20 ms", "3 runs, of which 3 count")
    assert texts_of(blocks)[0] == "run 45 is the median run of 3."
    assert rows_of(table_of(blocks, "OPM of each client")) == [
        ("ds2 #1", "1 200"),
        ("ds2 #2", "1 500"),
        ("Total", "2 700"),
    ]
    assert titles(document.sections) == [
        "Result",
        "Runs",
        "The median run",
        "Method",
        "What was left out",
        "Definitions",
    ]


def test_set_report_has_key_figures() -> None:
    (figures,) = (
        block
        for block in blocks_of(a_report(a_run(30, 30), a_run(10, 20), a_run(20, 25)).sections)
        if isinstance(block, KeyFigures)
    )
    assert [(each.name, plain(each.value)) for each in figures.figures] == [
        ("Median run", "2 700"),
        ("Best", "3 600"),
        ("Worst", "1 800"),
        ("Spread", "50.0 %"),
        ("Variability of its clients", "20.00 %"),
    ]


def test_every_run_has_its_row_in_the_set_s_order_and_its_place() -> None:
    document = a_report(a_run(30), a_run(10), a_run(40, state=RunState.STOPPED), a_run(20), a_run(22))
    blocks = blocks_of(document.sections)
    rows = rows_of(table_of(blocks, "The runs of the set"))
    assert [(row[0], row[1], row[2], row[-1]) for row in rows] == [
        ("run 30", "1 800", "+50.0 %", "best"),
        ("run 10", "600", "−50.0 %", "worst"),
        ("run 40", "2 400", "+100.0 %", "left out: it was stopped"),
        ("run 20", "1 200", "–", "median"),
        ("run 22", "1 320", "+10.0 %", "yes"),
    ]
    assert "run 30: id-30, 2026-11-21 04:30 UTC" in texts_of(blocks)
    assert any("the lower of the middle two" in text and "Left out: run 40" in text for text in texts_of(blocks))


def test_only_the_runs_that_count_have_bars_with_a_line_at_the_median() -> None:
    document = a_report(a_run(30), a_run(10), a_run(40, state=RunState.FAILED), a_run(20))
    chart = figure_of(blocks_of(document.sections), "OPM of the runs that count").chart
    assert isinstance(chart, BarChart)
    assert (chart.groups, chart.bars[0].values) == (("run 30", "run 10", "run 20"), (1800, 600, 1200))
    assert chart.level is not None
    assert chart.level.y == 1200


def test_runs_with_one_name_get_their_ids() -> None:
    runs = [a_reported_run((each,), run_id=f"id-{each}", name="same") for each in (1, 2, 3)]
    rows = rows_of(table_of(blocks_of(a_report(*runs).sections), "The runs of the set"))
    assert [row[0] for row in rows] == ["same (id-1)", "same (id-2)", "same (id-3)"]


def test_runs_of_different_plans_and_what_limits_them_are_warned_of() -> None:
    warnings = warnings_of(a_report(a_run(30), a_run(10, plan=a_plan(clients=1, threads=64)), a_run(20)))
    assert lacks(warnings[0], "differ in", "users per client") == []
    assert lacks(warnings[1], "run 30, run 10 and run 20", "steady state not assessed") == []


def test_warning_of_several_runs_is_shown_once_with_their_names() -> None:
    how = "the clients used up to 93 % of it"
    busy = limit(4.0, EventCode.WORKSTATION_BOTTLENECK, how, lasted_seconds=4)
    late = suspended(4.0, 12.3)
    document = a_report(
        a_run(30, events=[busy]),
        a_run(20),
        a_run(10, events=[busy, late]),
        a_run(40, events=[warning(4.0, EventCode.PROBE_LOST, "the probe is lost")], state=RunState.STOPPED),
    )
    warnings = warnings_of(document)
    assert lacks(one_with(warnings, "bottleneck"), "run 30 and run 10: ", "4 s", "from 0:01", how) == []
    assert lacks(one_with(warnings, "suspended"), "run 10: ", "12.3 s") == []
    assert not [warning for warning in warnings if "run 40" in warning or "probe" in warning]


def test_warnings_name_no_user_of_the_databases() -> None:
    lost = limit(4.0, EventCode.WORKSTATION_NETWORK, "bob carried up to 90 %", lasted_seconds=4)
    plan = a_plan(clients=1, targets=(Target.parse("postgresql://bob@db1/ds2")[0],))
    warning = one_with(warnings_of(a_report(a_run(30, events=[lost], plan=plan))), "limited")
    assert "bob" not in warning
    assert "carried up to 90 %" in warning


def test_published_results_stand_beside_the_median() -> None:
    reference = find_reference(shipped_references(), "R630, 4 databases, SSD, 20 ms")
    assert reference is not None
    reported = a_reported_set([a_run(30, 30), a_run(10, 20), a_run(20, 25)])
    document = run_set_report(reported, made_at=MADE_AT, references=[result_of_reference(reference)])
    blocks = blocks_of(document.sections)
    assert "Published results" in titles(document.sections)
    assert rows_of(table_of(blocks, "OPM of each client"))[-1] == ("Total", "2 700", "186 604")
    assert rows_of(table_of(blocks, "Where they were published"))[0][1].startswith("Published DVD Store 2.1 test")


def test_the_note_of_the_set_is_shown() -> None:
    assert "after the new firmware" in texts_of(blocks_of(a_report(a_run(1), note="after the new firmware").sections))


def test_a_set_of_which_no_run_counts_is_refused() -> None:
    with pytest.raises(BadInput, match="no run that counts"):
        a_report(a_run(10, state=RunState.FAILED))
    with pytest.raises(BadInput, match="no run that counts"):
        a_report()
