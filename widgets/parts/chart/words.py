"""A chart as a sentence for screen readers."""

from collections.abc import Callable

import numpy as np

from engine.figure_text import clock, clock_tenths
from widgets.parts.chart.curves import Curve
from widgets.parts.chart.marks import Marks


def describe(
    name: str, main: Curve | None, curves: int, marks: Marks, origin: float, value_text: Callable[[float], str]
) -> str:
    """What a chart shows: the curves, the range, the main curve's last value, its extremes, the marks.

    The extremes are those since the origin, if there are any: a ramp always begins with 0.
    """
    known = np.flatnonzero(~np.isnan(main.values)) if main is not None else np.empty(0)
    if main is None or not len(known):
        return f"{name}: no data yet."
    values, begin = main.values, main.offset - origin
    counted = known[known >= -begin] if known[-1] >= -begin else known

    def at(place: int) -> str:
        return clock(begin + place)

    lowest, highest = int(counted[values[counted].argmin()]), int(counted[values[counted].argmax()])
    parts = [
        f"{name}, {curves} {'curve' if curves == 1 else 'curves'} from {at(int(known[0]))} to {at(int(known[-1]))}",
        f"{main.style.name} last {value_text(float(values[known[-1]]))}",
        f"lowest {value_text(float(values[lowest]))} at {at(lowest)}",
        f"highest {value_text(float(values[highest]))} at {at(highest)}",
    ]
    marked = ", ".join(f"{mark.label} at {clock_tenths(mark.at_seconds - origin)}" for mark in marks.all[:_MOST_MARKS])
    if marked:
        more = len(marks.all) - _MOST_MARKS
        parts.append(f"marks: {marked}" + (f" and {more} more" if more > 0 else ""))
    return "; ".join(parts) + "."


_MOST_MARKS = 5
