"""The line below a chart: what the time axis counts, and the legend while it helps."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from widgets.parts.look import Look

MOST_IN_LEGEND = 9
_LEAST_EMS = 2.0
_CHROME_EMS = 3.0
_SAMPLE_HEIGHT = 2.0


@dataclass(frozen=True)
class LegendEntry:
    """A curve's name and its colour of now."""

    name: str
    colour: str
    dashed: bool = False


class Foot(pg.GraphicsWidget):  # type: ignore[misc]
    """The title of the time axis at the left; names with a sample of their line at the right."""

    def __init__(self, look: Look, font: QFont) -> None:
        super().__init__()
        self._look, self._font = look, font
        self._metrics = QFontMetricsF(font)
        self._title = ""
        self._entries: Sequence[LegendEntry] = ()
        height = self._metrics.height() + 4
        self.setMinimumHeight(height)
        self.setMaximumHeight(height)

    def set_title(self, title: str) -> None:
        if title != self._title:
            self._title = title
            self.update()

    def set_entries(self, entries: Sequence[LegendEntry]) -> None:
        """The legend; more than a few entries help nobody and are left out."""
        self._entries = entries if len(entries) <= MOST_IN_LEGEND else ()
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        painter.setFont(self._font)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QColor(self._look.colours.muted))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self._title)
        em, middle = self._metrics.horizontalAdvance("m"), self.rect().center().y()
        names = self._fitted(em)
        left = self.rect().right() - sum(self._metrics.horizontalAdvance(name) + _CHROME_EMS * em for name in names)
        for entry, name in zip(self._entries, names, strict=False):
            self._paint_sample(painter, QRectF(left + 0.5 * em, middle, 1.5 * em, _SAMPLE_HEIGHT), entry)
            painter.setPen(QColor(self._look.colours.text))
            painter.drawText(QPointF(left + 2.5 * em, middle + self._metrics.ascent() / 2 - 1), name)
            left += self._metrics.horizontalAdvance(name) + _CHROME_EMS * em

    def _paint_sample(self, painter: QPainter, box: QRectF, entry: LegendEntry) -> None:
        """Higher than the curve itself: a hue is hard to see in one pixel."""
        parts = (0.0, 0.4, 0.8) if entry.dashed else (0.0,)
        width = 0.2 if entry.dashed else 1.0
        for part in parts:
            painter.fillRect(
                QRectF(box.left() + part * box.width(), box.top(), width * box.width(), box.height()),
                QColor(entry.colour),
            )

    def _fitted(self, em: float) -> list[str]:
        """The names, shortened to the room there is; none when nothing readable would be left of them."""
        if not self._entries:
            return []
        room = self.rect().width() - self._metrics.horizontalAdvance(self._title) - em
        each = room / len(self._entries) - _CHROME_EMS * em
        if each < _LEAST_EMS * em:
            return []
        wanted = [self._metrics.horizontalAdvance(entry.name) for entry in self._entries]
        widest = _widest(wanted, room - _CHROME_EMS * em * len(wanted))
        return [
            entry.name
            if width <= widest
            else self._metrics.elidedText(entry.name, Qt.TextElideMode.ElideMiddle, widest)
            for entry, width in zip(self._entries, wanted, strict=True)
        ]


def _widest(wanted: Sequence[float], room: float) -> float:
    """How wide a name may be at most so that all fit: what short ones leave is shared among the long ones."""
    left = len(wanted)
    for width in sorted(wanted):
        if width * left > room:
            return room / left
        room -= width
        left -= 1
    return max(wanted)
