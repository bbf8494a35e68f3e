"""A run's headline metric, and below it the measurements of hosts: a chart for each unit and scale, with the same
time axis."""

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from engine.analysis.comparing.comparison import headline_curve
from engine.analysis.host.groups import HostGroup, host_groups
from engine.analysis.host.series import by_second
from engine.analysis.run_data import RunData
from engine.analysis.series.headline_curves import Reading
from engine.figure_text import significant, whole, with_unit
from widgets.library.host_lines import HostLine
from widgets.parts.chart.curves import CurveStyle
from widgets.parts.chart.picture import Caption
from widgets.parts.chart.run import MIDDLE_OF_SECOND, chart_marks, clock_origin, headline_text, run_bands, run_caption
from widgets.parts.chart.time_chart import TimeChart
from widgets.parts.look import Hue, Look

_TOTAL = CurveStyle(name="total", colour=attrgetter("total"), rank=1)
_LEAST_LINES = 9


class HostCharts(QScrollArea):
    """All charts show the same time range, whichever of them is zoomed; gaps are gaps."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._run: RunData | None = None
        self._inside = QWidget()
        self._column = QVBoxLayout(self._inside)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.headline = self._new_chart("Headline metric", "", whole)
        self.by_group: dict[tuple[str, int], TimeChart] = {}
        self.setWidget(self._inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the charts have the focus, and are scrolled into view

    def show_run(self, run: RunData) -> None:
        """Show another run, from its start to its end."""
        self._run = run
        for chart in self._charts():
            chart.clear()
        name = f"{run.headline.label} of all clients"
        self.headline.set_amount(name, run.headline.label, headline_text(run.headline))
        self.headline.set_caption(partial(self._caption, name))
        self.headline.set_curve("total", MIDDLE_OF_SECOND, headline_curve(run, Reading.WINDOW), _TOTAL)
        self.headline.set_marks(chart_marks(run.sorted_events()))
        self._draw_ground()

    def show_lines(self, lines: Sequence[HostLine]) -> None:
        """Draw these counters, by unit and scale; a chart without any is hidden."""
        if self._run is None or self._run.started_at is None:
            return
        groups = {(group.unit, group.rank): group for group in host_groups(lines, lambda line: line.series)}
        for key, group in groups.items():
            if key not in self.by_group:
                self.by_group[key] = self._group_chart(group)
        for key, chart in self.by_group.items():
            self._draw(chart, groups[key].members if key in groups else ())
        self._show_time_once()
        self._draw_ground()

    def _show_time_once(self) -> None:
        """The times are labelled below the last chart only, since all have the same."""
        shown = [chart for chart in self._charts() if not chart.isHidden()]
        for chart in shown:
            chart.show_time(chart is shown[-1])

    def _draw(self, chart: TimeChart, lines: Sequence[HostLine]) -> None:
        run = self._run
        assert run is not None
        assert run.started_at is not None
        wanted = {line.key: line for line in lines}
        for key in chart.curve_keys:
            if key not in wanted:
                chart.remove_curve(key)
        for place, (key, line) in enumerate(wanted.items()):
            values = by_second(line.series, run.started_at.timestamp(), run.end, line.measurement.shift_seconds)
            source = f" ({line.series.source})" if line.series.source else ""
            chart.set_curve(
                key, MIDDLE_OF_SECOND, values, CurveStyle(name=f"{line.series.label}{source}", colour=Hue(place))
            )
        chart.setVisible(bool(lines))

    def _draw_ground(self) -> None:
        run = self._run
        if run is None:
            return
        for chart in self._charts():
            chart.set_bands(run_bands(run, words=chart is self.headline))
            chart.set_origin(*clock_origin(run.phases))
            chart.refresh()

    def _caption(self, name: str) -> Caption:
        return Caption(name) if self._run is None else run_caption(self._run, name)

    def _charts(self) -> list[TimeChart]:
        return [self.headline, *self.by_group.values()]

    def _group_chart(self, group: HostGroup[HostLine]) -> TimeChart:
        lower = f", {group.rank + 1}" if group.rank else ""
        chart = self._new_chart(f"Host: {group.name}{lower}", group.axis_title, partial(_value, group.unit))
        self.headline.link_to(chart)
        return chart

    def _new_chart(self, name: str, amount: str, value_text: Callable[[float], str]) -> TimeChart:
        chart = TimeChart(self._look, name=name, amount=amount, value_text=value_text)
        chart.setMinimumHeight(_LEAST_LINES * self.fontMetrics().height())
        chart.set_caption(partial(self._caption, name))
        self._column.addWidget(chart, 1)
        return chart


def _value(unit: str, value: float) -> str:
    return with_unit(significant(value), unit)
