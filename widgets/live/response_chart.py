"""Response times by second over all clients, and below them the queue within the workload's emulation, if it has one,
and the errors once there are any: for a run's pages."""

from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from engine.analysis.progress import progress_of
from engine.analysis.run_data import RunData
from engine.analysis.series.rates import Rates
from engine.figure_text import milliseconds, whole
from engine.plan.pace import has_schedule
from engine.workload.backlog import Backlog
from engine.workload.registry import find_workload
from widgets.parts.chart.curves import CurveStyle
from widgets.parts.chart.picture import Caption
from widgets.parts.chart.run import MIDDLE_OF_SECOND, chart_marks, clock_origin, run_bands, run_caption
from widgets.parts.chart.time_chart import TimeChart
from widgets.parts.look import Colours, Look

_LEAST_LINES = 8
_LINES_FOR_ERRORS, _MOST_LINES_OF_ERRORS = 24, 9


@dataclass(frozen=True)
class _TimeHue:
    """The colour of p50, p95 or p99 in each look, by index."""

    place: int

    def __call__(self, colours: Colours) -> str:
        return colours.times[self.place]


_P50 = CurveStyle(name="p50", colour=_TimeHue(0), rank=4)
_P95 = CurveStyle(name="p95", colour=_TimeHue(1), rank=3)
_P99 = CurveStyle(name="p99", colour=_TimeHue(2), rank=2)
_MAX = CurveStyle(name="max", colour=attrgetter("muted"), rank=-1, width=1.0)
_OF_ALL_TYPES = ", all types"
_BACKLOG = CurveStyle(name="queue", colour=attrgetter("accent"))
_ERRORS = CurveStyle(name="errors", colour=attrgetter("bad"))


class ResponseChart(QWidget):
    """p50, p95, p99 and the maximum in milliseconds, over a heat map of all transactions that the
    headline counts; errors per second share the time axis.

    For users with think time, as served and as intended. Marks can't be edited here.
    """

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run_data: RunData | None = None
        self._has_errors = False
        self._backlog: Backlog | None = None
        self._title = QLabel("Response times", self)
        self.logarithmic = _toggle("Logarithmic", "Equal steps for equal factors (L)")
        self.heat = _toggle("Heat map", "Shade how many transactions of each second took how long")
        self.times = TimeChart(
            look, name="Response time", amount="response time, ms", value_text=_milliseconds, time_shown=False
        )
        self.errors = TimeChart(look, name="Errors per second", amount="errors/s", value_text=_errors)
        self._lay_out()
        self._connect()

    def link_to(self, chart: TimeChart) -> None:
        """Share the time range and the crosshair with another chart of the run."""
        chart.link_to(self.times)

    def show_run(self, run_data: RunData) -> None:
        """Show another run, from its start to its end."""
        self._run_data = run_data
        self._title.setText(f"Response times of {run_data.headline.many}")
        self._backlog = find_workload(run_data.plan.workload).backlog
        for chart in (self.times, self.errors):
            chart.clear()
        if self._backlog is None:
            self.errors.set_amount("Errors per second", "errors/s", _errors)
        else:
            self.errors.set_amount(f"Errors per second, and {self._backlog.label.lower()}", "count", whole)
        self.refresh()

    def refresh(self) -> None:
        """Draw the run again."""
        run = self._run_data
        if run is None:
            return
        end = run.end
        for key, values, style in _curves(run, end):
            self.times.curves.set(key, MIDDLE_OF_SECOND, run.until_full_end(values), style)
        errors = run.until_full_end(_errors_by_second(run, end))
        self.errors.curves.set("errors", MIDDLE_OF_SECOND, errors, _ERRORS)
        self._has_errors = bool(np.nansum(errors) > 0)
        if self._backlog is not None:
            depths = run.until_full_end(run.series.by_second("backlog", end=end))
            style = replace(_BACKLOG, name=f"{self._backlog.label.lower()}, {self._backlog.unit}s due")
            self.errors.curves.set("backlog", MIDDLE_OF_SECOND, depths, style)
        self._show_below()
        self.times.set_heat(run.latency.grid if self.heat.isChecked() else None, run.headline.many, run.full_end)
        self.times.plot.set_bands(run_bands(run))
        self.errors.plot.set_bands(run_bands(run, words=False))
        self.times.set_marks(chart_marks(run.sorted_events()))
        for chart in (self.times, self.errors):
            chart.set_growing(not run.state.is_final, progress_of(run).seconds)
            chart.set_origin(*clock_origin(run.phases))
            chart.refresh()

    def set_stacked(self, is_stacked: bool) -> None:
        """The chart is directly below another one of the run, which shows the labels of marks and phases."""
        self.times.show_words(not is_stacked)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._show_below()

    def save_state(self) -> bytes:
        """The state of the switches, for ``restore_state``."""
        return bytes(switch.isChecked() for switch in (self.logarithmic, self.heat))

    def restore_state(self, saved: bytes) -> None:
        """Restore the result of ``save_state``; anything else changes nothing."""
        if len(saved) == 2:
            for switch, is_on in zip((self.logarithmic, self.heat), saved, strict=True):
                switch.setChecked(bool(is_on))

    def _lay_out(self) -> None:
        self._title.setMargin(self._title.fontMetrics().descent())
        head = QWidget(self)
        head.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)  # a low chart cuts no switch
        row = QHBoxLayout(head)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._title)
        row.addStretch(1)
        for switch in (self.heat, self.logarithmic):
            row.addWidget(switch)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(head)
        layout.addWidget(self.times, 1)
        layout.addWidget(self.errors)
        self.times.setMinimumHeight(_LEAST_LINES * self.fontMetrics().height())
        self.errors.setMaximumHeight(_MOST_LINES_OF_ERRORS * self.fontMetrics().height())
        self.errors.hide()

    def _connect(self) -> None:
        self.times.set_logarithmic(True)
        self.times.link_to(self.errors)
        turned = self.times.menu.offer_scale(self.logarithmic.setChecked, is_logarithmic=True)
        self.logarithmic.toggled.connect(turned.setChecked)
        self.logarithmic.toggled.connect(self.times.set_logarithmic)
        self.heat.toggled.connect(self._on_heat)
        self.times.menu.panel = self
        for chart, what in ((self.times, "response times"), (self.errors, "errors per second")):
            chart.caption = partial(self._caption, what)

    def _show_below(self) -> None:
        """Errors, where there are any, and the workload's queue: where there is room, as in a low chart the response
        times have priority."""
        has_any = self._has_errors or self._backlog is not None
        is_shown = has_any and self.height() >= _LINES_FOR_ERRORS * self.fontMetrics().height()
        self.errors.setVisible(is_shown)
        self.times.show_time(not is_shown)

    def _caption(self, what: str) -> Caption:
        return Caption("") if self._run_data is None else run_caption(self._run_data, what)

    def _on_heat(self) -> None:
        self.refresh()


def _toggle(text: str, tool_tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setCheckable(True)
    button.setChecked(True)
    button.setToolTip(tool_tip)
    button.setAccessibleName(f"Response times: {text}")
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


def _up_to(longest: Rates, percentile: Rates) -> Rates:
    """A percentile by second, which as the middle of its bucket may exceed the longest time, where that is known."""
    return np.minimum(percentile, np.nan_to_num(longest[: len(percentile)], nan=np.inf))


def _curves(run: RunData, end: int) -> list[tuple[str, Rates, CurveStyle]]:
    times = run.latency
    longest = run.series.largest_by_second(run.headline.names.max_us, end=end) / 1_000
    longest[longest == 0] = np.nan  # a second without any has no response time
    curves = [
        ("max", longest, _MAX),
        ("p99", _up_to(longest, times.p99_ms(0, end)), _P99),
        ("p95", _up_to(longest, times.p95_ms(0, end)), _P95),
        ("p50", _up_to(longest, times.p50_ms(0, end)), _P50),
    ]
    if has_schedule(run.plan):
        of_all = _OF_ALL_TYPES if run.headline.is_mixed else ""
        p99 = CurveStyle(name=f"p99 as intended{of_all}", colour=_TimeHue(2), dashed=True)
        p95 = CurveStyle(name=f"p95 as intended{of_all}", colour=_TimeHue(1), rank=1, dashed=True)
        curves += [
            ("intended p99", times.intended_p99_ms(0, end), p99),
            ("intended p95", times.intended_p95_ms(0, end), p95),
        ]
    return curves


def _errors_by_second(run: RunData, end: int) -> Rates:
    """0 without errors; a second without samples is a gap."""
    errors = run.errors.by_second(end)
    errors[~run.series.known()[:end]] = np.nan
    return errors


def _milliseconds(value: float) -> str:
    return f"{milliseconds(value)} ms"


def _errors(value: float) -> str:
    return f"{whole(value)} errors/s"
