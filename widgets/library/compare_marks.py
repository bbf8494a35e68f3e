"""The marks of compared runs on their common chart, each in the colour of its run. Called by the compare page."""

from collections.abc import Callable, Sequence

from engine.analysis.comparing.comparison import Align, Moment
from engine.analysis.run_data import RunData
from widgets.parts.chart.marks import ChartMark
from widgets.parts.chart.run import chart_marks
from widgets.parts.look import Colours

_AT_ONCE_SECONDS = 0.05

Marked = tuple[str, RunData, float, Callable[[Colours], str]]
"""A run: its name, its data, how many seconds it is shifted to the right, and its colour."""


def compared_marks(runs: Sequence[Marked], moment: Moment, origin: float) -> list[ChartMark]:
    """The marks and faults of all runs, labelled with their runs; the mark of the alignment appears once for all."""
    is_mark = moment.align in (Align.MARK, Align.FAULT)
    found: list[tuple[float, str, Callable[[Colours], str] | None]] = []
    shared: dict[str, None] = {moment.label: None} if moment.align is Align.MARK else {}
    for name, run, shift, colour in runs:
        for mark in chart_marks(run.sorted_events()):
            at_seconds = mark.at_seconds + shift
            if is_mark and abs(at_seconds - origin) < _AT_ONCE_SECONDS:
                shared[mark.label] = None
            else:
                found.append((at_seconds, f"{mark.label} · {name}", colour))
    found += [(origin, label, None) for label in shared]
    return [
        ChartMark(number=number, at_seconds=at_seconds, label=label, is_fixed=True, colour=colour)
        for number, (at_seconds, label, colour) in enumerate(found, start=1)
    ]
