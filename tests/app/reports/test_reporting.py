"""Reports in the whole window: from selected runs to a preview and to files."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pypdf import PdfReader
from PySide6.QtCore import Qt
from PySide6.QtPrintSupport import QPrintDialog, QPrinter

from app.reports import jobs as report_jobs
from app.window.file_questions import FileQuestions
from engine.errors import BadInput, Cancelled, UserError
from engine.library.library import Library
from engine.report.document import DocumentKind
from engine.report.document_format import DocumentFormat
from engine.report.making import ReportRequest
from tests.app.runs import a_run, keep
from tests.app.window_parts import OpenDesktop
from tests.widgets.report.documents import BLUE, a_document
from widgets.library.library_actions import RunAction
from widgets.parts.message_bar import Severity
from widgets.report.report_page import ReportPage

RUNS = [a_run(minutes_later=minutes, name=f"run {minutes}") for minutes in (1, 2, 3)]
IDS = [run.run_id for run in RUNS]


@pytest.fixture
def opened(shared_window: OpenDesktop) -> OpenDesktop:
    shared_window.show_library(*RUNS)
    return shared_window


def begin(opened: OpenDesktop, run_ids: list[str]) -> ReportPage:
    library = opened.desktop.library
    library.page.select_runs(run_ids)
    library.page.actions_of[RunAction.REPORT].trigger()
    opened.wait_for(lambda: opened.desktop.background.is_idle)  # an earlier test's report may still be there
    opened.wait_for(lambda: library.report_page.document is not None)
    return library.report_page


def test_selected_runs_are_compared_and_written(
    opened: OpenDesktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = begin(opened, IDS)
    assert page.form.kind is DocumentKind.COMPARISON
    assert "run 2" in page.view.toPlainText()
    asked: list[tuple[str, str]] = []

    def answer(
        _self: object, _title: str, suggested: str, kind: str, then: Callable[[Path], None], **_: object
    ) -> None:
        asked.append((suggested, kind))
        then(tmp_path / "out.html")

    opened.desktop.library.report_page.form.title.setText("HDD/SSD: a report")
    monkeypatch.setattr(FileQuestions, "ask_save", answer)
    page.html_button.click()
    opened.wait_for((tmp_path / "out.html").exists)
    assert asked == [("HDD-SSD- a report.html", "HTML, one file (*.html)")]
    assert "HDD/SSD: a report" in (tmp_path / "out.html").read_text()
    opened.wait_for(page.html_button.isEnabled)


def test_published_results_come_into_the_comparison(opened: OpenDesktop) -> None:
    page = begin(opened, IDS[:2])
    reference = page.form.references.item(0)
    assert reference.text() not in page.view.toPlainText()
    reference.setCheckState(Qt.CheckState.Checked)
    opened.wait_for(lambda: page.document is not None)
    assert reference.text() in page.view.toPlainText()


def test_leaving_the_report_returns_to_the_table(opened: OpenDesktop) -> None:
    page = begin(opened, IDS[:2])
    page.back_button.click()
    assert opened.desktop.library.widget.currentWidget() is opened.desktop.library.page


def test_an_error_of_the_export_goes_when_the_next_succeeds_or_the_page_is_left(
    opened: OpenDesktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, bar = begin(opened, IDS[:2]), opened.desktop.window.bar
    paths = [tmp_path / "no folder" / "out.html", tmp_path / "out.html", tmp_path / "no folder" / "out.html"]
    monkeypatch.setattr(FileQuestions, "ask_save", lambda *arguments, **_: arguments[4](paths.pop(0)))
    page.html_button.click()
    opened.wait_for(lambda: bar.severity is Severity.ERROR)
    page.html_button.click()
    opened.wait_for(lambda: bar.severity is Severity.SUCCESS)
    opened.qtbot.mouseClick(bar, Qt.MouseButton.LeftButton)
    assert bar.text == ""  # the error does not come back
    page.html_button.click()
    opened.wait_for(lambda: bar.severity is Severity.ERROR)
    page.back_button.click()
    assert bar.text == ""


def test_a_document_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    with pytest.raises(Cancelled):
        report_jobs.write_document(a_document(), path, on_progress=lambda *_: None, cancelled=lambda: True)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BadInput, match=r"\.html or \.pdf"):
        report_jobs.write_document(
            a_document(), tmp_path / "out.doc", on_progress=lambda *_: None, cancelled=lambda: False
        )


def test_preview_reports_progress_and_can_be_cancelled(tmp_path: Path) -> None:
    keep(tmp_path, *RUNS)
    shares: list[float] = []
    request = ReportRequest(named=tuple(IDS))
    with Library.open(tmp_path / "library.sqlite", notify=print) as library:
        document, drawings = report_jobs.previewed(
            library, request, on_progress=lambda _, share: shares.append(share), cancelled=lambda: False
        )
        with pytest.raises(Cancelled):
            report_jobs.previewed(library, request, on_progress=lambda *_: None, cancelled=lambda: True)
    assert document.kind is DocumentKind.COMPARISON
    assert all(b"<svg" in drawing for drawing in drawings)
    assert shares == sorted(shares)


def test_logo_format_is_detected_from_content(tmp_path: Path) -> None:
    (tmp_path / "logo.svg").write_bytes(BLUE)
    assert report_jobs.read_logo(tmp_path / "logo.svg").format == "svg"
    with pytest.raises(UserError, match="missing"):
        report_jobs.read_logo(tmp_path / "missing.png")


def test_every_format_has_a_kind_of_file() -> None:
    assert {form.value for form in DocumentFormat} == {"html", "pdf"}


def test_report_is_printed_with_the_dialogs_settings(opened: OpenDesktop, tmp_path: Path) -> None:
    page = begin(opened, IDS[:1])
    page.print_button.click()
    dialog = page.findChild(QPrintDialog)
    printer = dialog.printer()
    assert printer.docName() == page.document.title
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "printed.pdf"))
    dialog.accepted.emit(printer)
    text = " ".join(each.extract_text() for each in PdfReader(tmp_path / "printed.pdf").pages)
    assert "run 1" in " ".join(text.split())
    dialog.reject()
