"""The charts of a document within its text: SVG drawings scaled to the page's width."""

from collections.abc import Sequence

from PySide6.QtCore import QByteArray, QObject, QRect, QRectF, QSizeF
from PySide6.QtGui import QPainter, QPyTextObject, QTextCharFormat, QTextCursor, QTextDocument, QTextFormat
from PySide6.QtSvg import QSvgRenderer

OBJECT_TYPE = QTextFormat.ObjectTypes.UserObject.value + 1
_PLACE = QTextFormat.Property.UserProperty.value + 1
_CHARACTER = "\ufffc"


class Drawings(QPyTextObject):
    """Draws SVG wherever ``insert`` put one; a drawing is never wider than ``widest`` pixels."""

    def __init__(self, widest: float, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._widest = widest
        self._renderers: list[QSvgRenderer] = []

    def set_drawings(self, drawings: Sequence[bytes]) -> None:
        """Take these drawings, to be inserted by index from 0."""
        self._renderers = [QSvgRenderer(QByteArray(drawing)) for drawing in drawings]

    def insert(self, cursor: QTextCursor, place: int, words: str) -> None:
        """Insert a drawing at the cursor; ``words`` are its description for screen readers."""
        form = QTextCharFormat()
        form.setObjectType(OBJECT_TYPE)
        form.setProperty(_PLACE, place)
        form.setToolTip(words)
        cursor.insertText(_CHARACTER, form)

    def intrinsicSize(self, document: QTextDocument, position: int, form: QTextFormat) -> QSizeF:  # noqa: N802
        drawn = QSizeF(self._renderer(form).defaultSize())
        if drawn.isEmpty():
            return QSizeF(1, 1)
        margins = 2 * document.documentMargin() + 2
        width = max(1.0, min(self._widest, document.textWidth() - margins))
        return QSizeF(width, drawn.height() * width / drawn.width())

    def drawObject(  # noqa: N802
        self, painter: QPainter, rect: QRectF | QRect, document: QTextDocument, position: int, form: QTextFormat
    ) -> None:
        self._renderer(form).render(painter, QRectF(rect))

    def _renderer(self, form: QTextFormat) -> QSvgRenderer:
        return self._renderers[int(form.property(_PLACE))]
