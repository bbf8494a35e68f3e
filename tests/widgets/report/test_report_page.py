"""The page of a report, driven by keys and clicks."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from engine.report.document import DocumentKind, Logo
from engine.report.document_format import DocumentFormat
from tests.widgets.accessibility import nameless_controls
from tests.widgets.report.documents import BLUE, RED, a_document
from widgets.report.report_page import ReportPage

REFERENCES = [("R630 HDD", "a white paper"), ("R630 SSD", "another")]


@pytest.fixture
def page(qtbot: QtBot) -> ReportPage:
    page = ReportPage()
    qtbot.addWidget(page)
    page.resize(1_180, 760)
    with qtbot.waitExposed(page):
        page.show()
    with qtbot.waitSignal(page.build_requested):
        page.begin([DocumentKind.RUN, DocumentKind.COMPARISON], REFERENCES)
    return page


def click(qtbot: QtBot, button: QWidget) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_likeliest_kind_is_requested_at_once(qtbot: QtBot) -> None:
    page = ReportPage()
    qtbot.addWidget(page)
    with qtbot.waitSignal(page.build_requested) as signal:
        page.begin([DocumentKind.SET, DocumentKind.COMPARISON], REFERENCES)
    assert signal.args == [DocumentKind.SET, []]
    assert page.document is None


def test_export_is_disabled_until_the_report_is_made(page: ReportPage) -> None:
    assert page.loading.isVisible()
    assert not page.html_button.isEnabled()
    page.show_report(a_document(), [RED, BLUE])
    assert page.html_button.isEnabled()
    assert page.pdf_button.isEnabled()
    assert page.view.isVisible()


def test_published_results_are_offered_for_matching_reports(page: ReportPage, qtbot: QtBot) -> None:
    assert not page.form.references.isVisible()
    with qtbot.waitSignal(page.build_requested) as signal:
        qtbot.keyClick(page.form.kinds, Qt.Key.Key_Down)
    assert signal.args == [DocumentKind.COMPARISON, []]
    assert page.form.references.item(1).toolTip().endswith("\nanother")
    page.form.references.setFocus()
    qtbot.keyClick(page.form.references, Qt.Key.Key_Down)
    with qtbot.waitSignal(page.build_requested) as signal:
        qtbot.keyClick(page.form.references, Qt.Key.Key_Space)
    assert signal.args == [DocumentKind.COMPARISON, ["R630 SSD"]]


def test_title_and_notes_update_the_preview(page: ReportPage, qtbot: QtBot) -> None:
    page.show_report(a_document(), [RED, BLUE])
    assert page.form.title.placeholderText() == "HDD against SSD"
    with qtbot.waitSignal(page.form.words_changed):
        qtbot.keyClicks(page.form.title, "Acceptance")
        qtbot.keyClicks(page.form.notes, "Seen **by us**")
    assert "Acceptance" in page.view.toPlainText()
    assert "Seen by us" in page.view.toPlainText()
    assert "HDD against SSD" not in page.view.toPlainText()


def test_export_has_the_shown_document(page: ReportPage, qtbot: QtBot) -> None:
    page.show_report(a_document(), [RED, BLUE])
    qtbot.keyClicks(page.form.title, " Acceptance ")
    logo = Logo(content=BLUE, format="svg")
    page.set_logo(logo)
    with qtbot.waitSignal(page.export_requested) as signal:
        click(qtbot, page.pdf_button)
    document, form = signal.args
    assert (document.title, document.logo, form) == ("Acceptance", logo, DocumentFormat.PDF)
    click(qtbot, page.form.no_logo_button)
    with qtbot.waitSignal(page.export_requested) as signal:
        click(qtbot, page.html_button)
    assert (signal.args[0].logo, signal.args[1]) == (None, DocumentFormat.HTML)


def test_export_can_be_cancelled_and_runs_once(page: ReportPage, qtbot: QtBot) -> None:
    page.show_report(a_document(), [RED, BLUE])
    page.show_writing("Writing it")
    assert not page.pdf_button.isEnabled()
    with qtbot.waitSignal(page.cancel_requested):
        click(qtbot, page.stop_button)
    assert not page.stop_button.isEnabled()
    page.show_writing(None)
    assert not page.stop_button.isVisible()
    assert page.pdf_button.isEnabled()


def test_unavailable_kind_has_a_reason(page: ReportPage) -> None:
    page.show_trouble("name two runs or more.")
    assert page.trouble == "Name two runs or more."
    assert page.document is None
    assert not page.html_button.isEnabled()


def test_leaving_cancels_making_the_report(page: ReportPage, qtbot: QtBot) -> None:
    with qtbot.waitSignals([page.cancel_requested, page.back_requested]):
        qtbot.keyClick(page, Qt.Key.Key_Escape)
    page.show_report(a_document(), [RED, BLUE])
    with qtbot.assertNotEmitted(page.cancel_requested), qtbot.waitSignal(page.back_requested):
        click(qtbot, page.back_button)


def test_another_report_starts_without_title_and_notes(page: ReportPage, qtbot: QtBot) -> None:
    qtbot.keyClicks(page.form.title, "Acceptance")
    page.begin([DocumentKind.RUN], [])
    assert page.form.title.text() == ""


def test_another_report_starts_at_the_top(page: ReportPage) -> None:
    page.resize(1_180, 300)
    page.show_report(a_document(), [RED, BLUE])
    bar = page.view.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert bar.value() > 0
    page.begin([DocumentKind.RUN], [])
    page.show_report(a_document(), [RED, BLUE])
    assert bar.value() == 0


def test_every_control_has_a_name(page: ReportPage) -> None:
    page.show_report(a_document(), [RED, BLUE])
    assert nameless_controls(page) == []
