"""A report as it will be printed, on white paper. Called by ``ReportPage``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QPageLayout, QResizeEvent
from PySide6.QtWidgets import QTextBrowser, QWidget

from engine.report.document import Document
from widgets.report.document_writer import DocumentWriter
from widgets.report.drawings import OBJECT_TYPE, Drawings
from widgets.report.paper import paper_palette

if TYPE_CHECKING:
    from PySide6.QtPrintSupport import QPrinter

_WIDEST_CHARACTERS = 130
_MARGIN_CHARACTERS = 2
_POINTS_PER_INCH = 72


class DocumentView(QTextBrowser):
    """Shows a ``Document``: its text can be searched, selected and copied. Nothing is fetched from anywhere."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        character = self.fontMetrics().averageCharWidth()
        self._drawings = Drawings(_WIDEST_CHARACTERS * character, self)
        self.setAccessibleName("Preview of the report")
        self.setOpenLinks(False)
        self.setPalette(paper_palette())
        self.document().setDocumentMargin(_MARGIN_CHARACTERS * character)
        self.document().documentLayout().registerHandler(OBJECT_TYPE, self._drawings)

    def show_document(self, document: Document, drawings: Sequence[bytes]) -> None:
        """Show a document; ``drawings`` are its charts as SVG, in order. The scroll position is kept."""
        down = self.verticalScrollBar().value()
        self._drawings.set_drawings(drawings)
        DocumentWriter(self.document(), self._drawings, self.font()).write(document)
        self.verticalScrollBar().setValue(down)

    def print_on(self, printer: "QPrinter") -> None:
        """Print the document, laid out for the printer's paper in the proportions of the screen."""
        paper = printer.pageLayout().paintRect(QPageLayout.Unit.Point).size()
        copy = self.document().clone(self)
        copy.documentLayout().registerHandler(OBJECT_TYPE, self._drawings)
        copy.setDocumentMargin(0)
        copy.setPageSize(paper * (self.logicalDpiX() / _POINTS_PER_INCH))
        copy.print_(printer)
        copy.deleteLater()

    def loadResource(self, kind: int, name: QUrl | str) -> Any:  # noqa: N802
        """Pictures of the document are loaded already; others, such as those of notes, are not fetched."""
        return None

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.document().markContentsDirty(0, self.document().characterCount())
