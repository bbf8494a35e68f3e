"""The preview: what a document says is what is read, and its charts are drawn."""

from dataclasses import replace
from pathlib import Path

import pytest
from pypdf import PdfReader
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QColor, QImage, QPageSize, QTextCursor, QTextFormat, QTextTable
from PySide6.QtPrintSupport import QPrinter
from pytestqt.qtbot import QtBot

from engine.report.document import Column, DataTable, Logo, Section
from tests.widgets.report.documents import BLUE, RED, a_document
from widgets.parts.look import LIGHT
from widgets.report.document_view import DocumentView


@pytest.fixture
def view(qtbot: QtBot) -> DocumentView:
    view = DocumentView()
    qtbot.addWidget(view)
    view.resize(800, 2_400)
    with qtbot.waitExposed(view):
        view.show()
    view.show_document(a_document(), [RED, BLUE])
    return view


def tables(view: DocumentView) -> list[QTextTable]:
    return [frame for frame in view.document().rootFrame().childFrames() if isinstance(frame, QTextTable)]


def cell(table: QTextTable, row: int, column: int) -> str:
    cursor = table.cellAt(row, column).firstCursorPosition()
    cursor.setPosition(table.cellAt(row, column).lastPosition(), QTextCursor.MoveMode.KeepAnchor)
    return cursor.selectedText()


def painted(view: DocumentView) -> set[str]:
    image = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    points = ((x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7))
    return {QColor(image.pixel(x, y)).name() for x, y in points}


def test_document_contains_all_texts_in_order(view: DocumentView) -> None:
    text = view.toPlainText()
    wanted = ("Comparison", "HDD against SSD", "2 results", "2026-11-21 09:30 UTC", "Results", "Warning: OPM was not")
    wanted += ("OPM second by second", "Gaps stay gaps.", "Clients", "As published.", "OPM in bars", "Method")
    wanted += ("4 clients against 4 stores <b>.", "PostgreSQL 18", "n_threads=32\nthink_time=0.02", "All by hand")
    places = [text.index(each) for each in (*wanted, "20261121-0930")]
    assert places == sorted(places)


def test_html_within_notes_is_text(view: DocumentView) -> None:
    assert "<i>really</i>" in view.toPlainText()


def test_headings_have_heading_formats(view: DocumentView) -> None:
    levels = {}
    block = view.document().begin()
    while block.isValid():
        if block.blockFormat().headingLevel():
            levels[block.text()] = block.blockFormat().headingLevel()
        block = block.next()
    assert levels == {"HDD against SSD": 1, "Results": 2, "Method": 3}


def test_table_has_header_right_aligned_numbers_and_bold_total(view: DocumentView) -> None:
    clients = next(each for each in tables(view) if cell(each, 0, 0) == "Client")
    assert clients.format().headerRowCount() == 1
    assert [cell(clients, row, 1) for row in range(4)] == ["OPM", "46\u202f627", "46\u202f597", "93\u202f224"]
    number = clients.cellAt(1, 1).firstCursorPosition()
    assert number.blockFormat().alignment() & Qt.AlignmentFlag.AlignRight
    assert clients.cellAt(3, 0).lastCursorPosition().charFormat().font().bold()
    assert not clients.cellAt(2, 0).lastCursorPosition().charFormat().font().bold()


def test_each_chart_has_image_and_description(view: DocumentView) -> None:
    assert {"#ff0000", "#0000ff"} <= painted(view)
    words = []
    block = view.document().begin()
    while block.isValid():
        words += [each.format.toolTip() for each in block.textFormats() if each.format.objectType() > 0]
        block = block.next()
    assert [word for word in words if word] == ["OPM rises", "One bar"]
    assert QTextFormat.ObjectTypes.UserObject.value > 0


def test_a_narrow_page_draws_narrow_charts(view: DocumentView) -> None:
    wide = view.document().size().height()
    view.resize(400, 2_400)
    assert view.horizontalScrollBar().maximum() == 0
    assert view.document().size().height() != wide


def test_paper_is_white_in_every_look(view: DocumentView) -> None:
    assert view.palette().base().color().name() == LIGHT.surface


@pytest.mark.parametrize(("content", "form"), [(BLUE, "svg"), (b"no picture", "png"), (b"<svg", "svg")])
def test_logo_is_at_the_top_and_a_broken_one_is_omitted(view: DocumentView, content: bytes, form: str) -> None:
    view.show_document(replace(a_document(), logo=Logo(content=content, format=form)), [RED, RED])
    assert ("#0000ff" in painted(view)) == (content == BLUE)
    assert "HDD against SSD" in view.toPlainText()


def test_external_resources_are_not_loaded(view: DocumentView) -> None:
    assert view.loadResource(2, QUrl("file:///etc/hostname")) is None
    view.show_document(replace(a_document(), notes="![x](file:///etc/hostname)"), [RED, BLUE])
    assert view.toPlainText()


def test_scroll_position_is_kept(view: DocumentView) -> None:
    view.resize(500, 200)
    view.verticalScrollBar().setValue(300)
    view.show_document(a_document(), [RED, BLUE])
    assert view.verticalScrollBar().value() == 300


@pytest.mark.parametrize("width", range(500, 648, 37))
def test_a_table_of_many_columns_is_not_wider_than_the_page(view: DocumentView, width: int) -> None:
    columns = tuple(Column(title=f"C{place}", is_number=place > 0) for place in range(8))
    many = DataTable(caption="Many", columns=columns, rows=(("1 234",) * len(columns),))
    view.show_document(replace(a_document(), sections=(Section(title="Results", blocks=(many,)),)), ())
    view.resize(width, 400)
    assert view.horizontalScrollBar().maximum() == 0


def test_text_is_separated_from_an_adjacent_number(view: DocumentView) -> None:
    columns = (Column(title="Run"), Column(title="OPM", is_number=True), Column(title="Counts"))
    table = DataTable(caption="Runs", columns=columns, rows=(("one", "1", "best"),))
    document = replace(a_document(), sections=(Section(title="Runs", blocks=(table,)),))
    view.show_document(document, [])
    runs = next(each for each in tables(view) if cell(each, 0, 0) == "Run")
    margins = [runs.cellAt(1, column).firstCursorPosition().blockFormat().leftMargin() for column in range(3)]
    assert margins[:2] == [0, 0]
    assert margins[2] > 0


def test_document_is_printed_with_charts_on_the_printers_page_size(view: DocumentView, tmp_path: Path) -> None:
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "report.pdf"))
    printer.setPageSize(QPageSize(QPageSize.PageSizeId.A5))
    view.print_on(printer)
    pages = PdfReader(tmp_path / "report.pdf").pages
    assert [round(side) for side in pages[0].mediabox[2:]] == [420, 595]
    text = " ".join(" ".join(page.extract_text() for page in pages).split())
    assert "OPM second by second" in text
    assert "PostgreSQL 18" in text
    filled = b"".join(page.get_contents().get_data() for page in pages)
    assert all(f"{red:g} {green:g} {blue:g} scn".encode() in filled for red, green, blue in ((1, 0, 0), (0, 0, 1)))
