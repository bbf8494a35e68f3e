"""The steps of a chart's axes, and the time spans in which a running run is shown, as plain numbers.

Times are seconds on the run's clock.
"""

import math
from bisect import bisect_left

TIME_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400)
_FIRST_SPAN_SECONDS = 60
_GROWTH = 1.08  # for a run without an end: the largest empty share of the chart
_WHOLE_PLAN_SECONDS = 900
_LEAST_SHARE = 1 / 3
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_TOPS = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_AMOUNT_STEPS = (1.0, 2.0, 5.0, 10.0)
_HEAD_ROOM = 1.04


def time_step(span_seconds: float, most: int) -> int:
    """The step between the labels of a time axis that gives at most ``most`` labels."""
    place = bisect_left(TIME_STEPS, span_seconds / max(1, most))
    if place < len(TIME_STEPS):
        return TIME_STEPS[place]
    return _DAY * math.ceil(span_seconds / max(1, most) / _DAY)


def amount_step(span: float, most: int) -> float:
    """The step of a value scale: 1, 2 or 5 times a power of ten."""
    least = span / max(1, most)
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in _AMOUNT_STEPS if step * power >= least * (1 - 1e-9))


def time_unit(step: int, furthest_seconds: float) -> str:
    """The format of a time axis with this step and length: ``m:ss``, ``h:mm``, ``h:mm:ss``."""
    if furthest_seconds < _HOUR:
        return "m:ss"
    return "h:mm" if step % _MINUTE == 0 else "h:mm:ss"


def time_label(seconds: float, unit: str) -> str:
    """A time in one of the formats of ``time_unit``."""
    sign, whole = ("−" if seconds < 0 else ""), abs(round(seconds))
    minutes, second = divmod(whole, _MINUTE)
    if unit == "m:ss":
        return f"{sign}{minutes}:{second:02}"
    hours, minute = divmod(minutes, 60)
    return f"{sign}{hours}:{minute:02}" + (f":{second:02}" if unit == "h:mm:ss" else "")


def live_span(seconds: float, planned_seconds: float | None = None) -> float:
    """The time span in which a running run is shown; ``planned_seconds`` is its length if its end is known.

    A plan is shown completely as soon as a third of it has passed, and at once if it is no longer than a quarter of an
    hour. A run without an end, or at the beginning of a long one, is shown in spans that grow in steps.
    """
    if planned_seconds is None:
        return _stepped(seconds, _FIRST_SPAN_SECONDS)
    needed = max(planned_seconds, seconds)
    return min(needed, _stepped(seconds / _LEAST_SHARE, _WHOLE_PLAN_SECONDS))


def _stepped(seconds: float, least: float) -> float:
    """The smallest of ``least``, 1.08 times as much and so on that is at least this many seconds."""
    steps = max(0, math.ceil(math.log((seconds + 1) / least, _GROWTH))) if seconds > 0 else 0
    return float(round(least * _GROWTH**steps))


def nice_top(highest: float) -> float:
    """The end of a scale from 0 that contains ``highest``, with a little room above."""
    if highest <= 0:
        return 1.0
    wanted = highest * _HEAD_ROOM
    power = 10.0 ** math.floor(math.log10(wanted))
    return next((top * power for top in _TOPS if top * power >= wanted), 10 * power)
