"""What a chart shows of its data, in plain numbers: steps of axes, the visible range, following a run, zoom and pan.

``time_chart`` holds one ``ChartRange`` and draws by it. Times are seconds on the run's clock.
"""

import math
from bisect import bisect_left

TIME_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400)
_SPANS = (60, 120, 300, 600, 900, 1200, 1800, 2700, 3600, 5400, 7200, 10_800, 14_400, 21_600, 28_800, 43_200, 64_800)
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_TOPS = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_AMOUNT_STEPS = (1.0, 2.0, 5.0, 10.0)
_LEAST_SPAN_SECONDS = 5.0
_HEAD_ROOM = 1.04
_SHRINK_BELOW = 0.55
_WIDEST = 1.25


def time_step(span_seconds: float, most: int) -> int:
    """The step between the labels of a time axis, so that there are at most ``most`` of them."""
    place = bisect_left(TIME_STEPS, span_seconds / max(1, most))
    if place < len(TIME_STEPS):
        return TIME_STEPS[place]
    return _DAY * math.ceil(span_seconds / max(1, most) / _DAY)


def amount_step(span: float, most: int) -> float:
    """The step of a scale of amounts: 1, 2 or 5 times a power of ten."""
    least = span / max(1, most)
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in _AMOUNT_STEPS if step * power >= least * (1 - 1e-9))


def time_unit(step: int, furthest_seconds: float) -> str:
    """How the labels of a time axis are written that has this step and goes so far: ``m:ss``, ``h:mm``, ``h:mm:ss``."""
    if furthest_seconds < _HOUR:
        return "m:ss"
    return "h:mm" if step % _MINUTE == 0 else "h:mm:ss"


def time_label(seconds: float, unit: str) -> str:
    """A time in one of the units of ``time_unit``."""
    sign, whole = ("−" if seconds < 0 else ""), abs(round(seconds))
    minutes, second = divmod(whole, _MINUTE)
    if unit == "m:ss":
        return f"{sign}{minutes}:{second:02}"
    hours, minute = divmod(minutes, 60)
    return f"{sign}{hours}:{minute:02}" + (f":{second:02}" if unit == "h:mm:ss" else "")


def live_span(seconds: float) -> float:
    """The span that a growing run is shown in: it stands for a while, so that a chart does not move every second."""
    place = bisect_left(_SPANS, seconds)
    if place < len(_SPANS):
        return float(_SPANS[place])
    return float(math.ceil(seconds / (_DAY / 2)) * (_DAY / 2))


def nice_top(highest: float) -> float:
    """The end of a scale from 0 that has ``highest`` on it, with a little room above."""
    if highest <= 0:
        return 1.0
    wanted = highest * _HEAD_ROOM
    power = 10.0 ** math.floor(math.log10(wanted))
    return next((top * power for top in _TOPS if top * power >= wanted), 10 * power)


class ChartRange:
    """The visible range of a chart: the whole run until somebody zooms or pans, and again when asked for."""

    def __init__(self) -> None:
        self.is_live = True
        self.first, self.last = 0.0, live_span(0)
        self.bottom, self.top = 0.0, 1.0
        self.y_by_hand = False
        self._whole = (self.first, self.last)

    def set_extent(self, first: float, last: float, *, growing: bool) -> None:
        """Where the data begin and end; a growing run gets room to grow into."""
        if growing:
            last = first + live_span(last - first)
        self._whole = (first, max(last, first + 1))
        if self.is_live:
            self.first, self.last = self._whole

    def show(self, first: float, last: float) -> None:
        """Show this range by hand, as far as there is anything to see in it."""
        whole_first, whole_last = self._whole
        whole = whole_last - whole_first
        span = min(max(last - first, _LEAST_SPAN_SECONDS), whole * _WIDEST)
        middle = (first + last) / 2
        spare = max(0.0, span - whole) + min(span, whole) / 2
        begin = min(max(middle - span / 2, whole_first - spare), whole_last + spare - span)
        self.is_live = False
        self.first, self.last = begin, begin + span

    def zoom(self, factor: float, about: float | None = None) -> None:
        """Show ``factor`` times as many seconds; the second ``about`` stays where it is."""
        about = (self.first + self.last) / 2 if about is None else about
        self.show(about - (about - self.first) * factor, about + (self.last - about) * factor)

    def pan(self, seconds: float) -> None:
        self.show(self.first + seconds, self.last + seconds)

    def back_to_live(self) -> None:
        self.is_live = True
        self.y_by_hand = False
        self.first, self.last = self._whole

    def zoom_y(self, factor: float, about: float | None = None) -> None:
        """Show ``factor`` times as much of the y axis; about 0, unless told otherwise, the axis keeps its foot."""
        about = self.bottom if about is None else about
        self.y_by_hand = True
        self.bottom = max(0.0, about - (about - self.bottom) * factor)
        self.top = max(about + (self.top - about) * factor, self.bottom + 1e-3)

    def pan_y(self, amount: float) -> None:
        """Move along a y axis that was zoomed by hand; one that was not stands on 0."""
        if self.y_by_hand:
            amount = max(amount, -self.bottom)
            self.bottom, self.top = self.bottom + amount, self.top + amount

    def fit_y(self, highest: float) -> None:
        """Let the axis begin at 0 and hold what is visible; it shrinks only when much of it is empty."""
        if self.y_by_hand:
            return
        self.bottom = 0.0
        if not _SHRINK_BELOW * self.top <= highest <= self.top:
            self.top = nice_top(highest)
