"""The stages of a stored run's load: throughput and response time over the load, with the knee, and their table. A tab
of the run page."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from engine.analysis.run_data import RunData
from engine.analysis.stages.knee import loads_ascend
from engine.record.totals import NO_TOTALS
from widgets.library.load_chart import LoadChart
from widgets.library.load_curves import StagedResult, show_throughput, show_times
from widgets.library.stages_table import StagesTable
from widgets.parts.look import Look


class StagesTab(QWidget):
    """The charts above the table; charts of fewer than two stages, or of loads that do not ascend, are hidden."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.throughput = LoadChart(look, "Throughput over the load")
        self.times = LoadChart(look, "Response time over the load")
        self.table = StagesTable()
        self._charts = QWidget()
        row = QHBoxLayout(self._charts)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.throughput)
        row.addWidget(self.times)
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.addWidget(self._charts)
        splitter.addWidget(self.table)
        splitter.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.addWidget(splitter)

    def show_run(self, run: RunData) -> None:
        """Show the stages of a run that is over."""
        self.table.show_run(run)
        stages = (run.totals or NO_TOTALS).stages
        is_curve = len(stages) > 1 and loads_ascend(stages)
        self._charts.setVisible(is_curve)
        shown = [StagedResult(stages=stages)] if is_curve else []
        show_throughput(self.throughput, shown, run.headline)
        show_times(self.times, shown, run.headline)
