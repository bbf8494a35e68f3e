"""Throughput and response time of compared runs over their load, with the knees. Called by the comparison."""

from collections.abc import Callable, Hashable, Mapping

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from engine.analysis.headline import Headline
from engine.record.totals import StageTotals
from engine.report.export_kind import ExportKind
from widgets.library.load_chart import LoadChart
from widgets.library.load_curves import StagedResult, show_throughput, show_times
from widgets.parts.chart.curves import CurveStyle
from widgets.parts.chart.legend import ChartLegend, LegendEntry
from widgets.parts.chart.picture import Caption, ChartPicture
from widgets.parts.look import Look

_Runs = Mapping[int, tuple[CurveStyle, tuple[StageTotals, ...]]]
_NAME = "Throughput and response time over the load"


class ComparedStages(QWidget):
    """Two charts beside each other, and the runs' names, which show a run alone or hide it as those of any chart."""

    def __init__(self, look: Look, caption: Callable[[], Caption], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._caption = caption
        self._runs: _Runs = {}
        self._of: Headline | None = None
        self._hidden: set[Hashable] = set()
        self.throughput = LoadChart(look, "Throughput over the load", self)
        self.times = LoadChart(look, "Response time over the load", self)
        self.legend = ChartLegend(look, self)
        self._charts = QWidget(self)
        row = QHBoxLayout(self._charts)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.throughput)
        row.addWidget(self.times)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._charts, 1)
        layout.addWidget(self.legend)
        look.changed.connect(self._draw)
        self.legend.isolate_requested.connect(self._on_isolate)
        self.legend.toggle_requested.connect(self._on_toggle)

    def show_runs(self, runs: _Runs, of: Headline) -> None:
        """Show the stages of these runs, by their place in the comparison; a run that was hidden stays hidden."""
        self._runs, self._of = runs, of
        self._hidden &= set(runs)
        self._draw()

    def image(self, kind: ExportKind) -> bytes:
        """The charts as they are displayed, as PNG or SVG."""
        picture = ChartPicture(
            view=self._charts,
            font=self.font(),
            colours=self._look.colours,
            title=_NAME,
            description="; ".join(chart.accessibleDescription() for chart in (self.throughput, self.times)),
            time_title="",
            entries=[entry for entry in self.legend.entries if entry.is_shown],
            caption=self._caption(),
        )
        return picture.svg() if kind is ExportKind.CHART_SVG else picture.png()

    def _results(self) -> list[StagedResult]:
        """The runs that are shown, those of the highest rank last."""
        ranked = sorted(self._runs.items(), key=lambda run: run[1][0].rank)
        return [
            StagedResult(stages=stages, name=style.name, colour=style.colour)
            for place, (style, stages) in ranked
            if place not in self._hidden
        ]

    def _draw(self) -> None:
        if self._of is None:
            return
        show_throughput(self.throughput, self._results(), self._of)
        show_times(self.times, self._results(), self._of)
        self.legend.set_entries(
            [
                LegendEntry(place, style.name, style.colour(self._look.colours), is_shown=place not in self._hidden)
                for place, (style, _) in self._runs.items()
            ]
        )

    def _on_isolate(self, place: Hashable) -> None:
        others: set[Hashable] = {each for each in self._runs if each != place}
        self._hidden = set() if self._hidden == others else others
        self._draw()

    def _on_toggle(self, place: Hashable) -> None:
        self._hidden ^= {place}
        self._draw()
