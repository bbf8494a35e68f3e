"""The icons of ``resources/icons``: SVG, drawn in the text colour of the look."""

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from resources import read_icon
from widgets.parts.look import Look


def icon(name: str, look: Look) -> QIcon:
    """The icon of a name; it follows the look when it is painted again."""
    return QIcon(_Engine(read_icon(name), look))


class _Engine(QIconEngine):
    """Paints an SVG whose strokes are ``currentColor``."""

    def __init__(self, svg: str, look: Look) -> None:
        super().__init__()
        self._svg = svg
        self._look = look

    def paint(self, painter: QPainter, rect: object, mode: QIcon.Mode, state: QIcon.State) -> None:
        colours = self._look.colours
        colour = {QIcon.Mode.Disabled: colours.disabled, QIcon.Mode.Selected: colours.on_selection}.get(
            mode, colours.text
        )
        renderer = QSvgRenderer(QByteArray(self._svg.replace("currentColor", colour).encode()))
        renderer.render(painter, QRectF(rect))  # type: ignore[call-overload]

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, pixmap.rect(), mode, state)
        painter.end()
        return pixmap

    def clone(self) -> QIconEngine:
        return _Engine(self._svg, self._look)
