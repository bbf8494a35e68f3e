"""The stages of a stored run's load: throughput and response time over the load, with the knee, and their table. A tab
of the run page."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from engine.analysis.headline import Headline
from engine.analysis.run_data import RunData
from engine.analysis.stages.ending import load_text_of
from engine.analysis.stages.knee import knee_of_stages, loads_ascend
from engine.figure_text import milliseconds
from engine.record.totals import NO_TOTALS, StageTotals
from widgets.library.load_chart import LoadChart, LoadCurve
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
        self.throughput.show_curve(_throughput(stages, run.headline) if is_curve else None)
        self.times.show_curve(_times(stages, run.headline) if is_curve else None)


def _throughput(stages: tuple[StageTotals, ...], of: Headline) -> LoadCurve:
    load_text, knee = _load_text(stages, of), knee_of_stages(stages)
    return LoadCurve(
        points=tuple((stage.load, stage.headline) for stage in stages),
        amount=of.label,
        across=_across(stages, of),
        text=lambda load, value: f"{load_text(load)}: {of.text(value)} {of.label}",
        knee=None if knee is None else knee.load,
        knee_text="" if knee is None else f"knee: {load_text(knee.load)}, {of.text(knee.throughput)} {of.label}",
    )


def _times(stages: tuple[StageTotals, ...], of: Headline) -> LoadCurve:
    load_text = _load_text(stages, of)
    return LoadCurve(
        points=tuple((stage.load, stage.times.p95) for stage in stages if stage.times.p95 is not None),
        amount="p95, ms",
        across=_across(stages, of),
        text=lambda load, value: f"{load_text(load)}: p95 {milliseconds(value)} ms",
    )


def _across(stages: tuple[StageTotals, ...], of: Headline) -> str:
    return "users" if stages[0].users is not None else f"{of.many} due, per {of.period}"


def _load_text(stages: tuple[StageTotals, ...], of: Headline) -> Callable[[float], str]:
    return lambda load: load_text_of(load, stages[0], of)
