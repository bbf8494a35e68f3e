"""The layers below and above the curves of a chart: phase bands, shaded spans, grid; dashed levels, marks."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from widgets.parts.chart.axes import AmountAxis, TimeAxis
from widgets.parts.chart.marks import ChartMark, mark_colour
from widgets.parts.chart.view_item import ViewItem
from widgets.parts.look import Colours, Look

ColourOf = Callable[[Colours], str]
_BEHIND, _ABOVE = -100, 100
_SPAN_ALPHA = 46
_LABEL_GAP = 4
_NEAR = 1.5
_GROUND_OF_LABELS = 0.75


@dataclass(frozen=True, kw_only=True)
class Band:
    """A phase of the run from ``first`` to ``end`` (``None``: in progress), with its label and its colour."""

    first: float
    end: float | None
    word: str
    colour: ColourOf


@dataclass(frozen=True, kw_only=True)
class Span:
    """A time span that is shaded over the whole height, such as a dip."""

    first: float
    end: float
    colour: ColourOf


@dataclass(frozen=True, kw_only=True)
class Level:
    """A dashed horizontal line at ``value``, from ``first`` on or over the whole width; its label is at the right.

    ``is_always_shown`` extends the value range to it, however far it is from the curves.
    """

    value: float
    label: str
    first: float | None = None
    is_always_shown: bool = False


class BackgroundItem(ViewItem):
    """Paints the bands, the spans and the grid behind the curves."""

    def __init__(self, look: Look, time_axis: TimeAxis, amount_axis: AmountAxis) -> None:
        super().__init__()
        self.setZValue(_BEHIND)
        self.bands: tuple[Band, ...] = ()
        self.spans: tuple[Span, ...] = ()
        self._look, self._time_axis, self._amount_axis = look, time_axis, amount_axis

    def paint(self, painter: QPainter, *_: object) -> None:
        view, colours = self.boundingRect(), self._look.colours
        for band in self.bands:
            _fill(painter, view, band.first, band.end, QColor(band.colour(colours)))
        for span in self.spans:
            tint = QColor(span.colour(colours))
            tint.setAlpha(_SPAN_ALPHA)
            _fill(painter, view, span.first, span.end, tint)
        painter.setPen(thin_pen(colours.faint, painter))
        lines = [QLineF(at, view.top(), at, view.bottom()) for at in self._time_axis.positions()]
        lines += [QLineF(view.left(), at, view.right(), at) for at in self._amount_axis.positions()]
        painter.drawLines(lines)


class OverlayItem(ViewItem):
    """Paints the dashed lines above the curves: levels with their labels, and the marks' verticals."""

    def __init__(self, look: Look, metrics: QFontMetricsF, amount_axis: AmountAxis) -> None:
        super().__init__()
        self.setZValue(_ABOVE)
        self._amount_axis = amount_axis
        self._levels: dict[Hashable, Level] = {}
        self.marks: tuple[ChartMark, ...] = ()
        self.chosen_second: float | None = None
        self._look, self._metrics = look, metrics

    def set_level(self, key: Hashable, level: Level | None) -> None:
        """Set a dashed horizontal line, or remove it."""
        if level is None:
            self._levels.pop(key, None)
        else:
            self._levels[key] = level
        self.update()

    @property
    def levels(self) -> tuple[Level, ...]:
        return tuple(self._levels.values())

    def clear_levels(self) -> None:
        self._levels.clear()
        self.update()

    def highest_level(self, highest: float) -> float:
        """The highest level to show together with curves that reach ``highest``, or ``highest``.

        A level of the total must not flatten a single client's curve.
        """
        near = [each.value for each in self.levels if each.is_always_shown or each.value <= _NEAR * highest]
        return max([highest, *near])

    def paint(self, painter: QPainter, *_: object) -> None:
        view, colours = self.boundingRect(), self._look.colours
        for mark in self.marks:
            painter.setPen(thin_pen(mark_colour(mark, colours), painter, dashed=True))
            painter.drawLine(QLineF(mark.at_seconds, view.top(), mark.at_seconds, view.bottom()))
        if self.chosen_second is not None:
            painter.setPen(thin_pen(colours.accent, painter))
            painter.drawLine(QLineF(self.chosen_second, view.top(), self.chosen_second, view.bottom()))
        for level in self.levels:
            left = view.left() if level.first is None else max(view.left(), level.first)
            painter.setPen(thin_pen(colours.muted, painter, dashed=True))
            at = self._position(level)
            painter.drawLine(QLineF(left, at, view.right(), at))
        if self._levels:
            self._label(painter, self.levels)

    def _label(self, painter: QPainter, levels: Iterable[Level]) -> None:
        """Labels are painted in device coordinates: in the data's coordinates text would be upside down.

        A label that would overlap the one before is placed beside it. Curves below a label are dimmed.
        """
        view, height = self.boundingRect(), self._metrics.height()
        from_the_top = sorted(levels, key=lambda level: -level.value)
        lines = [self.mapToScene(QPointF(view.right(), self._position(level))) for level in from_the_top]
        upper_edge = min(self.mapToScene(QPointF(view.right(), edge)).y() for edge in (view.top(), view.bottom()))
        tops = label_tops([line.y() for line in lines], upper_edge, height)
        places, taken = [], QRectF()
        for level, line, top in zip(from_the_top, lines, tops, strict=True):
            width = self._metrics.horizontalAdvance(level.label)
            box = QRectF(line.x() - width - _LABEL_GAP, top, width, height)
            if box.intersects(taken):
                box.moveRight(taken.left() - 3 * _LABEL_GAP)
            places.append((box, level.label))
            taken = box
        painter.setTransform(self.sceneTransform().inverted()[0] * painter.transform())
        ground = QColor(self._look.colours.surface)
        ground.setAlphaF(_GROUND_OF_LABELS)
        for box, label in places:
            painter.fillRect(box, ground)
            painter.drawText(QPointF(box.left(), box.top() + self._metrics.ascent()), label)

    def _position(self, level: Level) -> float:
        return self._amount_axis.amounts.position(level.value)


def label_tops(lines: Sequence[float], upper_edge: float, height: float) -> list[float]:
    """The upper edges of labels of a ``height``, each of one of the horizontal ``lines`` of a chart, from its top down.

    A label is above its line. Where the line above, or the chart's upper edge, leaves no room, it is below its line and
    those that would cross it.
    """
    tops = []
    for place, (above, line) in enumerate(pairwise([upper_edge, *lines])):
        top = line - height - 1
        if top <= above:
            top = line + 1
            for other in lines[place + 1 :]:
                top = other + 1 if other <= top + height else top
        tops.append(top)
    return tops


def thin_pen(colour: str, painter: QPainter, *, dashed: bool = False) -> QPen:
    """A pen of one pixel of a screen of ordinary density, at every zoom."""
    pen = QPen(QColor(colour))
    pen.setCosmetic(True)
    pen.setWidthF(painter.device().devicePixelRatio())
    if dashed:
        pen.setStyle(Qt.PenStyle.DashLine)
    return pen


def _fill(painter: QPainter, view: QRectF, first: float, end: float | None, colour: QColor) -> None:
    left = max(view.left(), first)
    right = view.right() if end is None else min(view.right(), end)
    if right > left:
        painter.fillRect(QRectF(left, view.top(), right - left, view.height()), colour)
