"""The Live page: the running run, the marker bar below it, and what is shown without a run."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QStackedWidget, QVBoxLayout, QWidget

from engine.analysis.loads_data import LoadsData
from engine.analysis.run_data import RunData
from engine.record.record import audits_of
from engine.telemetry.workstation import WorkstationLoad
from widgets.live.arming import ArmingPanel
from widgets.live.ended_line import EndedLine
from widgets.live.hosts_view import HostsView
from widgets.live.load_charts import LoadBar
from widgets.live.mark_kinds import MarkKind
from widgets.live.marker_bar import MarkerBar
from widgets.live.run_view import RunView
from widgets.live.waiting_panel import NoRunPanel, PreparingPanel
from widgets.parts.look import Look


class LivePage(QWidget):
    """``mark_requested`` carries a ``MarkKind`` and ``time.monotonic()`` of the press; ``extend_requested`` seconds.

    ``mark_changed`` carries a mark's number, its new label and its new time from the epoch, ``None``: unchanged.
    ``injection_requested`` carries a fault, the delay in seconds, and the passwords typed for it;
    ``countdown_requested`` the ``MarkKind`` to count down to. ``load_shown``: a load of the run is shown in detail.
    """

    load_shown = Signal()
    stop_requested = Signal()
    stop_now_requested = Signal()
    extend_requested = Signal(int)
    mark_requested = Signal(object, float)
    mark_changed = Signal(int, object, object)
    mark_removed = Signal(int)
    undo_mark_requested = Signal()
    injection_requested = Signal(object, int, dict)
    countdown_requested = Signal(object)
    abort_countdown_requested = Signal()
    abort_fault_requested = Signal(int)
    cancel_audit_requested = Signal(str)
    mark_kinds_changed = Signal(list)
    window_changed = Signal(int)
    recovery_settings_changed = Signal(object)
    new_run_requested = Signal()
    demo_requested = Signal()
    cancel_requested = Signal()
    open_in_library_requested = Signal(str)
    open_audit_requested = Signal(str)
    new_run_from_plan_requested = Signal(object)

    def __init__(self, look: Look, mark_kinds: Sequence[MarkKind], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run: RunData | None = None
        self._loads: LoadsData | None = None
        self._audit: Mapping[str, Any] | None = None
        self.load_bar = LoadBar()
        self.view = RunView(look)
        self.hosts = HostsView(look)
        self.hosts.charts.headline.link_to(self.view.chart.chart)
        self.markers = MarkerBar(look, mark_kinds)
        self.arming = ArmingPanel(look)
        self.ended = EndedLine(look)
        self.no_run = NoRunPanel(look)
        self.preparing = PreparingPanel()
        self._running = QWidget()
        self._stack = QStackedWidget(self)
        self._lay_out()
        self._connect()

    @property
    def run(self) -> RunData | None:
        """The run that is shown, of a mixed run the selected load."""
        return self._run

    def show_nothing(self) -> None:
        """There is no run: show how to start one."""
        self._run = self._loads = None
        self._stack.setCurrentWidget(self.no_run)

    def show_preparing(self, doing: str, share: float | None = None) -> None:
        """A run is being prepared: show what is being done, and the share done, if it is known."""
        if self._stack.currentWidget() is not self.preparing:
            self.preparing.begin()
        self.preparing.show_doing(doing, share)
        self._stack.setCurrentWidget(self.preparing)

    def show_run(self, loads: LoadsData) -> None:
        """Show a run that begins, or is in progress: the first of its loads, and the headlines of all."""
        self._loads, self._audit = loads, None
        self.load_bar.show_titles(loads.titles, 0)
        self._show_load(0)
        self.ended.forget_audit()
        self.ended.set_stored(True)
        stores = loads.plan.stores()
        self.arming.show_stores(stores)
        self.markers.inject.offer(stores)
        self._stack.setCurrentWidget(self._running)
        self._show_state()

    def _show_load(self, load: int) -> None:
        """Show one load of the run in detail."""
        if self._loads is None:
            return
        self._run = self._loads.loads[load]
        self.view.show_run(self._run, self._loads.loads)
        self.view.set_audit(audits_of(self._audit, len(self._loads.loads))[load])
        self.hosts.show_run(self._run)
        self._show_hosts()
        if self._run.state.is_final and self._run.totals is not None:
            self.view.refresh()
        self.load_shown.emit()

    def set_audit(self, audit: Mapping[str, Any] | None) -> None:
        """The result of the run's audit, from its record."""
        self._audit = audit
        if self._loads is not None:
            self.view.set_audit(audits_of(audit, len(self._loads.loads))[self.load_bar.currentIndex()])

    def refresh(self) -> None:
        """Show what is new in the run, once a second; a control that goes with the run's end leaves its keyboard focus
        to the links that follow it."""
        if self._run is None:
            return
        focused = QApplication.focusWidget()
        self.view.refresh()
        self._show_hosts()
        self.hosts.refresh()
        self._show_state()
        if focused is not None and self.isAncestorOf(focused) and not focused.isVisible():
            self.ended.focus_first()

    def set_workstation(self, load: WorkstationLoad, load_machines: Mapping[str, WorkstationLoad]) -> None:
        """The load of the workstation and of each load machine, and what they limit or distort."""
        self.view.head.set_workstation(load, load_machines)

    def show_warnings(self, sentences: Sequence[str]) -> None:
        """The warnings about the run that is over, of a mixed run about the load that is shown."""
        self.view.head.show_warnings(sentences)

    def set_stored(self, kept: bool) -> None:
        """Whether the library has the run that is over."""
        self.ended.set_stored(kept)
        self._show_state()

    def set_undoable(self, label: str) -> None:
        """The mark that Undo would change; empty when there is nothing to undo."""
        self.markers.set_undoable(label)
        self.view.set_undoable(label)

    def save_layout(self) -> dict[str, bytes]:
        return {**self.view.save_layout(), "hosts": self.hosts.save_state()}

    def restore_layout(self, saved: Mapping[str, bytes]) -> None:
        self.view.restore_layout(saved)
        self.hosts.restore_state(saved.get("hosts", b"[]"))

    def _lay_out(self) -> None:
        running = QVBoxLayout(self._running)
        running.setContentsMargins(0, 0, 0, 0)
        running.addWidget(self.load_bar)
        running.addWidget(self.view, 1)
        below = QVBoxLayout()
        margin = self.fontMetrics().averageCharWidth()
        below.setContentsMargins(margin, 0, margin, margin)
        below.addWidget(self.arming)
        below.addWidget(self.markers)
        below.addWidget(self.ended)
        running.addLayout(below)
        for page in (self.no_run, self.preparing, self._running):
            self._stack.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)

    def _connect(self) -> None:
        head, view, markers = self.view.head, self.view, self.markers
        self.load_bar.currentChanged.connect(self._show_load)
        for signal, target in (
            (head.stop_requested, self.stop_requested),
            (head.stop_now_requested, self.stop_now_requested),
            (head.extend_requested, self.extend_requested),
            (head.window_changed, self.window_changed),
            (view.mark_changed, self.mark_changed),
            (view.mark_removed, self.mark_removed),
            (view.undo_mark_requested, self.undo_mark_requested),
            (view.recovery_settings_changed, self.recovery_settings_changed),
            (markers.mark_requested, self.mark_requested),
            (markers.undo_requested, self.undo_mark_requested),
            (markers.kinds_changed, self.mark_kinds_changed),
            (markers.inject.chosen, self.arming.ask),
            (markers.inject.countdown_chosen, self.countdown_requested),
            (markers.inject.abort_requested, self.abort_fault_requested),
            (self.arming.injection_requested, self.injection_requested),
            (self.arming.abort_requested, self.abort_countdown_requested),
            (self.no_run.new_run_requested, self.new_run_requested),
            (self.no_run.demo_requested, self.demo_requested),
            (self.preparing.cancel_requested, self.cancel_requested),
            (self.ended.open_requested, self._on_open),
            (self.ended.new_run_requested, self._on_new_run_from_plan),
            (self.ended.cancel_audit_requested, self._on_cancel_audit),
            (self.ended.open_audit_requested, self._on_open_audit),
        ):
            signal.connect(target)

    def _show_state(self) -> None:
        run = self._run
        if run is None:
            return
        self.ended.show_state(run.state)
        self.markers.setVisible(not run.state.is_final)

    def _show_hosts(self) -> None:
        """The tab of a run that has collectors."""
        if self._run is not None:
            self.view.show_page(self.hosts, "Hosts", is_shown=bool(self._run.hosts.statuses))

    def _on_open(self) -> None:
        if self._run is not None:
            self.open_in_library_requested.emit(self._run.run_id)

    def _on_open_audit(self) -> None:
        if self._run is not None:
            self.open_audit_requested.emit(self._run.run_id)

    def _on_cancel_audit(self) -> None:
        if self._run is not None:
            self.cancel_audit_requested.emit(self._run.run_id)

    def _on_new_run_from_plan(self) -> None:
        if self._loads is not None:
            self.new_run_from_plan_requested.emit(self._loads.plan)
