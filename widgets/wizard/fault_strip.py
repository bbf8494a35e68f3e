"""The timeline of the run: ramp, warm-up, measuring, and the planned faults, which can be moved by dragging or keys."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from engine.parameters.typed_text import time_text
from widgets.parts.look import Look

_OPEN_END_SECONDS = 600.0
_LABEL_ROWS = 4
_ROWS = _LABEL_ROWS + 4.5


@dataclass(frozen=True)
class StripMark:
    """A fault to draw: its index in the plan, its time, its label, and whether it is an injection."""

    number: int
    at_seconds: float
    label: str
    is_injection: bool = False


@dataclass(frozen=True)
class StripPhases:
    """Seconds of ramp (0 without users), warm-up and measuring; ``measured`` of 0: until stopped."""

    ramp: float = 1.0
    warmup: float = 0.0
    measured: float = 0.0


class FaultStrip(QWidget):
    """``chosen`` carries a mark's index; ``moved`` also its new time in seconds of measuring."""

    chosen = Signal(int)
    moved = Signal(int, float)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._phases = StripPhases()
        self._marks: tuple[StripMark, ...] = ()
        self._current = -1
        self._dragged = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Time line of the run")
        look.changed.connect(self.update)

    def show_plan(self, phases: StripPhases, marks: Sequence[StripMark], current: int) -> None:
        """Draw the plan; ``current`` is the index of the mark that is being edited, −1 for none."""
        self._phases, self._marks, self._current = phases, tuple(marks), current
        says = "; ".join(f"{mark.label} at {time_text(mark.at_seconds)}" for mark in self._marks) or "no faults"
        self.setAccessibleDescription(f"{says}. Left and Right move the chosen fault, Up and Down choose another one.")
        self.update()

    def x_of(self, at_seconds: float) -> float:
        """The pixel of a time after the begin of measuring."""
        line = self._line()
        begins = self._phases.ramp + self._phases.warmup
        return line.left() + (begins + at_seconds) / (begins + self._shown_seconds()) * line.width()

    def sizeHint(self) -> QSize:  # noqa: N802
        height = self.fontMetrics().height()
        return QSize(40 * height, math.ceil(_ROWS * height))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        height = self.fontMetrics().height()
        return QSize(20 * height, math.ceil(_ROWS * height))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        step = 10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
        moves = {Qt.Key.Key_Left.value: -step, Qt.Key.Key_Right.value: step}
        choices = {Qt.Key.Key_Up.value: -1, Qt.Key.Key_Down.value: 1}
        current = next((mark for mark in self._marks if mark.number == self._current), None)
        if event.key() in moves and current is not None:
            self._move(current.number, current.at_seconds + moves[event.key()])
        elif event.key() in choices and self._marks:
            self._choose_next(current, choices[event.key()])
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        reach = self.fontMetrics().height()
        near = [mark for mark in self._marks if abs(self.x_of(mark.at_seconds) - event.position().x()) <= reach]
        if event.button() == Qt.MouseButton.LeftButton and near:
            nearest = min(near, key=lambda mark: abs(self.x_of(mark.at_seconds) - event.position().x()))
            self._dragged = nearest.number
            self.chosen.emit(nearest.number)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._dragged >= 0:
            self._move(self._dragged, self._seconds_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._dragged = -1

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        self._paint_phases(painter)
        self._paint_times(painter)
        self._paint_marks(painter)
        if self.hasFocus():
            painter.setPen(QColor(self._look.colours.accent))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _line(self) -> QRectF:
        """The rectangle of the phases: between the labels above and the times below."""
        height = self.fontMetrics().height()
        return QRectF(height / 2, (_LABEL_ROWS + 0.5) * height, self.width() - height, 2 * height)

    def _shown_seconds(self) -> float:
        """The end of the timeline: the end of measuring, or a later mark."""
        latest = max((mark.at_seconds for mark in self._marks), default=0.0)
        if self._phases.measured > latest:
            return self._phases.measured
        return max(self._phases.measured or _OPEN_END_SECONDS, 1.25 * latest)

    def _measuring_end(self) -> float:
        return self._phases.measured or self._shown_seconds()

    def _seconds_at(self, x: float) -> float:
        line = self._line()
        begins = self._phases.ramp + self._phases.warmup
        return round((x - line.left()) / line.width() * (begins + self._shown_seconds()) - begins)

    def _move(self, number: int, seconds: float) -> None:
        last = math.ceil(self._phases.measured) - 1 if self._phases.measured else math.inf
        self.moved.emit(number, float(max(0, min(seconds, last))))

    def _choose_next(self, current: StripMark | None, step: int) -> None:
        ordered = sorted(self._marks, key=lambda mark: mark.at_seconds)
        place = ordered.index(current) + step if current is not None else 0
        self.chosen.emit(ordered[place % len(ordered)].number)

    def _paint_phases(self, painter: QPainter) -> None:
        colours, line, phases = self._look.colours, self._line(), self._phases
        measured = "measuring" if phases.measured else "measuring until stopped"
        bands = (
            ("ramp", -phases.ramp - phases.warmup, -phases.warmup, colours.band_ramp),
            ("warm-up", -phases.warmup, 0.0, colours.band_warmup),
            (measured, 0.0, self._measuring_end(), colours.band_measuring),
        )
        for word, begin, end, colour in bands:
            band = QRectF(self.x_of(begin), line.top(), self.x_of(end) - self.x_of(begin), line.height())
            painter.fillRect(band, QColor(colour))
            painter.setPen(QColor(colours.muted))
            if band.width() > self.fontMetrics().horizontalAdvance(f" {word} "):
                painter.drawText(band, Qt.AlignmentFlag.AlignCenter, word)
            painter.setPen(QColor(colours.faint))
            painter.drawRect(band)

    def _paint_times(self, painter: QPainter) -> None:
        painter.setPen(QColor(self._look.colours.muted))
        line, height = self._line(), self.fontMetrics().height()
        width = self.fontMetrics().horizontalAdvance("00:00:00")
        ends = [
            (0.0, "0:00"),
            (self._measuring_end(), time_text(self._phases.measured) if self._phases.measured else "…"),
        ]
        for seconds, text in ends:
            left = max(0.0, min(self.x_of(seconds) - width / 2, line.right() - width))
            flag = Qt.AlignmentFlag.AlignHCenter if left + width < line.right() else Qt.AlignmentFlag.AlignRight
            painter.drawText(QRectF(left, line.bottom() + height / 2, width, height), flag, text)

    def _paint_marks(self, painter: QPainter) -> None:
        """A dashed line at each mark's time, with its label at the top; where labels would overlap, the earlier one is
        higher."""
        metrics, line = self.fontMetrics(), self._line()
        height, placed = metrics.height(), list[tuple[float, float, int]]()
        for mark in sorted(self._marks, key=lambda each: -each.at_seconds):
            x = self.x_of(mark.at_seconds)
            text = metrics.elidedText(f" {mark.label}", Qt.TextElideMode.ElideRight, self.width() // 3)
            width = metrics.horizontalAdvance(text)
            left = x if x + width < self.width() else x - width
            above = [row for begin, end, row in placed if begin <= left + width and end >= left]
            row = min(max(above, default=-1) + 1, _LABEL_ROWS - 1)
            placed.append((left, left + width, row))
            top = (_LABEL_ROWS - 1 - row) * height
            is_current = mark.number == self._current
            painter.setPen(QColor(self._look.colours.accent if is_current else self._look.colours.text))
            painter.drawText(QRectF(left, top, width + 1, height), Qt.AlignmentFlag.AlignLeft, text)
            self._paint_handle(painter, mark, QPointF(x, top), line)

    def _paint_handle(self, painter: QPainter, mark: StripMark, top: QPointF, line: QRectF) -> None:
        """Below the line: a triangle for a mark, a diamond for an injection; filled when it is being edited."""
        is_current = mark.number == self._current
        colour = QColor(self._look.colours.accent if is_current else self._look.colours.mark)
        painter.setPen(QPen(colour, 2 if is_current else 1, Qt.PenStyle.DashLine))
        tip = QPointF(top.x(), line.bottom())
        painter.drawLine(top, tip)
        half = self.fontMetrics().height() / 3
        painter.setPen(colour)
        painter.setBrush(colour if is_current else Qt.BrushStyle.NoBrush)
        left, right, foot = QPointF(-half, half), QPointF(half, half), QPointF(0, 2 * half)
        if not mark.is_injection:
            left, right = left + QPointF(0, half), right + QPointF(0, half)
        painter.drawPolygon(QPolygonF([tip, tip + right, tip + foot, tip + left]))
        painter.setBrush(Qt.BrushStyle.NoBrush)
