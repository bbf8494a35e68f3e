"""A stored run: the view of the Live page, and tabs with totals, recoveries, plan, environment and events.

Called by the window: ``show_loading`` while the run is read, then ``show_run``. The window handles the signals.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QStackedWidget, QTabWidget, QVBoxLayout, QWidget

from engine.analysis.host.figures import clock_remarks, measured_span
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.recovery.times import BlockHistograms
from engine.analysis.run_data import RunData
from engine.record.record import RunRecord, audits_of, split_reference
from engine.report.export_kind import ExportKind
from engine.report.host_findings import finding_sentences
from engine.report.run_warnings import run_warnings
from engine.report.volumes import volume_sentences
from engine.workload.registry import find_workload
from widgets.library.audit_view import AuditView
from widgets.library.chart_image import image_of
from widgets.library.export_button import ExportButton
from widgets.library.history_tab import HistoryTab
from widgets.library.host_tab import HostTab
from widgets.library.plan_tab import PlanTab
from widgets.library.record_values import environment_values
from widgets.library.recovery_tab import RecoveryTab
from widgets.library.stages_tab import StagesTab
from widgets.library.times_tab import TimesTab
from widgets.library.totals_table import TotalsTable
from widgets.library.value_tree import ValueTree
from widgets.live.event_log import EventLog
from widgets.live.load_charts import LoadBar
from widgets.live.run_view import RunView
from widgets.live.waiting_panel import PreparingPanel
from widgets.parts.fonts import scaled
from widgets.parts.form.note import FormNote
from widgets.parts.look import Look


class RunPage(QWidget):
    """``mark_changed`` carries a mark's number, its new label and its new time from the epoch; ``None``: unchanged."""

    back_requested = Signal()
    cancel_requested = Signal()
    duplicate_requested = Signal(str)
    export_requested = Signal(list, object)
    mark_changed = Signal(int, object, object)
    mark_removed = Signal(int)
    recovery_settings_changed = Signal(object)
    audit_requested = Signal(str)
    cancel_audit_requested = Signal(str)
    report_requested = Signal(list)
    host_import_requested = Signal(str)
    load_selected = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.run_id = ""
        self._record: RunRecord | None = None
        self.back_button = QPushButton("← Library", self)
        self.duplicate_button = QPushButton("Duplicate as new plan", self)
        self.report_button = QPushButton("Report…", self)
        self.export_button = ExportButton(self)
        self.load_bar = LoadBar()
        self.view = RunView(look)
        self.view.head.hide_name()
        self.view.head.hide_buttons()
        self.totals = TotalsTable()
        self.times = TimesTab(look)
        self.stages = StagesTab(look)
        self.recovery = RecoveryTab(look)
        self.audit = AuditView(look)
        self.host = HostTab(look)
        self.history = HistoryTab(look)
        self.plan = PlanTab()
        self.environment = ValueTree("Environment")
        self.events = EventLog(look)
        self.loading = PreparingPanel()
        self.tabs = QTabWidget()
        self.warnings, self.findings = FormNote(look, self), FormNote(look, self)
        self._name = QLabel(self)
        self._pages = QStackedWidget(self)
        self._build()
        self._connect()

    def show_loading(self, name: str, share: float | None) -> None:
        """The run of this name is being read; ``share`` is the share done, from 0 to 1, ``None`` if unknown."""
        self.run_id = ""
        self._name.setText(name)
        self.loading.show_doing(f"Reading {name}", share)
        self._show(self.loading)

    def show_run(
        self, record: RunRecord, run: RunData, loads: Sequence[RunData] = (), titles: Sequence[str] = ()
    ) -> None:
        """Show a run that was read; its response times may come later, see ``refresh``.

        Of a mixed run they are those of one of its ``loads``, which are called so; ``run_id`` is that of the run.
        """
        run_id, load = split_reference(record.run_id)
        is_other = run_id != self.run_id
        chart = self.view.chart.chart
        zoomed = None if is_other or chart.is_live else chart.visible_range
        self.run_id, self._record = run_id, record
        self._name.setText(record.name or record.run_id)
        self.load_bar.show_titles(titles, load or 0)
        self.view.show_run(run, loads)
        self.events.show_run(run)
        self.totals.show_totals(find_workload(record.plan.workload), record.totals)
        self.times.show_run(record, run)
        self.stages.show_run(run)
        self.tabs.setTabVisible(self.tabs.indexOf(self.stages), run.plan.profile is not None)
        self.audit.set_run(run.headline, run.clock)
        self.set_audit(record.audit)
        span = measured_span(record.started_at, record.phases)
        self.host.show_run(run, clock_remarks(record, run.sorted_events(), span))
        self.history.show_run(record)
        self.plan.show_plan(record.plan)
        self.environment.show_values(environment_values(record))
        if is_other:
            self.tabs.setCurrentIndex(0)
        if zoomed is not None:
            chart.show_range(*zoomed)
        self._show(self.tabs)
        self._judge()

    def update_run(self, record: RunRecord) -> None:
        """The data of the displayed run were updated: it is in progress, or was changed elsewhere."""
        before, self._record = self._record, record
        self._name.setText(record.name or record.run_id)
        if before is None or before.audit != record.audit:
            self.set_audit(record.audit)
        self.refresh_events()

    def refresh(self) -> None:
        """Draw the response times that have been loaded."""
        self.view.refresh()
        self.times.refresh()

    def refresh_events(self) -> None:
        """Draw the run's present events, and recompute what depends on its faults."""
        self.view.refresh()
        self.view.refresh_recoveries()
        self.times.refresh()
        self.events.refresh()
        self._judge()

    def set_audit(self, audit: Mapping[str, Any] | None) -> None:
        """The result of the run's audit, from its record."""
        self.view.set_audit(audit)
        self.recovery.set_audit(audit)
        self.audit.show_audit(audit)

    def set_audit_of_run(self, audit: Mapping[str, Any]) -> None:
        """The result of an audit of the whole run: what it found of the load that is shown."""
        self.set_audit(audits_of(audit, max(1, self.load_bar.count()))[max(0, self.load_bar.currentIndex())])

    def set_histograms(self, histograms: BlockHistograms) -> None:
        """The source of the recoveries' response times, available after the run is shown."""
        self.view.set_histograms(histograms)

    def set_recovery_settings(self, settings: RecoverySettings) -> None:
        """Judge the recoveries by these settings."""
        self.view.set_recovery_settings(settings)

    def chart_image(self, kind: ExportKind) -> bytes:
        """The headline chart as it is displayed, as PNG or SVG."""
        return image_of(self.view.chart.chart, kind)

    def save_layout(self) -> dict[str, bytes]:
        """Splitters and columns, for ``restore_layout``."""
        totals = {"totals": self.totals.view.save_columns()}
        return {**self.view.save_layout(), **self.times.save_layout(), **totals}

    def restore_layout(self, saved: Mapping[str, bytes]) -> None:
        self.view.restore_layout(saved)
        self.times.restore_layout(saved)
        self.totals.view.restore_columns(saved.get("totals", b""))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Esc goes back, unless a child widget handles it."""
        if event.key() == Qt.Key.Key_Escape:
            self._on_back()
        else:
            super().keyPressEvent(event)

    def _build(self) -> None:
        self._name.setFont(scaled(self.font(), 1.15, bold=True))
        self._name.setTextFormat(Qt.TextFormat.PlainText)
        self._name.setMinimumWidth(1)
        self.back_button.setToolTip("Back to the library (Esc, Alt+Left)")
        for title, widget in (
            ("Run", self.view),
            ("Clients", self.totals),
            ("Response times", self.times),
            ("Stages", self.stages),
            ("Recovery", self.recovery),
            ("Audit", self.audit),
            ("Host", self.host),
            ("History", self.history),
            ("Plan", self.plan),
            ("Environment", _with_margins(self.environment)),
            ("Events", _with_margins(self.events)),
        ):
            self.tabs.addTab(widget, title)
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName("Parts of the run")
        for page in (self.loading, self.tabs):
            self._pages.addWidget(page)
        head = QHBoxLayout()
        head.addWidget(self.back_button)
        head.addWidget(self._name, 1)
        head.addWidget(self.duplicate_button)
        head.addWidget(self.report_button)
        head.addWidget(self.export_button)
        layout = QVBoxLayout(self)
        layout.addLayout(head)
        layout.addWidget(self.load_bar)
        for note in (self.warnings, self.findings):
            layout.addWidget(note)
            note.hide()
        layout.addWidget(self._pages, 1)

    def _connect(self) -> None:
        back = QShortcut(QKeySequence(QKeySequence.StandardKey.Back), self)
        back.setWhatsThis("Back to the table")
        back.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        back.activated.connect(self._on_back)
        self.times.chart.link_to(self.view.chart.chart)
        self.back_button.clicked.connect(self._on_back)
        self.load_bar.currentChanged.connect(self.load_selected)
        self.loading.cancel_requested.connect(self.cancel_requested)
        self.duplicate_button.clicked.connect(self._on_duplicate)
        self.report_button.clicked.connect(self._on_report)
        self.host.import_requested.connect(self.host_import_requested)
        self.host.measurements_changed.connect(self._judge)
        self.export_button.export_requested.connect(self._on_export)
        self.audit.audit_requested.connect(self._on_audit)
        self.audit.cancel_requested.connect(self._on_audit_cancel)
        self.view.mark_changed.connect(self.mark_changed)
        self.view.mark_removed.connect(self.mark_removed)
        self.view.recovery_settings_changed.connect(self.recovery_settings_changed)
        self.view.recoveries_changed.connect(self._on_recoveries)
        self.events.mark_renamed.connect(self._on_mark_renamed)
        self.events.mark_removed.connect(self.mark_removed)

    def _show(self, page: QWidget) -> None:
        is_run = page is self.tabs
        if not is_run:
            self.load_bar.hide()
            self.warnings.hide()
            self.findings.hide()
        for button in (self.duplicate_button, self.report_button, self.export_button):
            button.setEnabled(is_run)
        self._pages.setCurrentWidget(page)

    def _judge(self) -> None:
        """Show the warnings about the run's figures, and the findings about its hosts; without any a line takes no
        room."""
        if self._record is None or self.view.run is None:
            return
        warnings = run_warnings(self._record, self.view.run)
        if warnings:
            self.warnings.show_warning(" ".join(warnings))
        else:
            self.warnings.clear()
        self.warnings.setVisible(bool(warnings))
        events, host = self.view.run.sorted_events(), self.host.measurements
        findings = [*volume_sentences(self._record, events, host), *finding_sentences(self._record, events, host)]
        self.findings.show_plain(" ".join(findings))
        self.findings.setVisible(bool(findings))

    def _on_recoveries(self) -> None:
        if self.view.run is not None:
            self.recovery.show_recoveries(self.view.run, self.view.recoveries)

    def _on_back(self) -> None:
        """Leaving while the run is read cancels reading."""
        self.host.keep_now()
        if self._pages.currentWidget() is self.loading:
            self.cancel_requested.emit()
        self.back_requested.emit()

    def _on_duplicate(self) -> None:
        self.duplicate_requested.emit(self.run_id)

    def _on_report(self) -> None:
        self.report_requested.emit([self.run_id])

    def _on_audit(self) -> None:
        self.audit_requested.emit(self.run_id)

    def _on_audit_cancel(self) -> None:
        self.cancel_audit_requested.emit(self.run_id)

    def _on_export(self, kind: ExportKind) -> None:
        self.export_requested.emit([self.run_id], kind)

    def _on_mark_renamed(self, number: int, label: str) -> None:
        self.mark_changed.emit(number, label, None)


def _with_margins(view: QWidget) -> QWidget:
    """A page with the margins of the other tabs, for a view that has none."""
    page = QWidget()
    QVBoxLayout(page).addWidget(view)
    return page
