"""A run's headline metric, and below it the counters of its hosts: small charts on one time axis, live and stored."""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from operator import attrgetter

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from engine.analysis.host.groups import HostGroup, host_groups
from engine.analysis.host.labels import Reader, counter_label, reader_names
from engine.analysis.progress import progress_of
from engine.analysis.run_data import RunData
from engine.analysis.series.headline_curves import HeadlineCurves, Reading
from engine.analysis.series.rates import Rates
from engine.figure_text import significant, whole, with_unit
from engine.telemetry.host_figure import HostFigure
from widgets.parts.chart.curves import CurveStyle
from widgets.parts.chart.picture import Caption
from widgets.parts.chart.run import MIDDLE_OF_SECOND, chart_marks, clock_origin, headline_text, run_bands, run_caption
from widgets.parts.chart.time_chart import TimeChart
from widgets.parts.look import Hue, Look

_TOTAL = CurveStyle(name="total", colour=attrgetter("total"), rank=1)
_LEAST_LINES = 7
# A sample may come this much after its second, from a client that the workstation has left no processor for.
_LATE_SECONDS = 120
_DASHED = (HostFigure.DISK_WRITES, HostFigure.NETWORK_SENT)
_PAIRS = (*_DASHED, HostFigure.DISK_READS, HostFigure.NETWORK_RECEIVED)


@dataclass(frozen=True, kw_only=True, eq=False)
class HostCurve:
    """A counter's values by second of the run.

    A machine has one colour on all charts; its second direction (writes, sent) is dashed. What else of it is on the
    same chart has colours that no machine has. ``reader`` is the number of what has read it and ``source`` its name,
    which is told where a chart has several of a machine.
    """

    key: Hashable
    machine: str
    name: str
    device: str
    unit: str
    values: Rates
    reader: int
    source: str

    def label(self, source: str) -> str:
        """The text in a legend; ``source`` is empty, or tells the counter from another reader's."""
        return counter_label(f"{self.name} {self.device}".rstrip(), self.machine, source)

    @property
    def is_of_a_pair(self) -> bool:
        """Whether it is one of two directions."""
        return self.name in _PAIRS

    @property
    def is_dashed(self) -> bool:
        return self.name in _DASHED


class HostCharts(QWidget):
    """The headline chart stays above; the others scroll. All show the same time range and crosshair; gaps are gaps.

    ``by_group`` are the charts by the name and rank of their group, ``machines`` the names in the order of their
    colours.
    """

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._run: RunData | None = None
        self._curves: HeadlineCurves | None = None
        self.machines: list[str] = []
        self._inside = QWidget()
        self._column = _SqueezedColumn(self._inside)
        _without_room(self._column)
        self.headline = self._new_chart("Headline metric", "", whole)
        self.by_group: dict[tuple[str, int], TimeChart] = {}
        self._scroll = QScrollArea(self)
        self._scroll.setWidget(self._inside)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the charts have the focus, and are scrolled into view
        self._scroll.verticalScrollBar().rangeChanged.connect(self._on_scroll_range)
        self._above = QWidget(self)
        self._above_column = _column(self._above)
        self._above_column.addWidget(self.headline)
        layout = _column(self)
        layout.addWidget(self._above, 1)
        layout.addWidget(self._scroll, 3)

    def show_run(self, run: RunData) -> None:
        """Show another run, from its start to its end."""
        self._run, self._curves = run, HeadlineCurves(run, Reading.WINDOW)
        self.machines.clear()
        for chart in self.by_group.values():
            chart.clear()
            chart.hide()
        self.headline.clear()
        name = f"{run.headline.label} of all clients"
        self.headline.set_amount(name, run.headline.label, headline_text(run.headline))
        self.headline.caption = partial(self._caption, name)
        self.refresh_run()

    def refresh_run(self) -> None:
        """Draw the headline metric, marks and phases of the run as it is now."""
        run, curves = self._run, self._curves
        if run is None or curves is None:
            return
        curves.update(0 if run.state.is_final else max(0, curves.end - _LATE_SECONDS))
        self.headline.curves.set("total", MIDDLE_OF_SECOND, curves.total(), _TOTAL)
        marks, planned_end = chart_marks(run.sorted_events()), progress_of(run).seconds
        for chart in self._charts():
            chart.set_marks(marks)
            chart.set_growing(not run.state.is_final, planned_end)
            chart.plot.set_bands(run_bands(run, words=chart is self.headline))
            chart.set_origin(*clock_origin(run.phases))
            chart.refresh()

    def show_curves(self, curves: Sequence[HostCurve], *, by_scale: bool = True) -> None:
        """Draw these counters, by figure or unit; a chart without any is hidden. ``by_scale``: see ``host_groups``."""
        if self._run is None:
            return
        for curve in curves:
            if curve.machine not in self.machines:
                self.machines.append(curve.machine)
        groups = {
            (group.name, group.rank): group for group in host_groups(curves, lambda each: each, by_scale=by_scale)
        }
        for place, (key, group) in enumerate(groups.items()):
            if key not in self.by_group:
                self.by_group[key] = self._group_chart(group)
            if self._column.indexOf(self.by_group[key]) != place:
                self._column.insertWidget(place, self.by_group[key], 1)
        for key, chart in self.by_group.items():
            self._draw(chart, groups[key].members if key in groups else ())
        self._show_time_once()
        self.refresh_run()

    def _on_scroll_range(self, first: int, last: int) -> None:
        """The headline chart is as wide as those that scroll, so that the same time is at the same place."""
        width = self._scroll.verticalScrollBar().sizeHint().width() if last > first else 0
        self._above_column.setContentsMargins(0, 0, width, 0)
        self._show_time_once()

    def _show_time_once(self) -> None:
        """The times are labelled below the last chart only, since all have the same, and above where that is scrolled
        out of view."""
        shown, bar = [chart for chart in self._charts() if not chart.isHidden()], self._scroll.verticalScrollBar()
        for chart in shown:
            chart.show_time(chart is shown[-1] or (chart is self.headline and bar.maximum() > bar.minimum()))

    def _draw(self, chart: TimeChart, curves: Sequence[HostCurve]) -> None:
        wanted = {curve.key: curve for curve in curves}
        for key in tuple(chart.curves.by_key):
            if key not in wanted:
                chart.curves.remove(key)
        free = count(len(self.machines))
        hues: dict[tuple[str, int, str, str], int] = {}
        sources = _sources(curves)
        for key, curve in wanted.items():
            of = (curve.machine, curve.reader, curve.device, "" if curve.is_of_a_pair else curve.name)
            if of not in hues:
                is_first = all(machine != curve.machine for machine, *_ in hues)
                hues[of] = self.machines.index(curve.machine) if is_first else next(free)
            name = curve.label(sources[curve.machine, curve.reader])
            style = CurveStyle(name=name, colour=Hue(hues[of]), dashed=curve.is_dashed)
            chart.curves.set(key, MIDDLE_OF_SECOND, curve.values, style)
        chart.setVisible(bool(curves))

    def _caption(self, name: str) -> Caption:
        return Caption(name) if self._run is None else run_caption(self._run, name)

    def _charts(self) -> list[TimeChart]:
        return [self.headline, *self.by_group.values()]

    def _group_chart(self, group: HostGroup[HostCurve]) -> TimeChart:
        lower = f", {group.rank + 1}" if group.rank else ""
        chart = self._new_chart(f"Host: {group.name}{lower}", group.axis_title, partial(_value, group.unit))
        chart.show_words(False)
        self.headline.link_to(chart)
        return chart

    def _new_chart(self, name: str, amount: str, value_text: Callable[[float], str]) -> TimeChart:
        chart = TimeChart(self._look, name=name, amount=amount, value_text=value_text)
        chart.setMinimumHeight(_LEAST_LINES * self.fontMetrics().height())
        chart.caption = partial(self._caption, name)
        return chart


def _sources(curves: Sequence[HostCurve]) -> dict[Reader, str]:
    """What to call each reader of a machine that has several; nothing where there is one."""
    names = reader_names(((curve.machine, curve.reader), curve.source) for curve in curves)
    readers = Counter(machine for machine, _ in names)
    return {reader: name if readers[reader[0]] > 1 else "" for reader, name in names.items()}


class _SqueezedColumn(QVBoxLayout):
    """Charts get as low as they may before they scroll: with the height for their width, as legends have one, a scroll
    area would give them all that they would like to have."""

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        return False


def _column(widget: QWidget) -> QVBoxLayout:
    layout = QVBoxLayout(widget)
    _without_room(layout)
    return layout


def _without_room(layout: QVBoxLayout) -> None:
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)


def _value(unit: str, value: float) -> str:
    return with_unit(significant(value), unit)
