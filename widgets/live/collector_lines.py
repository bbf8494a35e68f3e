"""The collectors of a run, one line each: the machine in its colour, the way it is read, and its state in words."""

from collections.abc import Mapping, Sequence

from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from engine.figure_text import capitalised, decimal, with_unit
from engine.telemetry.host import CollectorState, CollectorStatus
from widgets.parts.flow_layout import FlowLayout
from widgets.parts.look import Hue, Look
from widgets.parts.shapes import Shape, ShapeSign, Tone

_SIGNS: dict[CollectorState, tuple[Shape, Tone]] = {
    CollectorState.WAITING: (Shape.RING, "muted"),
    CollectorState.READING: (Shape.DISC, "good"),
    CollectorState.FAILING: (Shape.TRIANGLE, "warning"),
    CollectorState.ENDED: (Shape.SQUARE, "muted"),
}
_LEAST_TOLD_OFFSET_SECONDS = 0.05


class CollectorLines(QWidget):
    """Those that read stand side by side; one that fails has a line with its sentence."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._lines: dict[int, _Line] = {}
        self._flow = FlowLayout(row_spacing=0)
        self._flow.setSpacing(3 * self.fontMetrics().averageCharWidth())
        self._failing = QVBoxLayout()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._flow)
        layout.addLayout(self._failing)

    def show_collectors(self, statuses: Mapping[int, CollectorStatus], machines: Sequence[str]) -> None:
        """Show these collectors by number; ``machines`` in the order of their colours."""
        for number in [each for each in self._lines if each not in statuses]:
            self._lines.pop(number).deleteLater()
        for number, status in sorted(statuses.items()):
            line = self._lines.get(number)
            if line is None:
                line = self._lines[number] = _Line(self._look, self)
            hue = Hue(machines.index(status.machine)) if status.machine in machines else None
            was_failing = line.is_failing
            line.show_status(status, hue)
            if line.parent() is None or was_failing is not line.is_failing:
                self._flow.removeWidget(line)
                self._failing.removeWidget(line)
                (self._failing if line.is_failing else self._flow).addWidget(line)
                line.show()

    @property
    def texts(self) -> list[str]:
        """The lines' texts, by number."""
        return [line.text for _, line in sorted(self._lines.items())]


class _Line(QWidget):
    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.is_failing: bool | None = None
        self._sign, self._swatch = ShapeSign(look, self), _Swatch(look, self)
        self._machine, self._words = QLabel(self), QLabel(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(self.fontMetrics().averageCharWidth())
        for widget in (self._sign, self._swatch, self._machine):
            row.addWidget(widget)
        row.addWidget(self._words, 1)
        font = self._machine.font()
        font.setBold(True)
        self._machine.setFont(font)

    def show_status(self, status: CollectorStatus, hue: Hue | None) -> None:
        self.is_failing = status.state is CollectorState.FAILING
        self._sign.show_shape(*_SIGNS[status.state])
        self._swatch.show_hue(hue)
        self._machine.setText(status.machine)
        self._words.setText(_words(status))
        self._words.setWordWrap(self.is_failing)

    @property
    def text(self) -> str:
        return f"{self._machine.text()}: {self._words.text()}"


class _Swatch(QWidget):
    """A piece of the machine's line on the charts; nothing while it has none."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._hue: Hue | None = None
        self.setFixedSize(self.fontMetrics().height(), self.fontMetrics().height())
        look.changed.connect(self.update)

    def show_hue(self, hue: Hue | None) -> None:
        if hue != self._hue:
            self._hue = hue
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        if self._hue is not None:
            middle = self.height() // 2
            QPainter(self).fillRect(0, middle - 1, self.width(), 3, QColor(self._hue(self._look.colours)))


def _words(status: CollectorStatus) -> str:
    """What is read how, or in one sentence why it is not."""
    if status.state is CollectorState.FAILING:
        return f"{capitalised(status.message).rstrip('.')}. It is tried again."
    parts = [status.source]
    if status.is_average:
        parts.append(f"averages every {with_unit(decimal(status.interval_seconds, 0), 's')}")
    offset = status.offset_seconds
    if offset is not None and abs(offset) >= max(_LEAST_TOLD_OFFSET_SECONDS, status.offset_error_seconds or 0.0):
        way = "ahead" if offset > 0 else "behind"
        parts.append(f"its clock is {with_unit(decimal(abs(offset), 2), 's')} {way}")
    if status.state is not CollectorState.READING:
        parts.append(status.state.value)
    return ", ".join(parts)
