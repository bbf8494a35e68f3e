"""The stages of a plan's load as a small chart: how many users are active, or how much is due, over time."""

from PySide6.QtCore import QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from engine.figure_text import planned_length
from engine.parameters.typed_text import time_text
from engine.plan.load.profile import LoadProfile, StageSpan
from widgets.parts.look import Look

_PERIODS = {"s": "a second", "min": "a minute", "h": "an hour"}
_ROWS = 8
_NARROWEST_LABEL = 1.2  # a bar that is so many times as wide as its label carries it


class ProfileChart(QWidget):
    """A bar for each stage, as wide as it is long and as high as its load; settling times are pale."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._profile: LoadProfile | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Load profile")
        self.hide()
        look.changed.connect(self.update)

    def show_profile(self, profile: LoadProfile | None) -> None:
        """Draw a profile; ``None`` hides the chart."""
        self._profile = profile
        self.setVisible(profile is not None)
        if profile is not None:
            loads = ", ".join(f"{stage.load_text} for {planned_length(stage.seconds)}" for stage in profile.stages)
            self.setAccessibleDescription(f"{profile.in_words()} in {planned_length(profile.seconds)}: {loads}.")
            self.setToolTip(profile.in_words())
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        height = self.fontMetrics().height()
        return QSize(40 * height, _ROWS * height)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        height = self.fontMetrics().height()
        return QSize(20 * height, _ROWS * height)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        if self._profile is None:
            return
        painter = QPainter(self)
        for span in self._profile.spans(0):
            self._paint_stage(painter, span, self._profile)
        self._paint_times(painter, self._profile)
        painter.end()

    def bar(self, span: StageSpan) -> QRectF:
        """The rectangle of a stage."""
        assert self._profile is not None
        area = self._area()
        left = area.left() + span.begins / self._profile.seconds * area.width()
        width = span.stage.seconds / self._profile.seconds * area.width()
        height = span.stage.load / self._profile.highest * area.height()
        return QRectF(left, area.bottom() - height, width, height)

    def _area(self) -> QRectF:
        """Where the bars are: between a row for the label of the highest above and a row for times below."""
        height = self.fontMetrics().height()
        return QRectF(height / 2, 1.2 * height, self.width() - height, (_ROWS - 2.7) * height)

    def _paint_stage(self, painter: QPainter, span: StageSpan, profile: LoadProfile) -> None:
        colours, bar = self._look.colours, self.bar(span)
        settling = QRectF(bar)
        settling.setWidth(bar.width() * span.stage.settling_seconds / span.stage.seconds)
        painter.fillRect(bar, QColor(colours.heat))
        painter.fillRect(settling, QColor(colours.chosen))
        painter.setPen(QPen(QColor(colours.accent), 2))
        painter.drawLine(QLineF(bar.topLeft(), bar.topRight()))
        label = f"{span.stage.load:g}" if len(profile.stages) > 1 else span.stage.load_text
        metrics = painter.fontMetrics()
        if bar.width() >= _NARROWEST_LABEL * metrics.horizontalAdvance(label) or len(profile.stages) == span.number:
            above = QRectF(bar.left(), bar.top() - 1.1 * metrics.height(), bar.width(), metrics.height())
            painter.setPen(QColor(colours.text))
            painter.drawText(above, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, label)

    def _paint_times(self, painter: QPainter, profile: LoadProfile) -> None:
        area, height = self._area(), self.fontMetrics().height()
        below = QRectF(area.left(), area.bottom() + 0.2 * height, area.width(), height)
        painter.setPen(QColor(self._look.colours.muted))
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, "0:00")
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, time_text(profile.seconds))
        unit = f"due {_PERIODS[profile.stages[0].per]}" if profile.is_open_loop else "active users"
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, f"{unit} by time of measuring; pale: settling")
