"""A figure of all runs of one plan, a point for each run in the order of time, with the change points.

Called by the run page's history.
"""

from collections.abc import Sequence
from datetime import date

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from engine.analysis.verdicts.change_points import ChangePoint
from engine.analysis.verdicts.figures import CheckedFigure
from engine.analysis.verdicts.history import History, HistoryRun
from engine.figure_text import signed_percent, with_unit
from widgets.parts.chart.amounts import LINEAR
from widgets.parts.chart.painted_axes import TICK_PIXELS, PaintedAxes, Tick, amount_ticks
from widgets.parts.look import Look

_LEAST_LINES, _LEAST_EMS = 10, 30
_DOT, _CHOSEN_DOT = 3.5, 5.5
_NEAR_PIXELS = 24
_ROOM = 0.08
_LEAST_SPAN = 0.1


class HistoryChart(QWidget):
    """A run is read with the pointer, or with ← and →; ``run_activated`` carries the id of one that is double-clicked
    or chosen with Enter."""

    run_activated = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._history: History | None = None
        self._present = ""
        self._chosen: int | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("History of the plan")
        look.changed.connect(self.update)

    def show_history(self, history: History | None, run_id: str) -> None:
        """Show another history, in which the run with that id stands out; ``None`` while it is not known."""
        self._history, self._present, self._chosen = history, run_id, None
        self.setAccessibleDescription("" if history is None else history.sentence)
        self.update()

    def point_text(self, index: int) -> str:
        """A run in words: when it ran, its name, its figure, and the change that begins with it."""
        assert self._history is not None
        run, figure = self._history.runs[index], self._history.figure
        text = f"{_moment(run)}, {run.name or run.run_id}: {with_unit(figure.text(run.value), figure.unit)}"
        change = next((each for each in self._history.changes if each.index == index), None)
        return text if change is None else f"{text}. Changed by {signed_percent(change.change_pct)} from here on"

    def sizeHint(self) -> QSize:  # noqa: N802
        em = self.fontMetrics().height()
        return QSize(2 * _LEAST_EMS * em, 2 * _LEAST_LINES * em)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        em = self.fontMetrics().height()
        return QSize(_LEAST_EMS * em, _LEAST_LINES * em)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._choose(self._index_at(event.position()))
        if self._chosen is not None:
            QToolTip.showText(event.globalPosition().toPoint(), self.point_text(self._chosen), self)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._activate(self._index_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        super().leaveEvent(event)
        self._choose(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._chosen is not None:
            self._activate(self._chosen)
        elif by is not None and self._runs:
            start = len(self._runs) if self._chosen is None else self._chosen
            self._choose(min(max(0, start + by), len(self._runs) - 1))
            assert self._chosen is not None
            text = self.point_text(self._chosen)
            self.setAccessibleDescription(text)
            QToolTip.showText(self.mapToGlobal(self._point(self._chosen).toPoint()), text, self)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter, colours = QPainter(self), self._look.colours
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(colours.surface))
        if self._history is not None and self._runs:
            self._paint_axes(painter, self._history.figure)
            self._paint_levels(painter, self._history.changes)
            self._paint_runs(painter)
        elif self._history is not None:
            painter.setPen(QColor(colours.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, "No run with this plan has this figure.")
        if self.hasFocus():
            painter.setPen(QColor(colours.accent))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    @property
    def _runs(self) -> Sequence[HistoryRun]:
        return () if self._history is None else self._history.runs

    @property
    def _day(self) -> date | None:
        """The day on which all of the runs began, if it is one."""
        first, last = (run.started_at.astimezone().date() for run in (self._runs[0], self._runs[-1]))
        return first if first == last else None

    def _choose(self, index: int | None) -> None:
        if index != self._chosen:
            self._chosen = index
            self.update()

    def _activate(self, index: int | None) -> None:
        if index is not None:
            self.run_activated.emit(self._runs[index].run_id)

    # Geometry

    @property
    def _plot(self) -> QRectF:
        metrics = QFontMetricsF(self.font())
        left = metrics.horizontalAdvance("0 000 000") + 1.8 * metrics.height()
        return QRectF(self.rect()).adjusted(left, 1.8 * metrics.height(), -metrics.height(), -2.6 * metrics.height())

    @property
    def _bounds(self) -> tuple[float, float]:
        """The values at the bottom and at the top.

        They are at least a tenth of the values apart, so that runs that hardly differ look that way.
        """
        values = [run.value for run in self._runs]
        low, high = min(values), max(values)
        room = max(_ROOM * (high - low), (_LEAST_SPAN * abs(high) - (high - low)) / 2) or 1.0
        return max(0.0, low - room) if low >= 0 else low - room, high + room

    def _x(self, index: float) -> float:
        return self._plot.left() + (index + 0.5) / len(self._runs) * self._plot.width()

    def _y(self, value: float) -> float:
        bottom, top = self._bounds
        return self._plot.bottom() - (value - bottom) / (top - bottom) * self._plot.height()

    def _point(self, index: int) -> QPointF:
        return QPointF(self._x(index), self._y(self._runs[index].value))

    def _index_at(self, position: QPointF) -> int | None:
        """The run nearest to the pointer; ``None`` when none is near."""
        if not self._runs:
            return None
        index = int((position.x() - self._plot.left()) / self._plot.width() * len(self._runs))
        index = min(max(0, index), len(self._runs) - 1)
        return index if QLineF(position, self._point(index)).length() <= _NEAR_PIXELS else None

    # Painting

    def _paint_axes(self, painter: QPainter, figure: CheckedFigure) -> None:
        amounts = self._amount_ticks()
        axes = PaintedAxes(painter, self._plot, self._look.colours)
        axes.paint_grid(amounts)
        title = f"{figure.label}, {figure.unit}" if figure.unit else figure.label
        runs = "runs" if self._day is None else f"runs of {self._day}"
        axes.paint(amounts, self._start_ticks(), amounts=title, across=f"{runs}, in the order of their start")

    def _amount_ticks(self) -> list[Tick]:
        ticks = amount_ticks(*self._bounds, self._plot.height(), self.fontMetrics().height())
        return list(zip(map(self._y, ticks), LINEAR.tick_texts(ticks), strict=True))

    def _start_ticks(self) -> list[Tick]:
        """When the runs began, as many of them as have room."""
        metrics = QFontMetricsF(self.font())
        starts = [run.started_at.astimezone() for run in self._runs]
        form = "%H:%M" if self._day is not None else "%Y-%m-%d"
        width = metrics.horizontalAdvance(starts[0].strftime(form))
        ticks, free = [], self._plot.left() - metrics.height()
        for index, start in enumerate(starts):
            x = self._x(index)
            if x - width / 2 > free and x + width / 2 <= self.width():
                ticks.append((x, start.strftime(form)))
                free = x + width / 2 + 2 * metrics.height()
        return ticks

    def _paint_levels(self, painter: QPainter, changes: Sequence[ChangePoint]) -> None:
        """A vertical line before the first run after each change, with the change above it; the medians of both
        sides."""
        metrics, plot, colours = QFontMetricsF(self.font()), self._plot, self._look.colours
        ends = [*(change.index for change in changes[1:]), len(self._runs)]
        begins = [0, *(change.index for change in changes)]
        free = 0.0
        for change, begin, end in zip(changes, begins, ends, strict=False):
            x = self._x(change.index - 0.5)
            painter.setPen(QPen(QColor(colours.mark), 1.0, Qt.PenStyle.DashLine))
            painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()))
            painter.setPen(QPen(QColor(colours.mark), 2.0))
            painter.drawLine(QLineF(self._x(begin - 0.5), self._y(change.before), x, self._y(change.before)))
            painter.drawLine(QLineF(x, self._y(change.after), self._x(end - 0.5), self._y(change.after)))
            text = signed_percent(change.change_pct)
            left = min(x - metrics.horizontalAdvance(text) / 2, self.width() - metrics.horizontalAdvance(text) - 2)
            if left > free:
                painter.drawText(QPointF(left, plot.top() - TICK_PIXELS), text)
                free = left + metrics.horizontalAdvance(text) + metrics.height() / 2

    def _paint_runs(self, painter: QPainter) -> None:
        colours = self._look.colours
        painter.setPen(QPen(QColor(colours.many), 1.2))
        painter.drawPolyline([self._point(index) for index in range(len(self._runs))])
        for index, run in enumerate(self._runs):
            stands_out = run.run_id == self._present or index == self._chosen
            painter.setPen(QPen(QColor(colours.surface), 1.0))
            painter.setBrush(QColor(colours.accent if stands_out else colours.many))
            size = _CHOSEN_DOT if stands_out else _DOT
            painter.drawEllipse(self._point(index), size, size)


def _moment(run: HistoryRun) -> str:
    return f"{run.started_at.astimezone():%Y-%m-%d %H:%M}"
