"""The marks of compared runs on their common chart, each in the colour of its run. Called by the compare page."""

from collections.abc import Callable, Sequence

from engine.analysis.comparing.comparison import Align, Moment
from engine.analysis.run_data import RunData
from widgets.parts.chart.marks import ChartMark
from widgets.parts.chart.run import chart_marks
from widgets.parts.look import Colours

_AT_ONCE_SECONDS = 0.05

_Mark = tuple[float, str, Callable[[Colours], str] | None]
"""A mark: when it was on the common time axis, its label, and the colour of its run; ``None`` for all runs."""

Marked = tuple[str, RunData, float, Callable[[Colours], str]]
"""A run: its name, its data, how many seconds it is shifted to the right, and its colour."""


def compared_marks(runs: Sequence[Marked], moment: Moment, origin: float) -> list[ChartMark]:
    """The marks and faults of all runs, labelled with their runs; the mark of the alignment, and one that all runs have
    at once, appear once for all."""
    is_mark = moment.align in (Align.MARK, Align.FAULT)
    by_label: dict[str, list[_Mark]] = {}
    shared: dict[str, None] = {moment.label: None} if moment.align is Align.MARK else {}
    for name, run, shift, colour in runs:
        for mark in chart_marks(run.sorted_events()):
            at_seconds = mark.at_seconds + shift
            if is_mark and abs(at_seconds - origin) < _AT_ONCE_SECONDS:
                shared[mark.label] = None
            else:
                by_label.setdefault(mark.label, []).append((at_seconds, f"{mark.label} · {name}", colour))
    found = [each for label, marks in by_label.items() for each in _joined(label, marks, len(runs))]
    found += [(origin, label, None) for label in shared]
    return [
        ChartMark(number=number, at_seconds=at_seconds, label=label, is_fixed=True, colour=colour)
        for number, (at_seconds, label, colour) in enumerate(found, start=1)
    ]


def _joined(label: str, marks: Sequence[_Mark], runs: int) -> list[_Mark]:
    """The marks of one label in the order of their times; those at once of so many runs are one, of no run."""
    joined: list[_Mark] = []
    rest = sorted(marks, key=lambda mark: mark[0])
    while rest:
        first = rest[0][0]
        at_once = [mark for mark in rest if mark[0] - first < _AT_ONCE_SECONDS]
        is_of_all = runs > 1 and len({run_label for _, run_label, _ in at_once}) == runs
        joined += [(first, label, None)] if is_of_all else at_once[:1]
        del rest[: len(at_once) if is_of_all else 1]
    return joined
