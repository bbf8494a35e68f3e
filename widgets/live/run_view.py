"""A run, running or stored: header, charts, client table, recovery and event log.

Used by the live page and by the library's run page, which connect its signals.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QByteArray, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QSplitter, QTabWidget, QVBoxLayout, QWidget

from engine.analysis.recovery.figures import Recovery
from engine.analysis.recovery.judging import RecoveryFollower
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.recovery.times import BlockHistograms
from engine.analysis.run_data import RunData
from widgets.live.client_table import ClientTable
from widgets.live.event_log import EventLog
from widgets.live.head_line import HeadLine
from widgets.live.headline_chart import HeadlineChart
from widgets.live.load_charts import LoadCharts
from widgets.live.mark_kinds import UNDO_KEY
from widgets.live.recovery_card import LEAST_LINES
from widgets.live.recovery_panel import RecoveryPanel
from widgets.live.response_chart import ResponseChart
from widgets.parts.look import Look

_FOLLOW_MS = 60
_ABOVE_AND_BELOW = (665, 335)
_CHART_AND_LOG = (740, 260)
_HEADLINE_AND_TIMES = (560, 440)
_TABLE_AND_SIDE = (715, 285)
_LINES_FOR_BOTH_CHARTS = 40
_LINES_FOR_NOTES, _LINES_FOR_MORE_NOTES = 24, 34
_LINES_FOR_ANOTHER_LOAD = 12
_LINES_FOR_STATE = 17  # of the view, for each time that a recovery's state is as large as the text
_NOTE_LINES, _MORE_NOTE_LINES = 5, 6


class RunView(QWidget):
    """``mark_changed`` carries a mark's number, its new label and its new time from the epoch; ``None``: unchanged.

    ``recovery_settings_changed`` carries the new settings. ``undo_mark_requested`` is emitted by the Undo key, while
    there is a change of a mark to undo.
    """

    mark_changed = Signal(int, object, object)
    mark_removed = Signal(int)
    undo_mark_requested = Signal()
    recovery_settings_changed = Signal(object)
    recoveries_changed = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run: RunData | None = None
        self._follower: RecoveryFollower | None = None
        self._recovery_settings = RecoverySettings()
        self._histograms: BlockHistograms | None = None
        self.recoveries: list[Recovery] = []
        self.head = HeadLine(look, self)
        self.chart = HeadlineChart(look)
        self.loads = LoadCharts(self.chart, look)
        self.table = ClientTable(look)
        self.log = EventLog(look)
        self.response = ResponseChart(look)
        self.recovery = RecoveryPanel(look)
        self.side = QTabWidget()
        self._charts = QSplitter(Qt.Orientation.Vertical)
        self._chart_sizes = list(_HEADLINE_AND_TIMES)
        self._above = QSplitter(Qt.Orientation.Horizontal)
        self._below = QSplitter(Qt.Orientation.Horizontal)
        self._all = QSplitter(Qt.Orientation.Vertical)
        self.pages = QTabWidget()
        self._follow = QTimer(self, singleShot=True, interval=_FOLLOW_MS)
        self._follow.timeout.connect(self._refresh_below)
        self._undo_key = QShortcut(QKeySequence(UNDO_KEY), self, self.undo_mark_requested.emit)
        self._undo_key.setWhatsThis("Undo the last change of a mark")
        self._undo_key.setAutoRepeat(False)
        self.set_undoable("")
        self._lay_out()
        self._connect()

    def set_undoable(self, label: str) -> None:
        """The mark whose latest change can be undone; empty for none."""
        self._undo_key.setEnabled(bool(label))

    def show_run(self, run: RunData, loads: Sequence[RunData] = ()) -> None:
        """Show another run from its beginning; of a mixed run it is one of the ``loads``, whose headline charts are
        shown together."""
        self._run = run
        self._charts.setMinimumHeight(0)
        run.series.take_changed_from()
        self.head.show_run(run)
        self.chart.show_run(run)
        self.loads.show_loads(loads or (run,), next((place for place, each in enumerate(loads) if each is run), 0))
        self.response.show_run(run)
        self.table.show_run(run)
        self.log.show_run(run)
        self.recovery.set_audit(None)
        self._follow_recoveries(None)
        self._arrange_charts()

    @property
    def run(self) -> RunData | None:
        """The run that is shown."""
        return self._run

    def set_audit(self, audit: Mapping[str, Any] | None) -> None:
        """The result of the run's audit, from its record."""
        self.recovery.set_audit(audit)

    def set_histograms(self, histograms: BlockHistograms) -> None:
        """The source of the recoveries' response times."""
        self._follow_recoveries(histograms)

    @property
    def recovery_settings(self) -> RecoverySettings:
        return self._recovery_settings

    def set_recovery_settings(self, settings: RecoverySettings) -> None:
        """Judge the recoveries by these settings."""
        if settings != self._recovery_settings:
            self._recovery_settings = settings
            self.recovery.set_settings(settings)
            self._follow_recoveries(self._histograms)

    def refresh_recoveries(self) -> None:
        """Compute the recoveries again, also while the view is hidden."""
        if self._run is None or self._follower is None:
            return
        self.recoveries = self._follower.update()
        is_new = self.recovery.show_recoveries(self._run, self.recoveries)
        self._show_side(is_new=is_new)
        self._draw_recoveries()
        self.recoveries_changed.emit()

    def refresh(self) -> None:
        """Show what is new in the run, once a second; a hidden view waits until it is shown.

        What is below the headline chart follows a moment later, so that the window handles events in between.
        """
        if self._run is None or not self.isVisible():
            return
        self.head.refresh()
        self.chart.refresh(self._run.series.take_changed_from())
        self.loads.refresh()
        if not self._follow.isActive():  # else quick refreshes would put it off for ever on a busy machine
            self._follow.start()

    def _refresh_below(self) -> None:
        self.table.refresh()
        self.response.refresh()
        self.refresh_recoveries()
        self.log.refresh()

    def show_page(self, page: QWidget, title: str, *, is_shown: bool) -> None:
        """Show or hide a tab beside the charts; with no other tab there is no bar."""
        place = self.pages.indexOf(page)
        if is_shown and place < 0:
            self.pages.addTab(page, title)
        elif not is_shown and place >= 0:
            self.pages.removeTab(place)

    def save_layout(self) -> dict[str, bytes]:
        """Splitters and columns, for ``restore_layout``."""
        states = {name: bytes(splitter.saveState().data()) for name, splitter in self._splitters().items()}
        if self._charts.count() < 2:
            del states["charts"]  # on a higher screen this ratio would leave no room for the response times
        return {**states, "clients": self.table.save_columns(), "times": self.response.save_state()}

    def restore_layout(self, saved: Mapping[str, bytes]) -> None:
        """Restore the result of ``save_layout``; missing or unreadable parts change nothing."""
        for name, splitter in self._splitters().items():
            splitter.restoreState(QByteArray(saved.get(name, b"")))
        self._on_charts_moved()
        self.table.restore_columns(saved.get("clients", b""))
        self.response.restore_state(saved.get("times", b""))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """What it can be lowered to, with the chart of one load and one line of notes, so that no window grows."""
        hint, card = super().minimumSizeHint(), self.recovery.card
        notes = 0 if self.recovery.isHidden() else card.text_area.minimumHeight() - card.fontMetrics().lineSpacing()
        charts = sum(each.minimumSizeHint().height() for each in self.loads.others if not each.isHidden())
        return QSize(hint.width(), hint.height() - notes - charts)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._arrange_charts()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.refresh()

    def _splitters(self) -> dict[str, QSplitter]:
        return {"charts": self._charts, "above": self._above, "below": self._below, "all": self._all}

    def _lay_out(self) -> None:
        self.side.setDocumentMode(True)
        self.side.setTabBarAutoHide(True)
        # Its focus proxy is the tab bar; while that is hidden, Tab would go backwards here.
        self.side.setFocusProxy(None)  # type: ignore[arg-type]
        self.side.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.side.tabBar().setAccessibleName("Recovery and response times")
        self.side.setMinimumWidth(self.recovery.minimumSizeHint().width())
        self.recovery.hide()
        self.side.hide()
        parts = (
            (self._charts, (self.loads, self.response), _HEADLINE_AND_TIMES),
            (self._above, (self._charts, self.log), _CHART_AND_LOG),
            (self._below, (self.table, self.side), _TABLE_AND_SIDE),
            (self._all, (self._above, self._below), _ABOVE_AND_BELOW),
        )
        for splitter, widgets, sizes in parts:
            for widget, share in zip(widgets, sizes, strict=True):
                splitter.addWidget(widget)
                splitter.setStretchFactor(splitter.count() - 1, share)
            splitter.setSizes(list(sizes))
            splitter.setCollapsible(0, False)
        self._charts.setMinimumHeight(1)  # until a run is shown, there are not both charts to make room for
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addWidget(self.pages, 1)
        self.pages.setDocumentMode(True)
        self.pages.setTabBarAutoHide(True)
        self.pages.setFocusProxy(None)  # type: ignore[arg-type]
        self.pages.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.pages.tabBar().setAccessibleName("Run and hosts")
        self.pages.addTab(self._all, "Run")

    def _connect(self) -> None:
        curves, marking = self.chart.chart.curves, self.chart.chart.marking
        self.table.isolate_requested.connect(curves.isolate)
        self.table.highlight_requested.connect(curves.highlight)
        self.table.visibility_requested.connect(self.chart.set_visible)
        curves.visibility_changed.connect(self.table.set_client_visible)
        marking.moved.connect(self._on_mark_moved)
        marking.rename_requested.connect(self.log.rename_mark)
        marking.remove_requested.connect(self.mark_removed)
        self.log.mark_renamed.connect(self._on_mark_renamed)
        self.log.mark_removed.connect(self.mark_removed)
        self.response.link_to(self.chart.chart)
        self._charts.splitterMoved.connect(self._on_charts_moved)
        self.recovery.fault_shown.connect(self._draw_recoveries)
        self.recovery.settings_changed.connect(self._on_recovery_settings)

    def _follow_recoveries(self, histograms: BlockHistograms | None) -> None:
        self._histograms = histograms
        if self._run is not None:
            self._follower = RecoveryFollower(
                self._run, self._recovery_settings, histograms, each_client=self._run.state.is_final
            )
            self.refresh_recoveries()

    def _show_side(self, *, is_new: bool) -> None:
        """The recovery tab appears with the first fault, and is shown at each new one."""
        place = self.side.indexOf(self.recovery)
        if self.recoveries and place < 0:
            self.side.insertTab(0, self.recovery, "Recovery")
        elif not self.recoveries and place >= 0:
            self.side.removeTab(place)
        if is_new:
            self.side.setCurrentWidget(self.recovery)
        self.side.setVisible(self.side.count() > 0)

    def _on_charts_moved(self) -> None:
        """Store how the charts share their height, for the next time that both are shown."""
        if self._charts.count() == 2:
            self._chart_sizes = self._charts.sizes()

    def _arrange_charts(self) -> None:
        """The response times are below the headline chart, or on a low screen beside the clients."""
        if self._run is None:
            return  # the header's height depends on its figures
        most_factor = round(self.height() / self.fontMetrics().height() / _LINES_FOR_STATE, 1)
        self.recovery.card.limit_state_factor(most_factor)
        below_head = self.height() - max(0, self.head.heightForWidth(self.width()))
        lines = below_head // self.fontMetrics().height() - _LINES_FOR_ANOTHER_LOAD * len(self.loads.others)
        has_room = lines >= _LINES_FOR_BOTH_CHARTS
        note_lines = _MORE_NOTE_LINES if lines >= _LINES_FOR_MORE_NOTES else _NOTE_LINES
        note_lines = note_lines if lines >= _LINES_FOR_NOTES else LEAST_LINES
        self.recovery.card.set_least_lines(min(note_lines, self._fitting_note_lines(below_head)))
        self.loads.show_others(below_head >= self._needed_for_all_loads())
        self.loads.show_time(not has_room)
        self.response.set_stacked(has_room)
        if has_room == (self._charts.indexOf(self.response) >= 0):
            return
        if has_room:
            self.side.removeTab(self.side.indexOf(self.response))
            self._charts.addWidget(self.response)
            self.response.show()
            self._charts.setSizes(self._chart_sizes)
        else:
            self.side.addTab(self.response, "Response times")
        self.side.setVisible(self.side.count() > 0)

    def _fitting_note_lines(self, below_head: int) -> int:
        """The lines for notes on a recovery that the headline chart of one load and the figures leave, at least one."""
        card, tabs = self.recovery.card, self.side.tabBar().sizeHint()
        others = (self.chart.minimumSizeHint(), tabs, self.recovery.minimumSizeHint())
        room = below_head - sum(each.height() for each in others) + card.text_area.minimumHeight()
        return max(1, (room - self._all.handleWidth()) // card.fontMetrics().lineSpacing())

    def _needed_for_all_loads(self) -> int:
        """The least height of the headline charts of all loads, and of what is below them."""
        charts = (self.chart, *self.loads.others)
        return sum(each.minimumSizeHint().height() for each in (*charts, self._below))

    def _draw_recoveries(self) -> None:
        threshold_pct = self._recovery_settings.threshold_pct
        self.chart.set_recoveries(self.recoveries, self.recovery.shown, threshold_pct=threshold_pct)

    def _on_recovery_settings(self, settings: RecoverySettings) -> None:
        self.set_recovery_settings(settings)
        self.recovery_settings_changed.emit(settings)

    def _on_mark_moved(self, number: int, at_seconds: float) -> None:
        self.mark_changed.emit(number, None, at_seconds)

    def _on_mark_renamed(self, number: int, label: str) -> None:
        self.mark_changed.emit(number, label, None)
