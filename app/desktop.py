"""The window with all its parts: creates them in order and connects them.

Called by ``app.start``, by tests and by benchmarks.
"""

import logging
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from app.background import Background, Job
from app.campaigns.place import CampaignsPlace
from app.garbage_collections import GarbageCollections
from app.library.auditing import Auditing
from app.library.place import LibraryPlace
from app.live.place import LivePlace
from app.live.run import LiveRun
from app.long_work import LongWork
from app.new_run.place import NewRunPlace
from app.new_run.practice_servers import PracticeServers
from app.preferences import find_preference, timeouts_of
from app.services import Services
from app.settings import SettingsFile, read_settings
from app.stored_settings import draft_of, mark_kinds_of, recovery_settings_of, theme_of
from app.window.about import About
from app.window.closing import Closing
from app.window.dropping import Dropping
from app.window.file_questions import FileQuestions
from app.window.helping import Helping
from app.window.idle_watts import IdleWattsMeasuring
from app.window.in_progress import InProgress
from app.window.load_machines import LoadMachines
from app.window.machines import Machines
from app.window.main_window import MainWindow, Place
from app.window.messages import PAGE_TOPIC, WindowMessages
from app.window.monitoring import WindowMonitoring
from app.window.notifying import Notifying
from app.window.settings_page import SettingsPage
from app.window.taskbar import Taskbar
from app.window.theme import Themer, set_text_size
from app.window.webhooks import Webhooks
from app.window.window_settings import WindowSettings
from app.workbench import Workbench
from engine.analysis.recovery.settings import RecoverySettings
from engine.figure_text import capitalised, use_number_format
from engine.places import Places
from engine.plan.plan import RunPlan
from engine.plan.presets import DEMONSTRATION
from engine.record.record import RunRecord
from widgets.live.live_page import LivePage
from widgets.parts.look import Look
from widgets.parts.message_bar import Severity

if TYPE_CHECKING:
    from engine.conduct.interrupted import Settled

_SETTLE_AFTER_MS = 200
_CLOSE_SECONDS = 30.0
_INTERRUPTED_TOPIC = "interrupted runs"
_log = logging.getLogger(__name__)


class Desktop(QObject):
    """The window of one home. ``show`` it; call ``close`` when the window is closed.

    ``has_settled`` is emitted when runs left unfinished by earlier processes have been checked.
    """

    def __init__(self, application: QApplication, places: Places) -> None:
        super().__init__(application)
        self.garbage_collections = GarbageCollections(self)
        self.has_settled = False
        self._started_from: int = Place.NEW_RUN
        self.settings, trouble = read_settings(places.settings)
        use_number_format(find_preference("number-format").text(self.settings))
        set_text_size(application, find_preference("text-size").stored(self.settings))
        self.look = Look(self)
        self.themer = Themer(application, self.look, theme_of(self.settings))
        self.window = MainWindow(self.look)
        self.messages = WindowMessages(self.window.bar, self)
        self.background = Background(self, fault=self.messages.show_error)
        self.workbench = Workbench(
            places,
            notify=self.messages.show,
            warn=self.messages.show_warning,
            timeouts=lambda: timeouts_of(self.settings),
        )
        self.live_run = LiveRun(self.workbench, self.background, self)
        self.closing = Closing(self.window, self.live_run, self.background, self.messages.show)
        self._make_places()
        self.helping = Helping(self.window, self.new_run, self.live, self.library, self.campaigns)
        # What that imports would compete with the window's first painting for the interpreter.
        self._settle_timer = QTimer(self, singleShot=True, interval=_SETTLE_AFTER_MS)
        self._settle_timer.timeout.connect(self._settle)
        self.window_settings = WindowSettings(
            self.settings,
            SettingsFile(places.settings),
            self.background,
            window=self.window,
            themer=self.themer,
            files=self.files,
            new_run=self.new_run,
            live=self.live,
            library=self.library,
            parent=self,
        )
        self._connect()
        self.window_settings.restore()
        self._judge_recoveries(recovery_settings_of(self.settings))
        if trouble:
            self.messages.show(trouble, Severity.WARNING)

    def show(self) -> None:
        """Show the window, then check for runs that an earlier process left unfinished."""
        self.show_new_run()
        self.themer.apply_style_sheet()
        self.window.show()
        self.new_run.widget.focus_first()
        self._settle_timer.start()
        self.monitoring.begin()

    def start_run(self, plan: RunPlan, *, reset: bool, audit: bool = False) -> None:
        """Start a run and show it; where it is refused, at once or while it is prepared, the user stays on the page
        that is shown now. ``audit``: audit afterwards."""
        self.messages.drop(_INTERRUPTED_TOPIC)
        if self.live.start(plan, reset=reset, audit=audit):
            self._started_from = self.window.place
            self.window.show_place(Place.LIVE)

    def close(self) -> None:
        """Save the settings and release everything."""
        self._settle_timer.stop()
        self.window_settings.save_now()
        if not self.background.close(_CLOSE_SECONDS):
            _log.warning("work in the background did not end in time")
        self.monitoring.close()
        self.library.close()
        self.workbench.close()
        self.window.deleteLater()

    def show_new_run(self) -> None:
        self.window.show_place(Place.NEW_RUN)

    def show_live(self) -> None:
        self.window.show_place(Place.LIVE)

    def open_run(self, run_id: str) -> None:
        """Show a stored run."""
        self.window.show_place(Place.LIBRARY)
        self.library.open_run(run_id)

    def show_campaign_runs(self, name: str) -> None:
        """Show the runs of a campaign in the library."""
        self.window.show_place(Place.LIBRARY)
        self.library.show_campaign(name)

    def open_audit(self, run_id: str) -> None:
        """Show the audit of a stored run."""
        self.window.show_place(Place.LIBRARY)
        self.library.open_audit(run_id)

    def start_demonstration(self) -> None:
        self.start_run(DEMONSTRATION, reset=True, audit=True)

    def _make_places(self) -> None:
        self.long_work = LongWork(self.window.status.work_strip, self.background, self.messages, self)
        self.files = FileQuestions(self.window)
        services = Services(
            workbench=self.workbench,
            background=self.background,
            long_work=self.long_work,
            messages=self.messages,
            files=self.files,
        )
        self.auditing = Auditing(services, parent=self)
        page = LivePage(self.look, mark_kinds_of(self.settings))
        self.new_run = NewRunPlace(self.look, draft_of(self.settings), services, parent=self)
        self.live = LivePlace(page, self.live_run, services, self.auditing, self.window.status, parent=self)
        self.library = LibraryPlace(self.look, self.window, services, self.auditing, parent=self)
        self.campaigns = CampaignsPlace(self.look, self.live_run, services, parent=self)
        self.practice_servers = PracticeServers(self.look, services, self.window)
        self.machines = Machines(self.look, services, self.window)
        self.idle_watts = IdleWattsMeasuring(self.look, services, self.window)
        self.load_machines = LoadMachines(self.look, services, self.window)
        self.dropping = Dropping(self.background, self.messages, self)
        self.window.add_place("New run", "new-run", self.new_run.widget)
        self.window.add_place("Live", "live", self.live.widget)
        self.window.add_place("Library", "library", self.library.widget)
        self.window.add_place("Campaigns", "campaigns", self.campaigns.widget)
        self.notifying = Notifying(self.window, self.live_run, self.long_work, self.settings, self.look, self)
        self.webhooks = Webhooks(
            self.live_run, self.campaigns.runner, services, self.settings, self.look, self.window, self
        )
        self.monitoring = WindowMonitoring(services, self.settings, self.look, self.window, self)
        self.live_run.elsewhere = self.monitoring.sinks
        self.settings_page = SettingsPage(self.settings, self.look, self.themer, services, self.window, self)
        self.settings_page.apply_exports_folder()
        self.about = About(self.look, self.themer, services, self.window, self)
        self.in_progress = InProgress(self.window, self.live_run, self.long_work, Taskbar(), self)

    def _connect(self) -> None:
        self.window.place_shown.connect(self._on_place)
        self.window.status.run_clicked.connect(self.show_live)
        self.window.files_dropped.connect(self.dropping.take)
        self.dropping.host_dropped.connect(self._on_host_dropped)
        self.dropping.runs_dropped.connect(self._on_runs_dropped)
        self.dropping.configuration_dropped.connect(self.library.propose_configuration)
        self.dropping.references_dropped.connect(self.library.referencing.import_file)
        self.dropping.plan_dropped.connect(self._on_plan_dropped)
        self.window.marks_requested.connect(self._on_marks)
        self.window.servers_requested.connect(self.practice_servers.show)
        self.new_run.widget.targets.servers_requested.connect(self.practice_servers.show)
        self.window.machines_requested.connect(self.machines.show)
        self.window.idle_watts_requested.connect(self.idle_watts.show)
        self.window.load_machines_requested.connect(self.load_machines.show)
        self.machines.known.connect(self.new_run.widget.know_machines)
        self.machines.known.connect(self.new_run.widget.faults.editor.form.offer_machines)
        self.machines.known.connect(self.live.widget.arming.form.offer_machines)
        self.window.settings_requested.connect(self.settings_page.show)
        self.settings_page.changed.connect(self.window_settings.save_soon)
        self.window.webhook_requested.connect(self.webhooks.ask)
        self.webhooks.changed.connect(self.window_settings.save_soon)
        self.window.about_requested.connect(self.about.show)
        self.window.monitoring_requested.connect(self.monitoring.ask)
        self.monitoring.changed.connect(self.window_settings.save_soon)
        self.window.configurations_requested.connect(self.library.manage_configurations)
        self.window.references_requested.connect(self.library.referencing.manage)
        self.files.changed.connect(self.window_settings.save_soon)
        self.new_run.start_requested.connect(self._on_start)
        self.live_run.failed.connect(self._on_not_begun)
        self.live.show_requested.connect(self.show_live)
        self.live.new_run_requested.connect(self.show_new_run)
        self.live.demo_requested.connect(self.start_demonstration)
        self.live.open_requested.connect(self.open_run)
        self.campaigns.run_requested.connect(self.open_run)
        self.campaigns.library_requested.connect(self.show_campaign_runs)
        self.live.new_run_from_plan_requested.connect(self._on_plan)
        self.live.kept.connect(self._on_kept)
        self.auditing.show_requested.connect(self.open_audit)
        self.library.new_run_from_plan_requested.connect(self._on_plan)
        self.library.watch.settled.connect(self._report_settled)
        self.library.demo_requested.connect(self.start_demonstration)
        self.new_run.draft_changed.connect(self.window_settings.save_soon)
        self.live.widget.mark_kinds_changed.connect(self.window_settings.save_soon)
        self.live.widget.window_changed.connect(self.window_settings.save_soon)
        self.live.widget.recovery_settings_changed.connect(self._on_recovery_settings)
        self.library.run_page.recovery_settings_changed.connect(self._on_recovery_settings)

    def _settle(self) -> None:
        self.machines.read()
        self.background.start(lambda _job: self.workbench.settle_library(), done=self._on_settled)

    def _pack(self) -> None:
        """Pack the runs that an older version stored unpacked, so that they open faster; in the background."""

        def pack_all(job: Job[None]) -> None:
            library = self.workbench.library()
            if not library.read_only:
                library.packer.pack_all(
                    on_progress=lambda share: job.report_progress("packing", share), cancelled=job.cancelled
                )

        self.background.start(pack_all)

    def _on_settled(self, settled: "Settled") -> None:
        self.has_settled = True
        self._pack()
        self._report_settled(settled)
        for run_id, path in settled.waiting.items():
            self.messages.show_warning(f"Run {run_id} is kept in {path} until the library has room for it.")
        for sentence in settled.left_stores:
            self.messages.show_warning(capitalised(sentence))

    def _report_settled(self, settled: "Settled") -> None:
        """Report the runs that were interrupted or imported; the warning last, as it replaces the other message."""
        interrupted = settled.interrupted
        if interrupted:
            newest = max(interrupted, key=lambda record: record.started_at)
            text = (
                f"Run {newest.name} was interrupted; what was measured is in the library."
                if len(interrupted) == 1
                else f"{len(interrupted)} runs were interrupted; what was measured is in the library."
            )
            self._offer_interrupted(text, newest.run_id)
            self.library.mark_stale()
        for record, path in settled.taken:
            text = f"Run {record.name}, which was kept in {path} when the library had no room, is in the library now."
            self.messages.offer(text, "Open", partial(self.open_run, record.run_id), Severity.SUCCESS)
            self.library.mark_stale()

    def _offer_interrupted(self, text: str, run_id: str) -> None:
        """Where the library lists the run with its state, as news; elsewhere until the library is looked at."""
        severity = Severity.INFO if self.window.place == Place.LIBRARY else Severity.WARNING
        self.messages.offer(text, "Open", lambda: self.open_run(run_id), severity, topic=_INTERRUPTED_TOPIC)

    def _on_recovery_settings(self, settings: RecoverySettings) -> None:
        self._judge_recoveries(settings)
        self.window_settings.save_soon()

    def _judge_recoveries(self, settings: RecoverySettings) -> None:
        """Apply the settings wherever a run is shown."""
        self.live.widget.view.set_recovery_settings(settings)
        self.library.stored_run.judge(settings)

    def _on_place(self, number: int) -> None:
        self.messages.drop(PAGE_TOPIC)
        if number == Place.LIBRARY:
            self.messages.drop(_INTERRUPTED_TOPIC)
            self.library.on_shown()
        elif number == Place.LIVE:
            self.live.widget.refresh()
        elif number == Place.CAMPAIGNS:
            self.campaigns.reload()

    def _on_marks(self) -> None:
        self.window.show_place(Place.LIVE)
        self.live.widget.markers.edit_kinds()

    def _on_start(self, plan: RunPlan) -> None:
        self.start_run(plan, reset=bool(plan.reset), audit=bool(plan.audit))

    def _on_not_begun(self, _error: BaseException) -> None:
        """Unless the user has left the page of the run meanwhile, show the page from which it was started."""
        if self.window.place == Place.LIVE:
            self.window.show_place(self._started_from)

    def _on_plan(self, plan: RunPlan) -> None:
        self.new_run.fill(plan)
        self.show_new_run()

    def _on_plan_dropped(self, path: Path, plan: RunPlan) -> None:
        self.new_run.take_plan(path, plan)
        self.show_new_run()

    def _on_host_dropped(self, path: Path) -> None:
        self.window.show_place(Place.LIBRARY)
        self.library.import_host(path)

    def _on_runs_dropped(self, paths: list[Path]) -> None:
        self.window.show_place(Place.LIBRARY)
        self.library.import_ds2(paths)

    def _on_kept(self, _record: RunRecord) -> None:
        self.library.mark_stale()
