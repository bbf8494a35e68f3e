"""Response times by second over all clients, and below them the errors: the second chart of a run's page."""

from operator import attrgetter

import numpy as np
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.analysis.run_data import RunData
from engine.analysis.series import Rates
from engine.figure_text import milliseconds, whole
from widgets.parts.chart_curves import CurveStyle
from widgets.parts.chart_run import MIDDLE_OF_SECOND, chart_marks, clock_origin, phase_bands
from widgets.parts.look import Hue, Look
from widgets.parts.time_chart import TimeChart

_TIMES_SHARE, _ERRORS_SHARE = 3, 2


_MEAN = CurveStyle(name="mean", colour=attrgetter("total"), rank=4)
_P95 = CurveStyle(name="p95", colour=Hue(0), rank=3)
_P99 = CurveStyle(name="p99", colour=Hue(1), rank=2)
_INTENDED_P95 = CurveStyle(name="intended p95", colour=Hue(2), rank=1)
_INTENDED_P99 = CurveStyle(name="intended p99", colour=Hue(3))
_ERRORS = CurveStyle(name="errors", colour=attrgetter("bad"))


class ResponseChart(QWidget):
    """Mean, p95 and p99 in milliseconds; errors per second share their time. Marks are shown, not edited.

    Of users with think time as they were served and as intended by their schedule.
    """

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run_data: RunData | None = None
        self.times = TimeChart(
            look, name="Response time", amount="response time, ms", value_text=_milliseconds, time_shown=False
        )
        self.errors = TimeChart(look, name="Errors per second", amount="errors/s", value_text=_errors)
        self.times.link_to(self.errors)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.times, _TIMES_SHARE)
        layout.addWidget(self.errors, _ERRORS_SHARE)

    def link_to(self, chart: TimeChart) -> None:
        """Show the same time as another chart of the run, whichever of them is zoomed."""
        chart.link_to(self.times)

    def show_run(self, run_data: RunData) -> None:
        """Show another run, from its start to its end."""
        self._run_data = run_data
        for chart in (self.times, self.errors):
            chart.clear()
        self.refresh()

    def refresh(self) -> None:
        """Draw what the run tells anew."""
        run = self._run_data
        if run is None:
            return
        end = run.end
        for key, values, style in _curves(run, end):
            self.times.set_curve(key, MIDDLE_OF_SECOND, values, style)
        self.errors.set_curve("errors", MIDDLE_OF_SECOND, _errors_by_second(run, end), _ERRORS)
        self.times.set_bands(phase_bands(run.phases, end))
        self.errors.set_bands(phase_bands(run.phases, end, words=False))
        self.times.set_marks(chart_marks(run.sorted_events()))
        for chart in (self.times, self.errors):
            chart.set_growing(not run.state.is_final)
            chart.set_origin(*clock_origin(run.phases))
            chart.refresh()


def _curves(run: RunData, end: int) -> list[tuple[str, Rates, CurveStyle]]:
    times = run.latency
    curves = [("p99", times.p99_ms(0, end), _P99), ("p95", times.p95_ms(0, end), _P95)]
    if run.plan.think_time_ms:
        curves += [
            ("intended p99", times.intended_p99_ms(0, end), _INTENDED_P99),
            ("intended p95", times.intended_p95_ms(0, end), _INTENDED_P95),
        ]
    return [*curves, ("mean", run.mean_ms(0, end), _MEAN)]


def _errors_by_second(run: RunData, end: int) -> Rates:
    """Zero is no error; a second of which no client told anything is a gap."""
    errors = run.errors.by_second(end)
    errors[~run.series.known()[:end]] = np.nan
    return errors


def _milliseconds(value: float) -> str:
    return f"{milliseconds(value)} ms"


def _errors(value: float) -> str:
    return f"{whole(value)} errors/s"
