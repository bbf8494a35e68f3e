"""The response times of a stored run: over time, as a distribution, and in figures. A tab of the run page."""

from collections.abc import Mapping

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QSplitter, QVBoxLayout, QWidget

from engine.analysis.run_data import RunData
from engine.record.record import RunRecord
from engine.record.totals import NO_TOTALS
from widgets.library.latency_histogram import LatencyHistogram
from widgets.library.times_table import TimesTable
from widgets.live.response_chart import ResponseChart
from widgets.parts.look import Look

_CHART_AND_HISTOGRAM = (640, 360)
_ABOVE_AND_BELOW = (575, 425)


class TimesTab(QWidget):
    """The chart and the histogram are filled as the run's response times are loaded: see ``refresh``."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run: RunData | None = None
        self.chart = ResponseChart(look)
        self.histogram = LatencyHistogram(look)
        self.table = TimesTable(look)
        self._above = QSplitter(Qt.Orientation.Horizontal)
        self._all = QSplitter(Qt.Orientation.Vertical)
        self._title = QLabel(self)
        self._title.setMargin(self._title.fontMetrics().descent())
        beside = QWidget()
        column = QVBoxLayout(beside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._title)
        column.addWidget(self.histogram, 1)
        for splitter, widgets, sizes in (
            (self._above, (self.chart, beside), _CHART_AND_HISTOGRAM),
            (self._all, (self._above, self.table), _ABOVE_AND_BELOW),
        ):
            for widget, share in zip(widgets, sizes, strict=True):
                splitter.addWidget(widget)
                splitter.setStretchFactor(splitter.count() - 1, share)
            splitter.setSizes(list(sizes))
            splitter.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.addWidget(self._all)

    def show_run(self, record: RunRecord, run: RunData) -> None:
        """Show another run."""
        self._run = run
        self._title.setText(f"All measured {run.headline.many}")
        self.table.show_totals(record.totals, record.plan)
        self.chart.show_run(run)
        self._show_histogram(run)

    def refresh(self) -> None:
        """Draw the response times that have been loaded; a hidden tab waits until it is shown."""
        if self._run is not None:
            self.chart.refresh()
            self._show_histogram(self._run)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self._title.setMinimumHeight(self.chart.logarithmic.sizeHint().height())  # aligns the tops of the plots

    def save_layout(self) -> dict[str, bytes]:
        """Splitters and switches, for ``restore_layout``."""
        states = {name: bytes(splitter.saveState().data()) for name, splitter in self._splitters().items()}
        return {**states, "times tab": self.chart.save_state()}

    def restore_layout(self, saved: Mapping[str, bytes]) -> None:
        for name, splitter in self._splitters().items():
            splitter.restoreState(QByteArray(saved.get(name, b"")))
        self.chart.restore_state(saved.get("times tab", b""))

    def _splitters(self) -> dict[str, QSplitter]:
        return {"times above": self._above, "times all": self._all}

    def _show_histogram(self, run: RunData) -> None:
        """The measured transactions; in a run that never measured, all of them. Percentiles are those of the totals."""
        first = run.phases.measuring_from or 0
        counts = run.latency.grid.sum(first, run.measured_end)
        times = (run.totals or NO_TOTALS).times
        self.histogram.show_counts(counts, [times.p50, times.p95, times.p99], run.headline.many)
