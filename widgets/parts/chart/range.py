"""The visible range of a chart: following a run, zoom and pan. Used by ``TimeChart``."""

from widgets.parts.chart.amounts import LINEAR, Amounts
from widgets.parts.chart.scale import live_span

_LEAST_SPAN_SECONDS = 5.0
_WIDEST = 1.25


class ChartRange:
    """The visible range: the whole run until the user zooms or pans, and again on request.

    ``bottom`` and ``top`` are positions on the scale of ``amounts``.
    """

    def __init__(self) -> None:
        self.is_live = True
        self.first, self.last = 0.0, live_span(0)
        self.amounts: Amounts = LINEAR
        self.bottom, self.top = LINEAR.first_range
        self.y_by_hand = False
        self._whole = (self.first, self.last)

    def set_extent(self, first: float, last: float, *, growing: bool, planned_end: float | None = None) -> None:
        """The first and the last second of the data; a running run gets room for what is to come."""
        if growing:
            last = first + live_span(last - first, None if planned_end is None else planned_end - first)
        self._whole = (first, max(last, first + 1))
        if self.is_live:
            self.first, self.last = self._whole

    def show(self, first: float, last: float) -> None:
        """Show this range as chosen by the user, limited to the data."""
        whole_first, whole_last = self._whole
        whole = whole_last - whole_first
        span = min(max(last - first, _LEAST_SPAN_SECONDS), whole * _WIDEST)
        middle = (first + last) / 2
        spare = max(0.0, span - whole) + min(span, whole) / 2
        begin = min(max(middle - span / 2, whole_first - spare), whole_last + spare - span)
        self.is_live = False
        self.first, self.last = begin, begin + span

    def follow(self, first: float, last: float) -> None:
        """Show this range of a linked chart, which has limited it to its own data.

        It is not limited again: rounding would give each of the two charts another range than the other one, for ever.
        """
        self.is_live = False
        self.first, self.last = first, last

    def zoom(self, factor: float, about: float | None = None) -> None:
        """Show ``factor`` times as many seconds; the second ``about`` keeps its place."""
        about = (self.first + self.last) / 2 if about is None else about
        self.show(about - (about - self.first) * factor, about + (self.last - about) * factor)

    def pan(self, seconds: float) -> None:
        self.show(self.first + seconds, self.last + seconds)

    def back_to_live(self) -> None:
        self.is_live = True
        self.y_by_hand = False
        self.first, self.last = self._whole

    def set_amounts(self, amounts: Amounts) -> None:
        """Use another scale; the range is fitted to it."""
        self.amounts = amounts
        self.bottom, self.top = amounts.first_range
        self.y_by_hand = False

    def zoom_y(self, factor: float, about: float | None = None) -> None:
        """Show ``factor`` times as much of the value axis; by default its lower end keeps its place."""
        about = self.bottom if about is None else about
        self.y_by_hand = True
        self.bottom = max(self.amounts.lowest_position, about - (about - self.bottom) * factor)
        self.top = max(about + (self.top - about) * factor, self.bottom + 1e-3)

    def pan_y(self, amount: float) -> None:
        """Move along a value axis that the user zoomed; otherwise everything visible is shown anyway."""
        if self.y_by_hand:
            amount = max(amount, self.amounts.lowest_position - self.bottom)
            self.bottom, self.top = self.bottom + amount, self.top + amount

    def fit_y(self, lowest: float, highest: float) -> None:
        """Fit the visible values, unless the user zoomed the axis; it shrinks only when much of it is empty."""
        if not self.y_by_hand:
            self.bottom, self.top = self.amounts.fitted(self.bottom, self.top, lowest, highest)
