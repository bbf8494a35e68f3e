"""A run as it is seen, while it goes on and years later: head line, charts, client table and event log.

The live page shows the running run with it, the library's run page a kept one; both connect its wishes.
"""

from collections.abc import Mapping

from PySide6.QtCore import QByteArray, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from engine.analysis.run_data import RunData
from widgets.live.client_table import ClientTable
from widgets.live.event_log import EventLog
from widgets.live.head_line import HeadLine
from widgets.live.opm_chart import OpmChart
from widgets.live.response_chart import ResponseChart
from widgets.parts.look import Look

_FOLLOW_MS = 60
_ABOVE_AND_BELOW = (622, 378)
_CHART_AND_LOG = (715, 285)
_TABLE_AND_SIDE = (650, 350)


class RunView(QWidget):
    """``mark_changed`` tells a mark's number and its new label or time from the epoch; ``None`` is as it was."""

    mark_changed = Signal(int, object, object)
    mark_removed = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run: RunData | None = None
        self.head = HeadLine(look, self)
        self.chart = OpmChart(look)
        self.table = ClientTable(look)
        self.log = EventLog(look)
        self.response = ResponseChart(look)
        self.side = QStackedWidget()
        self._above = QSplitter(Qt.Orientation.Horizontal)
        self._below = QSplitter(Qt.Orientation.Horizontal)
        self._all = QSplitter(Qt.Orientation.Vertical)
        self._follow = QTimer(self, singleShot=True, interval=_FOLLOW_MS)
        self._follow.timeout.connect(self._refresh_below)
        self._lay_out()
        self._connect()

    def show_run(self, run: RunData) -> None:
        """Show another run from its beginning."""
        self._run = run
        run.series.take_changed_from()
        self.head.show_run(run)
        self.chart.show_run(run)
        self.response.show_run(run)
        self.table.show_run(run)
        self.log.show_run(run)

    def refresh(self) -> None:
        """Take in what is new in the run, once a second; a hidden view waits until it is shown.

        What is below the OPM chart follows a moment later, so that the window answers in between.
        """
        if self._run is None or not self.isVisible():
            return
        self.head.refresh()
        self.chart.refresh(self._run.series.take_changed_from())
        self._follow.start()

    def _refresh_below(self) -> None:
        self.table.refresh()
        self.response.refresh()
        self.log.refresh()

    def save_layout(self) -> dict[str, bytes]:
        """Where the splitters stand and how the columns are, for ``restore_layout``."""
        states = {name: bytes(splitter.saveState().data()) for name, splitter in self._splitters().items()}
        return {**states, "clients": self.table.save_columns()}

    def restore_layout(self, saved: Mapping[str, bytes]) -> None:
        """Put back what ``save_layout`` gave; what is missing or can't be read stays as it is."""
        for name, splitter in self._splitters().items():
            splitter.restoreState(QByteArray(saved.get(name, b"")))
        self.table.restore_columns(saved.get("clients", b""))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.refresh()

    def _splitters(self) -> dict[str, QSplitter]:
        return {"above": self._above, "below": self._below, "all": self._all}

    def _lay_out(self) -> None:
        self.side.addWidget(self.response)
        parts = (
            (self._above, (self.chart, self.log), _CHART_AND_LOG),
            (self._below, (self.table, self.side), _TABLE_AND_SIDE),
            (self._all, (self._above, self._below), _ABOVE_AND_BELOW),
        )
        for splitter, widgets, sizes in parts:
            for widget, share in zip(widgets, sizes, strict=True):
                splitter.addWidget(widget)
                splitter.setStretchFactor(splitter.count() - 1, share)
            splitter.setSizes(list(sizes))
            splitter.setCollapsible(0, False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addWidget(self._all, 1)

    def _connect(self) -> None:
        self.table.isolate_wished.connect(self.chart.isolate)
        self.table.emphasise_wished.connect(self.chart.emphasise)
        self.table.visible_wished.connect(self.chart.set_client_visible)
        self.chart.client_visibility_changed.connect(self.table.set_client_visible)
        self.chart.mark_moved.connect(self._on_mark_moved)
        self.chart.mark_rename_wished.connect(self.log.rename_mark)
        self.chart.mark_remove_wished.connect(self.mark_removed)
        self.log.mark_renamed.connect(self._on_mark_renamed)
        self.log.mark_removed.connect(self.mark_removed)

    def _on_mark_moved(self, number: int, at_seconds: float) -> None:
        self.mark_changed.emit(number, None, at_seconds)

    def _on_mark_renamed(self, number: int, label: str) -> None:
        self.mark_changed.emit(number, label, None)
