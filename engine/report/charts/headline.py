"""The curves of several runs over one time axis, aligned at the begin of measuring.

Called by the comparison and by the document of a set.
"""

from collections.abc import Sequence

import numpy as np

from engine.analysis.comparing.comparison import Align, Moment, headline_curve, offset_seconds
from engine.analysis.figures import WINDOW_SECONDS
from engine.analysis.headline import Headline
from engine.analysis.series.headline_curves import Reading
from engine.record.clock import MIDDLE_OF_SECOND
from engine.report.document import AxisFormat, Block, ChartFigure, Line, LineChart
from engine.report.results import ReportedRun


def headline_curves_chart(headline: Headline, runs: Sequence[tuple[str, ReportedRun]]) -> list[Block]:
    """The headline rate of all clients of each run over a window of 10 s, labelled with the given name.

    A run that never began to measure has no curve; without any curve there is no chart.
    """
    lines = [line for name, run in runs if (line := _line(name, run)) is not None]
    if not lines:
        return []
    chart = LineChart(
        x_label="Time since measuring began, min:s",
        y_label=headline.label,
        lines=tuple(lines),
        x_format=AxisFormat.CLOCK,
        alt=f"Curves of the {headline.rate} of " + ", ".join(line.label for line in lines) + ".",
    )
    return [
        ChartFigure(
            caption=f"{headline.label} of all clients over {WINDOW_SECONDS} s",
            chart=chart,
            note="The runs are aligned where measuring began. Seconds without data are not drawn.",
        )
    ]


def _line(name: str, run: ReportedRun) -> Line | None:
    offset = offset_seconds(run.data, Moment(Align.MEASURING))
    if offset is None:
        return None
    curve = headline_curve(run.data, Reading.WINDOW)
    return Line(label=name, x=np.arange(len(curve), dtype=np.float64) + MIDDLE_OF_SECOND - offset, y=curve)
