"""A chart as a picture for a report or the clipboard: its caption, itself and its legend as PNG or SVG."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsView, QWidget

from widgets.parts.chart.legend import LegendEntry, paint_sample
from widgets.parts.fonts import scaled
from widgets.parts.look import Colours

PNG_SCALE = 2.0
_TITLE_FACTOR = 1.25
_MARGIN_EMS = 0.6
_SAMPLE_EMS, _BETWEEN_EMS = 1.4, 1.0


@dataclass(frozen=True)
class Caption:
    """The text above a chart's picture: the run, and what is shown beside its curves."""

    title: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ChartPicture:
    """A chart ready to be drawn. ``time_title`` and ``entries`` are below it; ``title`` and ``description`` are for
    screen readers."""

    view: QWidget
    font: QFont
    colours: Colours
    title: str
    description: str
    time_title: str
    entries: Sequence[LegendEntry]
    caption: Caption | None = None

    def image(self, scale: float = PNG_SCALE) -> QImage:
        """The picture with ``scale`` pixels for each pixel of the screen."""
        image = QImage(self.size() * scale, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(scale)
        painter = QPainter(image)
        self.paint(painter)
        painter.end()
        return image

    def png(self, scale: float = PNG_SCALE) -> bytes:
        """As ``image``, as PNG."""
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        QImageWriter(buffer, QByteArray(b"png")).write(self.image(scale))
        return bytes(buffer.data().data())

    def svg(self) -> bytes:
        """The picture as SVG, with title and description."""
        buffer, size = QBuffer(), self.size()
        # SVG Tiny, the generator's default, has no clipping.
        generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
        generator.setOutputDevice(buffer)
        generator.setSize(size)
        generator.setViewBox(QRect(0, 0, size.width(), size.height()))
        # pyqtgraph's axes are recorded pictures, which are replayed in another size at any other resolution.
        generator.setResolution(self.view.logicalDpiX())
        generator.setTitle(self.title)
        generator.setDescription(self.description)
        painter = QPainter(generator)
        self.paint(painter)
        painter.end()
        return bytes(buffer.data().data())

    def size(self) -> QSize:
        return QSize(self.view.width(), round(self._head_height + self.view.height() + self._foot_height))

    def paint(self, painter: QPainter) -> None:
        view = QRectF(QPointF(0, self._head_height), self.view.size().toSizeF())
        painter.fillRect(QRectF(QPointF(), self.size().toSizeF()), QColor(self.colours.surface))
        self._paint_caption(painter)
        if isinstance(self.view, QGraphicsView):
            self.view.render(painter, view, self.view.rect())
        else:
            painter.save()
            painter.translate(view.topLeft())
            self.view.render(painter, QPoint())
            painter.restore()
        self._paint_foot(painter, view.bottom())

    def _paint_caption(self, painter: QPainter) -> None:
        if self.caption is None:
            return
        box = QRectF(self._margin, self._margin, self.view.width() - 2 * self._margin, self._title_height)
        for place, text in enumerate((self.caption.title, *self.caption.lines)):
            painter.setFont(self.font if place else self._title_font)
            painter.setPen(QColor(self.colours.muted if place else self.colours.text))
            metrics = QFontMetricsF(painter.font())
            painter.drawText(box, 0, metrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width()))
            box.translate(0, self._title_height if not place else self._line_height)

    def _paint_foot(self, painter: QPainter, top: float) -> None:
        painter.setFont(self.font)
        painter.setPen(QColor(self.colours.muted))
        painter.drawText(QPointF(self._margin, top + QFontMetricsF(self.font).ascent()), self.time_title)
        for entry, place in zip(self.entries, self._entry_places(), strict=True):
            middle = top + place.y() + self._line_height / 2
            paint_sample(painter, QRectF(place.x(), middle - 1.5, _SAMPLE_EMS * self._line_height, 3), entry)
            painter.setPen(QColor(self.colours.text))
            left = place.x() + (_SAMPLE_EMS + 0.4) * self._line_height
            painter.drawText(QPointF(left, top + place.y() + QFontMetricsF(self.font).ascent()), entry.name)

    def _entry_places(self) -> list[QPointF]:
        """The places of the legend's names, wrapped to the width."""
        metrics, em = QFontMetricsF(self.font), self._line_height
        first = self._margin + metrics.horizontalAdvance(self.time_title) + (1.5 * em if self.time_title else 0.0)
        x, y, places = first, 0.0, []
        for entry in self.entries:
            width = metrics.horizontalAdvance(entry.name) + (_SAMPLE_EMS + 0.4 + _BETWEEN_EMS) * em
            if x > first and x + width > self.view.width():
                x, y = first, y + em
            places.append(QPointF(x, y))
            x += width
        return places

    @property
    def _head_height(self) -> float:
        if self.caption is None:
            return 0.0
        return 2 * self._margin + self._title_height + len(self.caption.lines) * self._line_height

    @property
    def _foot_height(self) -> float:
        lowest = max((place.y() for place in self._entry_places()), default=0.0)
        return lowest + self._line_height + self._margin

    @property
    def _title_font(self) -> QFont:
        return scaled(self.font, _TITLE_FACTOR, bold=True)

    @property
    def _title_height(self) -> float:
        return QFontMetricsF(self._title_font).height()

    @property
    def _line_height(self) -> float:
        return QFontMetricsF(self.font).height()

    @property
    def _margin(self) -> float:
        return _MARGIN_EMS * self._line_height
