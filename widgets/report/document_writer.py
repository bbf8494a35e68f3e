"""Writes a document into a ``QTextDocument``, block by block. Called by ``DocumentView``.

It formats nothing: every figure is the same text as in HTML and PDF.
"""

from typing import assert_never

from PySide6.QtCore import QByteArray, QRectF, QSize
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QImage,
    QPainter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextDocumentFragment,
)
from PySide6.QtSvg import QSvgRenderer

from engine.figure_text import moment
from engine.report.document import (
    Block,
    ChartFigure,
    DataTable,
    Document,
    Facts,
    KeyFigures,
    Listing,
    Logo,
    Notes,
    Section,
    Text,
    Warn,
)
from widgets.report.document_tables import insert_data, insert_facts, insert_key_figures, insert_warning
from widgets.report.drawings import Drawings
from widgets.report.paper import Paper

_LOGO_LINES = 3
_PIXELS_A_POINT = 4
_MARKDOWN = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML


class DocumentWriter:
    """Writes one document into ``text`` in ``font``; its charts are ``drawings``, in order."""

    def __init__(self, text: QTextDocument, drawings: Drawings, font: QFont) -> None:
        self._text, self._drawings = text, drawings
        self._paper = Paper(font, QFontMetricsF(font).height())
        self._cursor = QTextCursor(text)
        self._charts = 0

    def write(self, document: Document) -> None:
        """Replace the text by this document."""
        paper = self._paper
        self._text.clear()
        self._cursor = QTextCursor(self._text)
        self._cursor.beginEditBlock()
        if document.logo is not None:
            self._logo(document.logo)
        self._line(document.kind.label, paper.muted(), below=0)
        self._line(document.title, paper.heading(0), level=0)
        if document.subtitle:
            self._line(document.subtitle, paper.text())
        self._line(f"Made {moment(document.made_at)}", paper.muted(), below=1)
        if document.notes.strip():
            self._notes(document.notes)
        for section in document.sections:
            self._section(section)
        if document.footer:
            self._line(document.footer, paper.muted(), above=1)
        self._cursor.endEditBlock()

    def _section(self, section: Section) -> None:
        self._line(section.title, self._paper.heading(section.level), above=1, level=section.level)
        for block in section.blocks:
            self._block(block)

    def _block(self, block: Block) -> None:
        cursor, paper = self._cursor, self._paper
        match block:
            case Text():
                self._line(block.text, paper.text())
            case Notes():
                self._notes(block.markdown)
            case Listing():
                self._listing(block.text)
            case Facts():
                insert_facts(cursor, paper, block)
            case KeyFigures():
                insert_key_figures(cursor, paper, block)
            case DataTable():
                self._captioned(block.caption)
                insert_data(cursor, paper, block)
                self._noted(block.note)
            case Warn():
                insert_warning(cursor, paper, block.text)
            case ChartFigure():
                self._captioned(block.caption)
                self._chart(block)
                self._noted(block.note)
            case _:
                assert_never(block)

    def _chart(self, figure: ChartFigure) -> None:
        self._begin_block()
        self._drawings.insert(self._cursor, self._charts, figure.chart.alt)
        self._charts += 1

    def _listing(self, text: str) -> None:
        form = self._paper.letters_of_one_width()
        for line in text.splitlines():
            self._line(line, form, below=0)
        self._line("", self._paper.text())

    def _captioned(self, caption: str) -> None:
        if caption:
            self._line(caption, self._paper.text(bold=True), above=0.4, below=0.2)

    def _noted(self, note: str) -> None:
        if note:
            self._line(note, self._paper.muted())

    def _notes(self, markdown: str) -> None:
        self._begin_block()
        self._cursor.insertFragment(QTextDocumentFragment.fromMarkdown(markdown, _MARKDOWN))

    def _logo(self, logo: Logo) -> None:
        image = _svg_image(logo.content) if logo.format == "svg" else QImage.fromData(logo.content)
        if not image.isNull():
            self._begin_block()
            shown = image.scaledToHeight(round(_PIXELS_A_POINT * _LOGO_LINES * self._paper.line))
            shown.setDevicePixelRatio(_PIXELS_A_POINT)
            self._cursor.insertImage(shown)

    def _line(
        self, text: str, form: QTextCharFormat, *, above: float = 0.0, below: float = 0.35, level: int | None = None
    ) -> None:
        self._begin_block(above=above, below=below, level=level)
        self._cursor.insertText(text, form)

    def _begin_block(self, *, above: float = 0.0, below: float = 0.35, level: int | None = None) -> None:
        """A new paragraph, unless the last one is still empty, as it is below a table."""
        form = self._paper.paragraph(above=above, below=below, level=level)
        if self._cursor.block().length() > 1:
            self._cursor.insertBlock(form, self._paper.text())
        else:
            self._cursor.setBlockFormat(form)


def _svg_image(content: bytes) -> QImage:
    """A drawing as an image with as many pixels as a large screen needs; nothing for an invalid SVG."""
    renderer = QSvgRenderer(QByteArray(content))
    size: QSize = renderer.defaultSize() * _PIXELS_A_POINT
    if not renderer.isValid() or size.isEmpty():
        return QImage()
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    renderer.render(painter, QRectF(image.rect()))
    painter.end()
    return image
