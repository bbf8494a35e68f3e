"""The Library place: shows one of its pages, and handles their requests in the background."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.background import Job
from app.library import jobs as library_jobs
from app.library.auditing import Auditing
from app.library.bin import LibraryBin
from app.library.comparing import Comparing
from app.library.configuring import Configuring
from app.library.edits import LibraryEdits
from app.library.exporting import Exporting
from app.library.history import HistoryUpdater
from app.library.host_importing import HostImporting
from app.library.host_tab import HostTabUpdater
from app.library.jobs import Listed, Outcome
from app.library.previewing import Previewing
from app.library.referencing import Referencing
from app.library.sets import SetEdits
from app.library.stored_run import StoredRun
from app.library.watch import LibraryWatch
from app.reports.reporting import Reporting
from app.services import Services
from app.window.file_questions import Purpose
from app.window.messages import PAGE_TOPIC
from engine.analysis.recovery.settings import RecoverySettings
from engine.audit.report import AuditReport
from engine.plan.plan import RunPlan
from engine.report.export_kind import ExportKind
from engine.report.run_listing import RunListing
from engine.report.sets.listing import SetListing
from widgets.library.bin_page import BinPage
from widgets.library.compare_page import ComparePage
from widgets.library.library_page import LibraryPage
from widgets.library.run_page import RunPage
from widgets.parts.look import Look
from widgets.parts.message_bar import Severity
from widgets.report.report_page import ReportPage


class LibraryPlace(QObject):
    """``widget`` is a stack of the table of runs, the bin, the page of an open run, the comparison and the report."""

    new_run_from_plan_requested = Signal(object)
    demo_requested = Signal()

    def __init__(
        self, look: Look, window: QWidget, services: Services, auditing: Auditing, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._auditing = auditing
        self._shows_first: QWidget | None = None
        self._exporting = Exporting(look, services, self)
        self._listed = Listed(runs=(), sets=())
        self._names: dict[str, str] = {}
        self._to_select: list[str] = []  # once they are listed, unless others are chosen meanwhile
        self.widget = QStackedWidget()
        self.page = LibraryPage(look)
        self.bin_page = BinPage()
        self.edits = LibraryEdits(self.page, services, self)
        self._bin = LibraryBin(self.bin_page, services, self)
        self.watch = LibraryWatch(self.widget, window, services, self)
        self._previewing = Previewing(self.page, services, self)
        self.run_page = RunPage(look)
        self.compare_page = ComparePage(look)
        self.stored_run = StoredRun(self.run_page, services, self)
        self._host_tab = HostTabUpdater(self.run_page.host, self.stored_run, services, self)
        self._history = HistoryUpdater(self.run_page.history, self.stored_run, services, self)
        self._host_importing = HostImporting(look, window, services, self)
        self._comparing = Comparing(self.compare_page, services, self)
        self.referencing = Referencing(self.compare_page, window, services, self)
        self._configuring = Configuring(window, services, self)
        self.report_page = ReportPage()
        self._reporting = Reporting(self.report_page, services, self._recovery_settings, self)
        self._sets = SetEdits(self.page.sets, services, self)
        for page in (self.page, self.bin_page, self.run_page, self.compare_page, self.report_page):
            self.widget.addWidget(page)
        self._connect()
        self._connect_changes()

    def show_table(self) -> None:
        """Go back to the table."""
        self.stored_run.leave()
        self._show(self.page)
        self.page.take_focus()
        self.watch.look()

    def show_campaign(self, name: str) -> None:
        """Show the runs of a campaign in the table."""
        self.show_table()
        self.page.show_campaign(name)

    def show_bin(self) -> None:
        """Show the deleted runs."""
        self._bin.reload()
        self._show(self.bin_page)
        self.bin_page.take_focus()

    def on_shown(self) -> None:
        """The place was brought to the front: the table gets the focus."""
        if self.widget.currentWidget() is self.page:
            self.page.take_focus()

    def reload(self) -> None:
        """Read everything that is displayed again."""
        self.watch.reload()
        self._previewing.reread()
        self.stored_run.reread()

    def mark_stale(self) -> None:
        """The library was written to: update whatever is displayed."""
        self.watch.look()

    def close(self) -> None:
        """Release the library's file; called when no work is in progress any more."""
        self.watch.close()

    def open_run(self, run_id: str) -> None:
        """Show a stored run."""
        self._shows_first = None
        self._show(self.run_page)
        self.stored_run.open(run_id, self._names.get(run_id, run_id))
        self._to_select = [] if run_id in self.page.table.selected_ids() else [run_id]
        self._select_listed()
        self.watch.look()  # the run may be newer than the list, and actions on it look up its name there

    def open_audit(self, run_id: str) -> None:
        """Show the audit of a stored run."""
        self.open_run(run_id)
        self._shows_first = self.run_page.audit

    def import_host(self, path: Path) -> None:
        """Import host or meter figures for the open run, or else for a run that is asked for."""
        is_open = self.widget.currentWidget() is self.run_page
        self._host_importing.begin(path, self.run_page.run_id if is_open else "")

    def propose_configuration(self, path: Path) -> None:
        """Show the configuration or bill of a file, to be saved."""
        self._configuring.propose(path)

    def manage_configurations(self) -> None:
        """Show the configurations, on any page."""
        self._configuring.manage()

    def _show(self, page: QWidget) -> None:
        """Show one of the pages; a comparison that is left while it is read must not come back."""
        if page is not self.compare_page:
            self._comparing.leave()
        self.widget.setCurrentWidget(page)

    def _connect(self) -> None:
        page = self.page
        page.open_requested.connect(self.open_run)
        page.compare_requested.connect(self._on_compare)
        page.duplicate_requested.connect(self._on_duplicate)
        page.bin_requested.connect(self.show_bin)
        page.table.selection_changed.connect(self._on_selection)
        self.bin_page.back_requested.connect(self.show_table)
        self.bin_page.restore_requested.connect(self.edits.restore)
        self.edits.work_on(self.bin_page)
        page.import_requested.connect(self._on_import)
        page.export_requested.connect(self._exporting.export_runs)
        page.demo_requested.connect(self.demo_requested)
        page.report_requested.connect(self._on_report)
        self.report_page.back_requested.connect(self.show_table)
        self.run_page.back_requested.connect(self.show_table)
        self.run_page.cancel_requested.connect(self.show_table)
        self.run_page.duplicate_requested.connect(self._on_duplicate)
        self.run_page.export_requested.connect(self._on_export_open)
        self._comparing.left.connect(self.show_table)
        self.compare_page.report_requested.connect(self._on_report_of)
        self.compare_page.export_requested.connect(self._on_export_comparison)
        self.run_page.report_requested.connect(self._on_report_of)
        self.run_page.host_import_requested.connect(self._host_importing.ask)
        self.run_page.history.run_requested.connect(self.open_run)
        self._host_importing.imported.connect(self._on_host_imported)
        self.run_page.audit_requested.connect(self._on_audit)
        self.run_page.cancel_audit_requested.connect(self._auditing.cancel)
        self._auditing.progressed.connect(self._on_audit_progressed)
        self._auditing.audited.connect(self._on_audited)
        self._auditing.ended.connect(self._on_audit_ended)
        self.stored_run.opened.connect(self._on_opened)
        self.stored_run.failed.connect(self.show_table)
        page.sets.configuration_requested.connect(self._on_configuration)

    def _connect_changes(self) -> None:
        """Connect whatever updates the pages."""
        for changed in (
            self.edits.changed,
            self._bin.removed,
            self.stored_run.changed,
            self._sets.changed,
            self._configuring.changed,
        ):
            changed.connect(self.mark_stale)
        self.widget.currentChanged.connect(lambda _page: self._services.messages.drop(PAGE_TOPIC))
        self.edits.refused.connect(self.watch.reload)
        self.edits.restored.connect(self._on_restored)
        self._bin.removed.connect(self.edits.forget)
        self.watch.listed.connect(self._on_listed)
        self.watch.changed.connect(self._on_changed)
        self.watch.checked.connect(self.page.table.refresh_durations)
        reload = QShortcut(QKeySequence(QKeySequence.StandardKey.Refresh), self.widget)
        reload.setWhatsThis("Read the library again")
        reload.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        reload.activated.connect(self.reload)

    def _on_changed(self) -> None:
        """Something was written to the library, by any process."""
        self._previewing.follow()
        self.stored_run.follow()
        if self.widget.currentWidget() is self.bin_page:
            self._bin.reload()

    def _on_opened(self) -> None:
        if self._shows_first is not None:
            self.run_page.tabs.setCurrentWidget(self._shows_first)
            self._shows_first = None
        if self._auditing.is_auditing(self.run_page.run_id):
            self.run_page.audit.show_progress("Auditing", 0.0)

    def _on_audit(self, run_id: str) -> None:
        self._auditing.start(run_id, self._names.get(run_id, run_id), beside=self.run_page.audit.progress)

    def _on_audit_progressed(self, run_id: str, doing: str, share: float) -> None:
        if run_id == self.run_page.run_id:
            self.run_page.audit.show_progress(doing, share)

    def _on_audited(self, run_id: str, report: AuditReport) -> None:
        if run_id == self.run_page.run_id:
            self.run_page.set_audit_of_run(report.to_dict())
        self.mark_stale()

    def _on_audit_ended(self, run_id: str, sentence: str) -> None:
        if run_id == self.run_page.run_id:
            self.run_page.audit.show_trouble(sentence)

    def _do(self, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        self._services.background.start(lambda _job: work(), done=done)

    def _on_listed(self, listed: Listed) -> None:
        self._listed = listed
        self._names = {run.run_id: run.name for run in listed.runs}
        to_select = self._to_select
        self.page.show_runs(listed.runs, listed.sets, deleted=listed.deleted)
        self._to_select = to_select  # what the list itself selects is nobody's choice
        self._select_listed()

    def _on_restored(self, run_ids: list[str]) -> None:
        """Select them in a list that is read from now on: the present one may be that of before their deletion."""
        self._to_select = run_ids
        self.watch.reload()

    def _select_listed(self) -> None:
        if self._to_select and self._names.keys() >= set(self._to_select):
            self.page.select_runs(self._to_select)
            self._to_select = []

    def _on_selection(self) -> None:
        self._to_select = []

    def _on_duplicate(self, run_id: str) -> None:
        self._do(lambda: self._services.workbench.library().run(run_id).plan, self._on_plan)

    def _on_plan(self, plan: RunPlan) -> None:
        self.new_run_from_plan_requested.emit(plan)

    def _on_compare(self, run_ids: list[str]) -> None:
        self._show(self.compare_page)
        self.referencing.reload()
        self._comparing.begin(run_ids)

    def _on_import(self) -> None:
        self._services.files.ask_open(
            "Import DS2 output", "DVD Store 2 output (*)", self.import_ds2, purpose=Purpose.DS2_OUTPUT, several=True
        )

    def import_ds2(self, paths: list[Path]) -> None:
        """Import runs: DVD Store 2 output (one run per file) and libraries, such as those of rescued runs."""

        def work(job: Job[Outcome]) -> Outcome:
            library = self._services.workbench.library()
            return library_jobs.import_files(library, paths, on_progress=job.report_progress, cancelled=job.cancelled)

        self._services.long_work.start(
            f"importing {paths[0].name if len(paths) == 1 else f'{len(paths)} files'}",
            work,
            done=self._on_imported,
            cancelled=self._on_import_cancelled,
        )

    def _on_imported(self, outcome: Outcome) -> None:
        self.mark_stale()
        if outcome.refusals:
            self._services.messages.show(" ".join(outcome.refusals), Severity.ERROR)
        else:
            self._services.messages.show(f"Imported: {len(outcome.run_ids)}.", Severity.SUCCESS)

    def _on_import_cancelled(self) -> None:
        self.mark_stale()
        self._services.messages.show("Cancelled; what was imported before is in the library.")

    def _on_report(self, runs: list[RunListing], sets: list[SetListing]) -> None:
        self._show(self.report_page)
        self._reporting.begin(runs, sets)

    def _on_report_of(self, run_ids: list[str]) -> None:
        self._show(self.report_page)
        self._reporting.begin_with(run_ids)

    def _on_host_imported(self, run_id: str) -> None:
        if run_id == self.run_page.run_id and self.widget.currentWidget() is self.run_page:
            self._host_tab.reload()
            self.run_page.tabs.setCurrentWidget(self.run_page.host)
        else:
            self.open_run(run_id)
            self._shows_first = self.run_page.host

    def _on_configuration(self, runs: list[RunListing]) -> None:
        """Of the set when all runs belong to the same one, else of the runs."""
        names = {run.run_set for run in runs}
        run_set = next((each for each in self._listed.sets if {each.name} == names), None)
        if run_set is None:
            self._configuring.ask_for_runs(runs)
        else:
            self._configuring.ask_for_set(run_set, list(self._listed.runs))

    def _recovery_settings(self) -> RecoverySettings:
        return self.run_page.view.recovery_settings

    def _on_export_open(self, run_ids: list[str], kind: ExportKind) -> None:
        """The open run; its chart is exported as displayed, zoomed or not."""
        if kind.is_chart:
            self._exporting.export_image(self.stored_run.run_id, kind, self.run_page.chart_image)
        else:
            self._exporting.export_runs(run_ids, kind)

    def _on_export_comparison(self, kind: ExportKind) -> None:
        self._exporting.export_image("comparison", kind, self.compare_page.chart_image)
