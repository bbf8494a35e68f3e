"""The distribution of the response times of all measured transactions that the headline counts: a bar for each
logarithmic bucket, and the percentiles.

Called by the run page's response times.
"""

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from engine.analysis.latency.grid import STEPS, StepCounts, edges_ms
from engine.figure_text import capitalised, decimal, milliseconds, percent, whole
from widgets.parts.chart.amounts import LINEAR, LOGARITHMIC
from widgets.parts.chart.layers import thin_pen
from widgets.parts.chart.painted_axes import PaintedAxes, Tick, amount_ticks
from widgets.parts.look import Look

_LEAST_LINES, _LEAST_EMS = 8, 22
_ROOM_STEPS = 1
_SHARES = (50, 95, 99)


class LatencyHistogram(QWidget):
    """Transactions by service time; a bar is read with the pointer, or with ← and →."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._counts: StepCounts = np.zeros(STEPS, dtype=np.int64)
        self._percentiles: Sequence[float | None] = ()
        self._chosen: int | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        look.changed.connect(self.update)
        self.show_counts(self._counts, (), "transactions")

    def show_counts(self, counts: StepCounts, percentiles_ms: Sequence[float | None], many: str) -> None:
        """Show counts by bucket of ``engine.analysis.latency.grid``, and p50, p95 and p99 if they are known.

        ``many`` is what several of the counted transactions are called: ``orders``.
        """
        self._many = many
        self.setAccessibleName(f"{capitalised(many)} by response time")
        self._counts, self._percentiles = counts, percentiles_ms
        self._chosen = None
        self.setAccessibleDescription(self.summary())
        self.update()

    def summary(self) -> str:
        """The histogram in a sentence."""
        if not self._counts.any():
            return f"{capitalised(self._many)} by response time: nothing is known yet."
        known = zip(_SHARES, self._percentiles, strict=False)
        times = [f"p{share} {milliseconds(time)} ms" for share, time in known if time is not None]
        most = self.bar_text(int(self._counts.argmax()))
        return f"{whole(int(self._counts.sum()))} {self._many}; {', '.join(times)}; most {self._many}: {most}."

    def bar_text(self, step: int) -> str:
        """A bar in words: its times, its transactions, and how many took no longer."""
        count, upto, total = (int(self._counts[each].sum()) for each in (step, slice(step + 1), slice(None)))
        begin, end = (milliseconds(edge) for edge in edges_ms()[step : step + 2])
        share = percent(100 * count / max(1, total), 2)
        return f"{begin} to {end} ms: {whole(count)} {self._many}, {share}; {_share(upto, total)} are not longer"

    def sizeHint(self) -> QSize:  # noqa: N802
        em = self.fontMetrics().height()
        return QSize(2 * _LEAST_EMS * em, 2 * _LEAST_LINES * em)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        em = self.fontMetrics().height()
        return QSize(_LEAST_EMS * em, _LEAST_LINES * em)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._choose(self._step_at(event.position().x()))
        if self._chosen is not None:
            QToolTip.showText(event.globalPosition().toPoint(), self.bar_text(self._chosen), self)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        super().leaveEvent(event)
        self._choose(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        used = np.flatnonzero(self._counts)
        if by is None or not len(used):
            super().keyPressEvent(event)
            return
        place = int(np.searchsorted(used, used[0] if self._chosen is None else self._chosen))
        self._choose(int(used[min(max(0, place + (by if self._chosen is not None else 0)), len(used) - 1)]))
        assert self._chosen is not None
        text = self.bar_text(self._chosen)
        self.setAccessibleDescription(text)
        QToolTip.showText(self.mapToGlobal(self._bar(self._chosen).topRight().toPoint()), text, self)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter, colours = QPainter(self), self._look.colours
        painter.fillRect(self.rect(), QColor(colours.surface))
        if not self._counts.any():
            painter.setPen(QColor(colours.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, "No response time is known.")
        else:
            axes, amounts, times = PaintedAxes(painter, self._plot, colours), self._amount_ticks(), self._time_ticks()
            axes.paint_grid(amounts, times)
            for step in np.flatnonzero(self._counts).tolist():
                hue = colours.accent if step == self._chosen else colours.many
                painter.fillRect(self._bar(step), QColor(hue))
            axes.paint(amounts, times, amounts=self._many, across="response time, ms")
            self._paint_percentiles(painter)
        if self.hasFocus():
            painter.setPen(QColor(colours.accent))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _choose(self, step: int | None) -> None:
        if step != self._chosen:
            self._chosen = step
            self.update()

    # Geometry

    @property
    def _plot(self) -> QRectF:
        metrics = QFontMetricsF(self.font())
        left = metrics.horizontalAdvance("0 000 000") + 1.6 * metrics.height()
        right = metrics.horizontalAdvance("0 000") / 2 + 4
        return QRectF(self.rect()).adjusted(
            left, (len(_SHARES) + 0.4) * metrics.height(), -right, -2.4 * metrics.height()
        )

    @property
    def _range(self) -> tuple[int, int]:
        """The first bucket that is shown, and the one after the last."""
        used = np.flatnonzero(self._counts)
        return max(0, int(used[0]) - _ROOM_STEPS), min(STEPS, int(used[-1]) + 1 + _ROOM_STEPS)

    @property
    def _top(self) -> float:
        return LINEAR.fitted(0.0, 0.0, 0.0, float(self._counts.max()))[1]

    def _across(self, position: float) -> float:
        """The pixel of a position in buckets: 3 is the lower limit of bucket 3."""
        first, end = self._range
        return self._plot.left() + (position - first) / (end - first) * self._plot.width()

    def _bar(self, step: int) -> QRectF:
        left, right = self._across(step), self._across(step + 1)
        height = max(1.0, self._counts[step] / self._top * self._plot.height())
        return QRectF(left + 0.5, self._plot.bottom() - height, max(1.0, right - left - 1.0), height)

    def _step_at(self, x: float) -> int | None:
        if not self._counts.any() or not self._plot.left() <= x < self._plot.right():
            return None
        first, end = self._range
        step = first + int((x - self._plot.left()) / self._plot.width() * (end - first))
        return step if self._counts[step] else None

    def _place_of(self, time_ms: float) -> float:
        """The position of a time, in buckets."""
        edges = edges_ms()
        return math.log10(time_ms / edges[0]) / math.log10(edges[1] / edges[0])

    # Painting

    def _amount_ticks(self) -> list[Tick]:
        plot = self._plot
        ticks = amount_ticks(0.0, self._top, plot.height(), self.fontMetrics().height())
        places = [plot.bottom() - amount / self._top * plot.height() for amount in ticks]
        return list(zip(places, LINEAR.tick_texts(ticks), strict=True))

    def _time_ticks(self) -> list[Tick]:
        edges, (first, end) = edges_ms(), self._range
        most = max(1, int(self._plot.width() / (1.5 * self.fontMetrics().horizontalAdvance("0 000"))))
        ticks = LOGARITHMIC.ticks(math.log10(edges[first]), math.log10(edges[end]), most)
        places = [self._across(self._place_of(LOGARITHMIC.value(tick))) for tick in ticks]
        return list(zip(places, LOGARITHMIC.tick_texts(ticks), strict=True))

    def _paint_percentiles(self, painter: QPainter) -> None:
        """A line for each, with its name and value above; labels that would overlap are put into rows."""
        metrics, plot = QFontMetricsF(self.font()), self._plot
        free = [-math.inf] * len(_SHARES)
        for hue, share, time in zip(self._look.colours.times, _SHARES, self._percentiles, strict=False):
            if time is None or time <= 0:
                continue
            x = self._across(self._place_of(time))
            painter.setPen(thin_pen(hue, painter))
            painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()))
            label = f"p{share} {milliseconds(time)}"
            width = metrics.horizontalAdvance(label)
            left = min(x - width / 2, self.width() - width - 2)
            row = next(row for row, end in enumerate(free) if left > end)
            free[row] = left + width + metrics.height() / 2
            painter.drawText(QPointF(left, plot.top() - 4 - row * metrics.height()), label)


def _share(part: int, total: int) -> str:
    """A share of all that is never shown as 100 % when it is less."""
    share = 100 * part / max(1, total)
    return f"{decimal(min(share, 99.99) if part < total else share, 2)} %"
