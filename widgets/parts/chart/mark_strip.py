"""The strip above a chart: the labels of its marks, stacked where they are close, and the names of its phases.

It never covers data, and is part of every exported picture of the chart.
"""

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QGraphicsSceneResizeEvent

from widgets.parts.chart.layers import BackgroundItem, thin_pen
from widgets.parts.chart.marks import Marks, PlacedLabel, hidden_at, mark_colour, place_labels, widen_labels
from widgets.parts.look import Look

_MOST_ROWS = 4
_MOST_SHARE = 0.2
_WIDEST_EMS = 18
_WIDEST_SHARE = 0.2
_NARROWEST_EMS = 6
_PADDING = 4.0


class MarkStrip(pg.AxisItem):  # type: ignore[misc]
    """Takes the place of the top axis, so that it shares the chart's width and range."""

    def __init__(self, look: Look, font: QFont, marks: Marks) -> None:
        super().__init__("top", showValues=False)
        self.enableAutoSIPrefix(False)
        self.background: BackgroundItem | None = None
        self.has_words = True
        self._look, self._font, self._marks = look, font, marks
        self._metrics = QFontMetricsF(font)
        self._rows = 0
        self._placed: list[tuple[int, str, float, PlacedLabel | None]] = []
        self._fit()

    @property
    def row_height(self) -> float:
        return self._metrics.height() + 2.0

    def arrange(self, *, shrink: bool = False) -> None:
        """Place the labels again; the strip grows for a stack; zooming does not let it shrink."""
        shown = [mark for mark in self._marks.all if self.range[0] <= mark.at_seconds <= self.range[1]]
        labels = [mark.label for mark in shown]
        at = [self._pixel(mark.at_seconds) for mark in shown]
        room, em = self.size().width(), self._metrics.horizontalAdvance("m")
        widest = min(_WIDEST_EMS * em, _WIDEST_SHARE * room) + 2 * _PADDING
        widths = [self._metrics.horizontalAdvance(label) + 2 * _PADDING for label in labels]
        short = [min(width, widest) for width in widths]
        places = place_labels(at, short, room, self._most_rows(), _NARROWEST_EMS * em)
        mores = [f" +{hidden}" if hidden else "" for hidden in hidden_at(places)]
        wanted = [width + self._metrics.horizontalAdvance(more) for width, more in zip(widths, mores, strict=True)]
        places = widen_labels(places, wanted, room)
        texts = [self._fitted(*each) for each in zip(labels, places, mores, strict=True)]
        self._placed = list(zip([mark.number for mark in shown], texts, at, places, strict=True))
        needed = max((place.row + 1 for place in places if place is not None), default=1 if shown else 0)
        rows = needed if shrink else min(max(needed, self._rows), self._most_rows())
        self._rows = rows
        self._fit()
        self.update()

    def label_at(self, scene_place: QPointF) -> int | None:
        """The mark whose label is at a position of the scene."""
        if not self.has_words:
            return None
        place = self.mapFromScene(scene_place)
        return next(
            (number for number, _, _, label in self._placed if label and self._box(label).contains(place)), None
        )

    def linkedViewChanged(self, view: object, newRange: object = None) -> None:  # noqa: N802, N803
        super().linkedViewChanged(view, newRange)
        self.arrange()

    def resizeEvent(self, ev: QGraphicsSceneResizeEvent | None = None) -> None:  # noqa: N802
        """The view may be notified of its new size before the strip has its own."""
        super().resizeEvent(ev)
        if ev is not None and ev.oldSize().width() != ev.newSize().width():
            self.arrange(shrink=True)

    def paint(self, painter: QPainter, *_: object) -> None:
        if not self.fixedHeight:
            return  # nothing outside of the item's own rectangle would be erased
        painter.setClipRect(QRectF(QPointF(), self.size()))  # until the layout is updated, labels extend beyond it
        painter.setFont(self._font)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._paint_phases(painter)
        colours, height = self._look.colours, self.size().height()
        for number, label, at, place in self._placed:
            chosen = number == self._marks.chosen
            colour = mark_colour(self._marks.of(number), colours)
            painter.setPen(thin_pen(colours.accent if chosen else colour, painter, dashed=not chosen))
            top = height - self.row_height if place is None else self._box(place).top()
            painter.drawLine(QLineF(at, top, at, height))
            if place is not None:
                self._paint_label(painter, self._box(place), label, colour, chosen=chosen)

    def _paint_label(self, painter: QPainter, box: QRectF, label: str, colour: str, *, chosen: bool) -> None:
        colours = self._look.colours
        background, ink = (colours.accent, colours.surface) if chosen else (colours.surface, colour)
        painter.fillRect(box.adjusted(1, 0, 0, 0), QColor(background))
        painter.setPen(QColor(ink))
        painter.drawText(box.adjusted(_PADDING, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, label)

    def _paint_phases(self, painter: QPainter) -> None:
        """The name at the left end of the visible part of its phase, where it fits."""
        if self.background is None:
            return
        box = QRectF(0, self.size().height() - self.row_height, self.size().width(), self.row_height)
        for band in self.background.bands:
            left = max(0.0, self._pixel(band.first))
            right = box.right() if band.end is None else min(box.right(), self._pixel(band.end))
            if right <= left:
                continue
            part = QRectF(left, box.top(), right - left, box.height())
            painter.fillRect(part, QColor(band.colour(self._look.colours)))
            if self._word_fits(band.word, left, right):
                part.setLeft(left + _PADDING)
                painter.setPen(QColor(self._look.colours.muted))
                painter.drawText(part, Qt.AlignmentFlag.AlignVCenter, band.word)

    def _word_fits(self, word: str, left: float, right: float) -> bool:
        """Whether a phase's name fits before the line of the next mark: behind it, it would seem to be the mark's."""
        width = self._metrics.horizontalAdvance(word) + 2 * _PADDING
        end = min((at for _, _, at, _ in self._placed if left < at < right), default=right)
        return end - left >= width

    def _most_rows(self) -> int:
        """In a small chart the curves have priority."""
        view = self.getViewWidget()
        height = 0 if view is None else view.height()
        return min(_MOST_ROWS, max(1, int(_MOST_SHARE * height / self.row_height)))

    def show_words(self, are_shown: bool) -> None:
        """Show labels and phases, or leave that to a linked chart above."""
        if are_shown != self.has_words:
            self.has_words = are_shown
            self.arrange(shrink=True)

    def _fit(self) -> None:
        has_words = self.background is not None and any(band.word for band in self.background.bands)
        rows = self._rows + (1 if has_words or self._rows else 0) if self.has_words else 0
        height = rows * self.row_height
        if height != self.fixedHeight:
            self.setHeight(height)

    def _box(self, place: PlacedLabel) -> QRectF:
        top = self.size().height() - (place.row + 2) * self.row_height
        return QRectF(place.left, top, place.width, self.row_height)

    def _pixel(self, seconds: float) -> float:
        first, last = self.range
        return float((seconds - first) / (last - first) * self.size().width())

    def _fitted(self, label: str, place: PlacedLabel | None, more: str) -> str:
        """The label as it fits in its place, with ``more``, the number of hidden marks, beside it."""
        if place is None:
            return label
        room = place.width - 2 * _PADDING - self._metrics.horizontalAdvance(more) + 0.5
        return self._metrics.elidedText(label, Qt.TextElideMode.ElideRight, room) + more
