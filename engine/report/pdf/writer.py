"""A document as a PDF on A4 with selectable text and vector charts.

ReportLab lays out the pages, matplotlib draws each chart as a separate PDF, and pypdf merges it into the space reserved
on its page: all in Python, and the same on every platform.
"""

import io
from datetime import UTC

from pypdf import PdfReader, PdfWriter, Transformation
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate

from engine.report.charts import drawing
from engine.report.document import ChartFigure, Document
from engine.report.pdf.blocks import FRAME_PT, ChartBox, head_flowables, section_flowables
from engine.report.pdf.text import BODY, MUTED, styles

_WIDTH_PT, _HEIGHT_PT = A4
_LEFT_PT = (_WIDTH_PT - FRAME_PT) / 2
_TOP_PT, _BOTTOM_PT = 22 * mm, 24 * mm
_FOOT_PT = 13 * mm
_FOOT_SIZE = 7
_LONGEST_FOOT = 90


def pdf_of(document: Document) -> bytes:
    """The content of the file. The same document gives the same pages.

    Raises ``BadInput`` for a logo that is an SVG picture, which only HTML supports, or no picture at all.
    """
    boxes = [_box(block) for section in document.sections for block in section.blocks if isinstance(block, ChartFigure)]
    pages = PdfWriter(clone_from=io.BytesIO(_pages(document, boxes)))
    for box in boxes:
        chart = PdfReader(io.BytesIO(box.drawn)).pages[0]
        pages.pages[box.page].merge_transformed_page(chart, Transformation().translate(*box.corner))
    pages.add_metadata(
        {
            "/Title": document.title,
            "/Subject": document.kind.label,
            "/Creator": "Spindle",
            "/CreationDate": f"D:{document.made_at.astimezone(UTC):%Y%m%d%H%M%S}Z",
        }
    )
    whole = io.BytesIO()
    pages.write(whole)
    return whole.getvalue()


def _box(block: ChartFigure) -> ChartBox:
    drawn = drawing.pdf(block.chart)
    size = PdfReader(io.BytesIO(drawn)).pages[0].mediabox
    return ChartBox(drawn, float(size.width), float(size.height))


def _pages(document: Document, boxes: list[ChartBox]) -> bytes:
    """The pages without their charts; afterwards each box knows its position."""
    style = styles()
    story: list[Flowable] = list(head_flowables(document, style))
    left = list(boxes)
    for number, section in enumerate(document.sections):
        depth = 0 if number == 0 else section.level - 1  # what has no chapter before it is one
        story += section_flowables(section, depth, f"section-{number}", left, style)
    whole = io.BytesIO()
    frame = Frame(_LEFT_PT, _BOTTOM_PT, FRAME_PT, _HEIGHT_PT - _TOP_PT - _BOTTOM_PT, 0, 0, 0, 0)
    template = BaseDocTemplate(
        whole,
        pagesize=A4,
        pageTemplates=[PageTemplate(frames=[frame])],
        invariant=1,
        lang="en",
        initialFontName=BODY,
    )
    template.build(story, canvasmaker=lambda *given, **named: _NumberedPages(document, *given, **named))
    return whole.getvalue()


class _NumberedPages(Canvas):
    """A canvas that keeps its pages until their number is known, and then adds a foot with the page number to each."""

    def __init__(self, document: Document, *given: object, **named: object) -> None:
        super().__init__(*given, **named)  # type: ignore[arg-type]
        self._document = document
        self._kept: list[dict[str, object]] = []

    def showPage(self) -> None:  # noqa: N802 - ReportLab's name
        self._kept.append(dict(self.__dict__))
        self._startPage()  # type: ignore[attr-defined]

    def save(self) -> None:
        for number, page in enumerate(self._kept, start=1):
            self.__dict__.update(page)
            self._draw_foot(number, len(self._kept))
            super().showPage()
        super().save()

    def _draw_foot(self, number: int, pages: int) -> None:
        self.setFont(BODY, _FOOT_SIZE)
        self.setFillColor(MUTED)
        self.drawString(_LEFT_PT, _FOOT_PT, _shortened(self._document.footer))
        self.drawRightString(_LEFT_PT + FRAME_PT, _FOOT_PT, f"{number} / {pages}")
        if number > 1:
            self.drawString(_LEFT_PT, _HEIGHT_PT - _FOOT_PT, _shortened(self._document.title))


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_FOOT else f"{text[: _LONGEST_FOOT - 1]}…"
