"""Paints the last two minutes of a client into its cell: zeros at the bottom, unknown seconds as gaps."""

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF
from PySide6.QtGui import QColor, QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from engine.analysis.client_rows import SPARK_SECONDS
from engine.analysis.series.rates import Rates
from widgets.live.client_model import CLIENT_ROLE, SPARK_ROLE
from widgets.parts.look import Look

AnyIndex = QModelIndex | QPersistentModelIndex


class SparkDelegate(QStyledItemDelegate):
    """Draws ``SPARK_ROLE``, the newest second at the right edge."""

    def __init__(self, look: Look, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._look, self._view = look, view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        super().paint(painter, option, index)
        values, top = index.data(SPARK_ROLE)
        margin = option.rect.height() * 0.18
        in_sight = option.rect & self._view.viewport().rect()  # the newest second, where the table cuts the column
        area = QRectF(in_sight).adjusted(margin, margin, -margin, -margin)
        painter.save()
        painter.setPen(QPen(self._colour(option, index.data(CLIENT_ROLE)), 1))
        for stretch in stretches(values):
            painter.drawPolyline(line(values, stretch, top, area))
        painter.restore()

    def _colour(self, option: QStyleOptionViewItem, client: int | None) -> QColor:
        if option.state & QStyle.StateFlag.State_Selected:
            palette: QPalette = option.palette
            return palette.color(QPalette.ColorRole.HighlightedText)
        colours = self._look.colours
        return QColor(colours.total if client is None else colours.accent)


def stretches(values: Rates) -> list[slice]:
    """The stretches of known seconds."""
    known = np.concatenate([[False], ~np.isnan(values), [False]])
    edges = np.flatnonzero(known[1:] != known[:-1])
    return [slice(int(first), int(end)) for first, end in edges.reshape(-1, 2)]


def line(values: Rates, stretch: slice, top: float, area: QRectF) -> QPolygonF:
    """The line of a stretch; a single second becomes a short line, or it would be invisible."""
    step = area.width() / (SPARK_SECONDS - 1)
    xs = area.right() - step * (len(values) - 1 - np.arange(stretch.start, stretch.stop))
    ys = area.bottom() - area.height() * values[stretch] / (top or 1.0)
    if len(xs) == 1:
        xs, ys = np.array([xs[0], xs[0] + 1]), np.repeat(ys, 2)
    polygon: QPolygonF = pg.functions.arrayToQPolygonF(xs, ys)
    return polygon
