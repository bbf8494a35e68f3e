from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from engine.analysis.headline import headline_of
from engine.audit.report import AuditReport, Consistency, Verdict
from engine.report.audit_text import load_sentences
from tests.texts import lacks
from tests.widgets.accessibility import nameless_controls
from tests.widgets.library.test_audit_tables import FIRST, REPORT, SECOND
from widgets.library.audit_view import SIGNS, AuditView
from widgets.parts.look import Look

DVD = headline_of("dvdstore")


@pytest.fixture
def view(qtbot: QtBot) -> AuditView:
    made = AuditView(Look())
    qtbot.addWidget(made)
    made.show()
    return made


def show(view: AuditView, report: AuditReport | None) -> None:
    """As the library keeps it."""
    view.show_audit(None if report is None else report.to_dict())


def test_run_without_an_audit_explains_audits(qtbot: QtBot, view: AuditView) -> None:
    assert view.verdict.text() == "This run has not been audited."
    assert "only reads" in view.sentences.text()
    assert not view.counts.isVisible()
    assert not view.copy.isEnabled()
    with qtbot.waitSignal(view.audit_requested):
        qtbot.keyClick(view.audit, Qt.Key.Key_Space)


def test_verdict_and_findings_are_shown_as_text(view: AuditView) -> None:
    show(view, replace(REPORT, audited_at="2026-11-21T04:30:17+00:00", seconds=1.25))
    assert lacks(view.verdict.text(), "lost", "1 213") == []
    assert lacks(view.sentences.text(), "ds2_1", "3 orders", "(77 …)") == []
    assert view.when.text().endswith("in 1.2\u202fs.")
    for table, rows in ((view.counts, 8), (view.checks, 2), (view.examples, 3)):
        assert table.isVisible()
        assert table.model().rowCount() == rows


def test_checks_get_the_room_that_the_counts_do_not_need(view: AuditView) -> None:
    conditions = tuple(Consistency(what=f"condition {number}", wrong=0) for number in range(1, 13))
    view.resize(1_200, 800)
    show(view, replace(REPORT, stores=(replace(FIRST, consistency=conditions), SECOND)))
    rows = view.counts.verticalHeader()
    assert rows.length() <= view.counts.viewport().height() < rows.length() + 2 * rows.defaultSectionSize()


@pytest.mark.parametrize("verdict", list(Verdict))
def test_each_verdict_has_a_unique_shape(view: AuditView, verdict: Verdict) -> None:
    show(view, AuditReport(verdict=verdict, stores=(replace(SECOND, verdict=verdict),)))
    assert len({shape for shape, _ in SIGNS.values()}) == len(Verdict)
    assert not view.examples.isVisible()
    assert not view.checks.isVisible()


def test_audit_is_copied_as_text(qtbot: QtBot, view: AuditView) -> None:
    show(view, REPORT)
    qtbot.keyClick(view.copy, Qt.Key.Key_Space)
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith(load_sentences(REPORT, DVD)[0])
    assert "Lost\t3\t0\t3" in copied
    assert "History rows off\tds2_1\t1001" in copied
    assert "Lost\tds2_1\t77\t5\t123.45\t61" in copied


def test_cancelled_audit_keeps_the_previous_result(qtbot: QtBot, view: AuditView) -> None:
    show(view, AuditReport(verdict=Verdict.CLEAN, stores=(SECOND,)))
    view.show_progress("Reading ds2", 0.5)
    assert (view.progress.value(), view.note.text) == (500, "Reading ds2")
    assert not view.audit.isEnabled()
    view.cancel.setFocus()
    with qtbot.waitSignal(view.cancel_requested):
        qtbot.keyClick(view.cancel, Qt.Key.Key_Space)
    view.show_trouble("Cancelled.")
    assert (view.note.text, view.progress.isVisible()) == ("Cancelled.", False)
    assert view.audit.hasFocus()
    assert view.verdict.text().startswith("No order was lost")
    show(view, None)
    assert view.note.text == ""


def test_controls_have_accessible_names(view: AuditView) -> None:
    view.show_progress("Reading", 0.1)
    show(view, AuditReport(verdict=Verdict.LOST, stores=(FIRST,)))
    assert nameless_controls(view) == []


def test_verdicts_have_tool_tips(view: AuditView, qtbot: QtBot) -> None:
    qtbot.mouseClick(view.help_button, Qt.MouseButton.LeftButton)
    page = view.show_help()
    assert page.text.textCursor().block().text() == "Verdicts"
    assert page.text.verticalScrollBar().value() > 0
    for verdict in Verdict:
        assert verdict.value.capitalize() in page.text.toPlainText()
    page.reject()
