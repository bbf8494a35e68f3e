"""Zooming and panning of a chart by pointer and keyboard, and linked charts."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from widgets.parts.chart.keys import ChartKeys
from widgets.parts.chart.mouse import ChartMouse
from widgets.parts.chart.range import ChartRange


class RangeInteraction(QObject):
    """Changes ``shown``. ``changed``: the chart is to be drawn. ``moved`` carries the seconds that the user chose,
    ``live_changed`` whether the chart follows the run."""

    changed = Signal()
    moved = Signal(float, float)
    live_changed = Signal(bool)

    def __init__(self, shown: ChartRange, mouse: ChartMouse, keys: ChartKeys, parent: QObject) -> None:
        super().__init__(parent)
        self._shown = shown
        mouse.zoom_requested.connect(self._zoom)
        keys.zoom_requested.connect(self._zoom)
        mouse.zoom_y_requested.connect(self._zoom_y)
        keys.zoom_y_requested.connect(self._zoom_y)
        mouse.back_requested.connect(self.back_to_live)
        keys.back_requested.connect(self.back_to_live)
        mouse.pan_requested.connect(self._pan)
        keys.pan_requested.connect(self._pan_by_share)

    def back_to_live(self) -> None:
        """Show the whole run, and follow it."""
        was_live = self._shown.is_live
        self._shown.back_to_live()
        self.changed.emit()
        if not was_live:
            self.live_changed.emit(True)

    def show(self, first: float, last: float) -> None:
        """Show this range."""
        self._by_hand(self._shown.show, first, last)

    def link_to(self, other: "RangeInteraction") -> None:
        """Share the time range with another chart, whichever is zoomed; it takes over this one's present range."""
        for one, two in ((self, other), (other, self)):
            one.moved.connect(two._follow)
            one.live_changed.connect(two._follow_live)
        if not self._shown.is_live:
            other._follow(self._shown.first, self._shown.last)

    def _by_hand(self, change: Callable[..., None], *values: float) -> None:
        was_live = self._shown.is_live
        change(*values)
        self.changed.emit()
        self.moved.emit(self._shown.first, self._shown.last)
        if was_live and not self._shown.is_live:
            self.live_changed.emit(False)

    def _zoom(self, factor: float, about: float | None = None) -> None:
        self._by_hand(self._shown.zoom, factor, *([] if about is None else [about]))

    def _pan(self, seconds: float, positions: float) -> None:
        self._shown.pan_y(positions)
        self._by_hand(self._shown.pan, seconds)

    def _pan_by_share(self, share: float) -> None:
        self._by_hand(self._shown.pan, share * (self._shown.last - self._shown.first))

    def _zoom_y(self, factor: float, about: float | None = None) -> None:
        self._shown.zoom_y(factor, about)
        self.changed.emit()

    def _follow(self, first: float, last: float) -> None:
        if (first, last) != (self._shown.first, self._shown.last):
            self._by_hand(self._shown.follow, first, last)

    def _follow_live(self, is_live: bool) -> None:
        if is_live and not self._shown.is_live:
            self.back_to_live()
