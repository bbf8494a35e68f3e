"""The history of a run's plan: a figure of all its completed runs, and from which run on it changed. A tab of the run
page."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from engine.analysis.verdicts.figures import checked_figures
from engine.analysis.verdicts.history import History
from engine.record.record import RunRecord
from widgets.library.history_chart import HistoryChart
from widgets.parts.look import Look

_COMMON = ("mean", "p50", "p95", "p99", "max", "errors", "variability_pct")
_READING = "Reading the runs of this plan …"


class HistoryTab(QWidget):
    """``history_requested`` carries the run's id and the name of the figure, when the tab is visible and does not show
    it yet; ``run_requested`` the id of a run to open."""

    history_requested = Signal(str, str)
    run_requested = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run_id = ""
        self._requested = ("", "")
        self.chart = HistoryChart(look)
        self.figure = QComboBox(self)
        self.figure.setAccessibleName("Figure")
        self.sentence = QLabel(self)
        self.sentence.setWordWrap(True)
        label = QLabel("&Figure", self)
        label.setBuddy(self.figure)
        head = QHBoxLayout()
        head.addWidget(label)
        head.addWidget(self.figure)
        head.addSpacing(self.fontMetrics().height())
        head.addWidget(self.sentence, 1)
        layout = QVBoxLayout(self)
        layout.addLayout(head)
        layout.addWidget(self.chart, 1)
        self.figure.activated.connect(self._request)
        self.chart.run_activated.connect(self.run_requested)

    def show_run(self, record: RunRecord) -> None:
        """Show another run; its history follows with ``show_history``."""
        self._run_id, self._requested = record.run_id, ("", "")
        figures, chosen = checked_figures(record.plan.workload), self.figure.currentData()
        self.figure.clear()
        for name in (next(iter(figures)), *_COMMON):
            self.figure.addItem(f"{figures[name].label} {figures[name].unit}".rstrip(), name)
        self.figure.setCurrentIndex(max(0, self.figure.findData(chosen)))
        self.chart.show_history(None, self._run_id)
        if self.isVisible():
            self._request()

    def show_history(self, history: History) -> None:
        """Show what was read."""
        self.sentence.setText(history.sentence)
        self.chart.show_history(history, self._run_id)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self._request()

    def _request(self) -> None:
        wanted = (self._run_id, self.figure.currentData() or "")
        if self._run_id and wanted != self._requested:
            self._requested = wanted
            self.sentence.setText(_READING)
            self.history_requested.emit(*wanted)
