"""A chart as a picture for a report: bytes of PNG or SVG of everything that its scene shows."""

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize
from PySide6.QtGui import QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsView

PNG_SCALE = 2.0


def png_of(view: QGraphicsView, scale: float = PNG_SCALE) -> bytes:
    """The view as PNG, with ``scale`` pixels for each of the screen's."""
    image = QImage(view.size() * scale, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(scale)
    image.fill(view.backgroundBrush().color())
    painter = QPainter(image)
    view.render(painter, QRectF(view.rect()), view.rect())
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(buffer.data().data())


def svg_of(view: QGraphicsView, title: str, description: str) -> bytes:
    """The view as SVG, with its words for those who can't see it."""
    buffer = QBuffer()
    # SVG Tiny, the generator's default, knows no clipping.
    generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(view.width(), view.height()))
    generator.setViewBox(view.rect())
    # pyqtgraph's axes are recorded pictures: at any other resolution they would be played back in another size.
    generator.setResolution(view.logicalDpiX())
    generator.setTitle(title)
    generator.setDescription(description)
    painter = QPainter(generator)
    painter.fillRect(view.rect(), view.backgroundBrush())
    view.render(painter, QRectF(view.rect()), view.rect())
    painter.end()
    return bytes(buffer.data().data())
