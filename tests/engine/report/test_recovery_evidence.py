from dataclasses import replace

import pytest

from engine.analysis.recovery.judging import DEFAULTS, recoveries_of
from engine.analysis.recovery.settings import RecoverySettings
from engine.audit.report import AuditReport, OrderCounts, StoreAudit, Verdict
from engine.errors import BadInput
from engine.histogram import bucket_of, pack
from engine.record.record import Phases
from engine.report.definitions import Term
from engine.report.document import Document, DocumentKind, KeyFigures, Notes
from engine.report.recovery_evidence import recovery_evidence
from engine.report.results import ReportedRun
from resources import read_text
from tests.engine.analysis.faulted import Orders, constant, run_of, with_faults
from tests.engine.report.reported import (
    MADE_AT,
    a_reported_run,
    blocks_of,
    figure_of,
    rows_of,
    samples_of,
    table_of,
    texts_of,
)
from tests.texts import plain

OUTAGE = [*constant(70), *constant(4, 0), *constant(6, 50), *constant(180)]
AUDIT = AuditReport(
    verdict=Verdict.LOST,
    stores=(StoreAudit(target="t", database="ds2", verdict=Verdict.LOST, counts=OrderCounts(present=9_000, lost=2)),),
)


def evidence(*clients: Orders, at: tuple[float, ...] = (70.4,), settings: RecoverySettings = DEFAULTS) -> Document:
    data = with_faults(run_of(*clients, over=True), *at)
    record = replace(a_reported_run([10] * len(clients)).record, audit=AUDIT.to_dict(), phases=Phases(measuring_from=0))
    return recovery_evidence(
        ReportedRun(record=record, data=data), recoveries_of(data, settings), settings, made_at=MADE_AT
    )


def test_one_fault_opens_with_its_figures() -> None:
    document = evidence(OUTAGE)
    assert document.kind is DocumentKind.RECOVERY
    keys = document.sections[0].blocks[0]
    assert isinstance(keys, KeyFigures)
    assert {figure.name: plain(figure.value) for figure in keys.figures} == {
        "State": "Recovered", "Recovered after": "9.6 s", "Black-out": "4 s", "Orders missed": "700",
        "Acknowledged orders lost": "2", "Drop of the running OPM": "8.75 %",
    }  # fmt: skip


def test_every_figure_has_its_meaning_beside_it_and_every_chart_is_there() -> None:
    document = evidence(OUTAGE)
    blocks = blocks_of(document.sections)
    for group in ("Baseline", "As felt", "As published", "As TPC-E defines it", "Calls and users"):
        assert [column.title for column in table_of(blocks, group).columns] == ["Figure", "Value", "Meaning"]
    assert ("Brown-out", "6 s", "Seconds with orders, but under the threshold.") in rows_of(table_of(blocks, "As felt"))
    assert figure_of(blocks, "Every second around the fault")
    assert figure_of(blocks, "As TPC-E draws it")
    assert [section.title for section in document.sections][:4] == [
        "Result",
        "Fault 1, at 1:10.4",
        "Figures of all clients together",
        "Audit of the orders",
    ]


def test_each_client_stands_beside_the_others() -> None:
    rows = rows_of(table_of(blocks_of(evidence(OUTAGE, constant(260)).sections), "The clients through"))
    assert [row[0] for row in rows] == ["ds2 #1", "ds2 #2", "All clients"]
    assert rows[0][7] == rows[2][7] == "700"


def test_repeated_faults_have_a_section_each_and_their_spread() -> None:
    data = run_of([*OUTAGE, *OUTAGE], over=True)
    for number, at in enumerate((70.4, 330.4), start=1):
        round_ = with_faults(run_of(constant(1)), at).sorted_events()[0]
        data.put_event(replace(round_, number=number, label=f"Kill primary ({number} of 2)"))
    run = ReportedRun(record=a_reported_run((10,)).record, data=data)
    document = recovery_evidence(run, recoveries_of(data), DEFAULTS, made_at=MADE_AT)
    assert [row[0] for row in rows_of(table_of(document.sections[0].blocks, "The faults"))] == ["1:10.4", "5:30.4"]
    spread = rows_of(table_of(blocks_of(document.sections), "Kill primary, 2 times"))
    assert ("Brown-out", "6 s", "6 s", "6 s, 6 s") in spread
    assert sum(title.startswith("Kill primary") for title in [section.title for section in document.sections]) == 2


def test_too_short_a_run_says_why_a_graph_is_missing() -> None:
    texts = texts_of(blocks_of(evidence(constant(100), at=(60,)).sections))
    assert any("takes two whole minutes" in text for text in texts)


def test_it_tells_by_what_it_judged_and_holds_the_definitions() -> None:
    document = evidence(OUTAGE, settings=RecoverySettings(threshold_pct=90, hold_seconds=8))
    texts = [plain(text) for text in texts_of(blocks_of(document.sections))]
    assert "Threshold: 90 % of the baseline" in texts
    assert "Hold time: 8 s" in texts
    (notes,) = (block for block in document.sections[-1].blocks if isinstance(block, Notes))
    assert "TPC Benchmark E, Standard Specification 1.14.0" in notes.markdown
    assert read_text("help", "recovery.md").endswith(notes.markdown)
    assert not notes.markdown.lstrip().startswith("# ")


@pytest.mark.parametrize("overdue", [None, pack({bucket_of(90_000): 5})])
def test_what_as_intended_means_stands_where_it_is_drawn(overdue: bytes | None) -> None:
    data = with_faults(run_of(OUTAGE, over=True), 70.4)
    for sample in samples_of((10,)):
        data.latency.add(replace(sample, overdue=overdue))
    run = ReportedRun(record=a_reported_run((10,)).record, data=data)
    document = recovery_evidence(run, recoveries_of(data), DEFAULTS, made_at=MADE_AT)
    is_drawn = "as intended" in figure_of(blocks_of(document.sections), "Response time").caption
    assert is_drawn is (overdue is not None)
    name, meaning = Term.INTENDED.define(data.headline)
    assert (f"{name}: {meaning}" in texts_of(document.sections[-1].blocks)) is is_drawn


def test_a_run_without_a_fault_makes_no_evidence() -> None:
    run = a_reported_run()
    with pytest.raises(BadInput, match="mark one as a fault"):
        recovery_evidence(run, [], DEFAULTS, made_at=MADE_AT)
