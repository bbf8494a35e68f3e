from dataclasses import replace

import pytest

from engine.analysis.comparing.configuration import Configuration
from engine.analysis.recovery.judging import recoveries_of
from engine.report.document import DocumentKind, KeyFigures, Warn
from engine.report.one_run import one_run_report
from engine.report.results import ReportedRun
from engine.telemetry.event import EventKind, RunEvent
from tests.engine.report.reported import MADE_AT, a_reported_run, blocks_of, rows_of, samples_of, table_of, texts_of
from tests.texts import plain
from tests.totals import totals_with

PUBLISHED = (67, 63, 68)


def report(run: ReportedRun, **values: object):  # type: ignore[no-untyped-def]
    return one_run_report(run, made_at=MADE_AT, **values)  # type: ignore[arg-type]


def test_one_run_report_has_name_and_method() -> None:
    document = report(a_reported_run())
    assert document.kind is DocumentKind.RUN
    assert document.title == "evening load"
    assert document.footer == "Run 20261121-043017-aaaa"
    assert [section.title for section in document.sections] == [
        "Result", "Clients", "Response times", "Method", "What was left out", "Event log", "Definitions",
    ]  # fmt: skip


def test_one_run_report_has_key_figures() -> None:
    (keys,) = (each for each in blocks_of(report(a_reported_run((10, 20))).sections) if isinstance(each, KeyFigures))
    assert {figure.name: plain(f"{figure.value} {figure.unit}".strip()) for figure in keys.figures} == {
        "Orders per minute": "1 800 OPM", "Variability": "50.00 %", "Response time, p95": "4.00 ms", "Errors": "0",
    }  # fmt: skip


def test_one_client_has_no_variability() -> None:
    blocks = blocks_of(report(a_reported_run((10,))).sections)
    (keys,) = (each for each in blocks if isinstance(each, KeyFigures))
    assert "Variability" not in [figure.name for figure in keys.figures]
    table = table_of(blocks, "The clients")
    assert table.total is None
    assert table.note == ""


def test_the_table_of_clients_is_that_of_the_published_reports() -> None:
    table = table_of(blocks_of(report(a_reported_run(PUBLISHED)).sections), "The clients")
    assert [row[1] for row in rows_of(table)] == ["4 020", "3 780", "4 080", "11 880"]
    assert rows_of(table)[-1][0] == "All clients"
    assert table.note == "Variability of the clients' OPM: 7.35\u202f%."
    assert all(column.is_number for column in table.columns[1:])


def test_one_run_report_has_warnings() -> None:
    warnings = [each.text for each in blocks_of(report(a_reported_run()).sections) if isinstance(each, Warn)]
    assert any("Steady state" in text for text in warnings)


def test_errors_are_listed_by_class() -> None:
    samples = [replace(each, errors={"connection_lost": 2}) for each in samples_of((10, 20))]
    document = report(a_reported_run(samples=samples))
    assert "Response times and errors" in [section.title for section in document.sections]
    assert rows_of(table_of(blocks_of(document.sections), "Errors by class")) == [("connection lost", "24")]


def test_a_fault_is_reported_with_its_recovery() -> None:
    fault = RunEvent(at_seconds=5.4, kind=EventKind.INJECTION, label="Kill primary", is_fault=True)
    run = a_reported_run(events=(fault,))
    document = report(run, recoveries=recoveries_of(run.data))
    assert "Faults" in [section.title for section in document.sections]
    assert any(text.startswith("Kill primary: ") for text in texts_of(blocks_of(document.sections)))


def test_an_imported_run_without_percentiles_is_reported_as_far_as_it_is_known() -> None:
    totals = totals_with(opm=24_085, clients=[{"label": "ds2", "opm": 24_085, "rt_ms": {"mean": 6.1}}])
    table = table_of(blocks_of(report(a_reported_run((10,), totals=totals)).sections), "The clients")
    assert rows_of(table) == [("ds2", "24 085", "–", "–", "6.10", "–", "–", "–", "–", "–", "–")]


def test_a_run_without_any_figures_still_has_its_document() -> None:
    document = report(a_reported_run(totals=None, samples=[], name=""))
    assert document.title == "20261121-043017-aaaa"
    assert "Clients" not in [section.title for section in document.sections]


def test_only_the_figures_that_are_used_are_defined() -> None:
    def defined(run: ReportedRun) -> list[str]:
        return [text.partition(":")[0] for text in texts_of(report(run).sections[-1].blocks)]

    assert "Variability" in defined(a_reported_run((10, 20)))
    assert not {"Variability", "Cost per OPM"} & set(defined(a_reported_run((10,))))


@pytest.mark.parametrize("word", ["Cost", "Power"])
def test_cost_and_watts_stand_where_they_are_known(word: str) -> None:
    assert not any(title.startswith(word) for title in [section.title for section in report(a_reported_run()).sections])
    empty = a_reported_run(configuration=Configuration(name="bare"))
    assert not any(title.startswith(word) for title in [section.title for section in report(empty).sections])
