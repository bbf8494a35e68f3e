"""The loads of a mixed run: which of them is shown in detail, and the headline charts of all under one time axis."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QSplitter, QTabBar, QWidget

from engine.analysis.run_data import RunData
from widgets.live.headline_chart import HeadlineChart
from widgets.parts.look import Look


class LoadBar(QTabBar):
    """Chooses the load whose clients, response times and recoveries are shown; hidden where a run has only one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Loads of the run")
        self.setToolTip("The load whose clients, response times and recoveries are shown")
        self.setExpanding(False)
        self.setDrawBase(False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def show_titles(self, titles: Sequence[str], selected: int) -> None:
        """Offer loads of these titles; nothing is emitted."""
        with QSignalBlocker(self):
            while self.count():
                self.removeTab(0)
            for title in titles:
                self.addTab(title)
            self.setCurrentIndex(selected)
        is_mixed = len(titles) > 1
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if is_mixed else Qt.FocusPolicy.NoFocus)
        self.setVisible(is_mixed)


class LoadCharts(QSplitter):
    """The headline charts of all loads, one below the other in their order: ``main`` shows the selected load."""

    def __init__(self, main: HeadlineChart, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.main = main
        self._look = look
        self._others: list[HeadlineChart] = []
        self._runs: list[RunData] = []
        self._shows_time = self._shows_others = True
        self.setChildrenCollapsible(False)
        self.addWidget(main)

    @property
    def others(self) -> Sequence[HeadlineChart]:
        """The charts of the loads that are not selected, in their order."""
        return self._others

    def show_loads(self, runs: Sequence[RunData], selected: int) -> None:
        """Draw the other loads around the selected one, which ``main`` shows already."""
        self._runs = [run for load, run in enumerate(runs) if load != selected]
        while len(self._others) > len(self._runs):
            chart = self._others.pop()
            chart.setParent(None)
            chart.deleteLater()
        while len(self._others) < len(self._runs):
            chart = HeadlineChart(self._look)
            chart.chart.link_to(self.main.chart)
            self._others.append(chart)
        charts = [*self._others[:selected], self.main, *self._others[selected:]]
        for place, chart in enumerate(charts):
            self.insertWidget(place, chart)
            self.setStretchFactor(place, 1)
        if self._runs:
            self.setSizes([1_000] * len(charts))
        for chart, run in zip(self._others, self._runs, strict=True):
            run.series.take_changed_from()
            chart.show_run(run)
        self.show_others(self._shows_others)

    def refresh(self) -> None:
        """Draw what is new in the other loads."""
        for chart, run in zip(self._others, self._runs, strict=True):
            chart.refresh(run.series.take_changed_from())

    def show_others(self, shown: bool) -> None:
        """Whether the charts of the other loads are shown, or for lack of room only that of the selected one."""
        self._shows_others = shown
        for chart in self._others:
            chart.setVisible(shown)
        self.show_time(self._shows_time)

    def show_time(self, shown: bool) -> None:
        """Whether the lowest chart has the times on its axis, which the others share; as the highest has the labels of
        marks and phases, so that the curves have room."""
        self._shows_time = shown
        charts = [chart for chart in map(self.widget, range(self.count())) if isinstance(chart, HeadlineChart)]
        shown_charts = charts if self._shows_others else [self.main]
        for chart in charts:
            chart.chart.show_time(shown and chart is shown_charts[-1])
            chart.chart.show_words(chart is shown_charts[0])
