"""The Campaigns place: connects its page with the library, the files and the campaign that is carried out."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import tomli_w
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QStackedWidget

from app.background import Job
from app.campaigns.runner import MEASURING, CampaignRunner, check_servers
from app.cli.input_text import read_utf8
from app.live.run import LiveRun
from app.newest_job import NewestJob
from app.remedy_text import window_text
from app.reports.reporting import Reporting
from app.services import Services
from app.window.file_questions import Purpose
from engine.analysis.recovery.settings import RecoverySettings
from engine.campaign.events import CampaignCode, CampaignEvent
from engine.campaign.file import read_campaign_text
from engine.campaign.plan import CampaignPlan
from engine.errors import BadInput, Cancelled, TargetError, UserError
from engine.report.campaign.tree import CampaignTree, read_tree
from widgets.campaigns.page import CampaignsPage
from widgets.parts.look import Look
from widgets.parts.message_bar import Severity
from widgets.report.report_page import ReportPage

if TYPE_CHECKING:
    from engine.campaign.journal import CampaignRecord
    from engine.library.library import Library

_FILES = "Campaign files (*.toml)"
_RELOAD_MS = 2_000


class CampaignsPlace(QObject):
    """``widget`` is a stack of the page with the campaigns and that of a report; ``run_requested`` carries the id of a
    run to open, ``library_requested`` the name of a campaign whose runs are to be shown in the library."""

    run_requested = Signal(str)
    library_requested = Signal(str)

    def __init__(self, look: Look, live_run: LiveRun, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self.page = CampaignsPage(look)
        self.report_page = ReportPage()
        self.report_page.back_button.setText("← Campaigns")
        self.report_page.back_button.setToolTip("Back to the campaigns (Esc, Alt+Left)")
        self.widget = QStackedWidget()
        for page in (self.page, self.report_page):
            self.widget.addWidget(page)
        self._reporting = Reporting(self.report_page, services, RecoverySettings, self)
        self.runner = CampaignRunner(live_run, services, self)
        self._listing, self._showing = NewestJob(services.background), NewestJob(services.background)
        self._reading, self._checking = NewestJob(services.background), NewestJob(services.background)
        self._folder = Path()
        self._reload = QTimer(self, interval=_RELOAD_MS)
        self._reload.timeout.connect(self._on_tick)
        self._reload.start()
        self._connect()

    def reload(self) -> None:
        """Read the campaigns from the library again."""
        self._listing.start(
            lambda _job: self._library().campaigns.all(),
            done=self._on_listed,
            failed=self._services.messages.show_error,
        )

    def open_file(self, path: Path) -> None:
        """Put a campaign file into the editor."""

        def show(text: str) -> None:
            self._folder = path.parent
            self.page.show_editor(text)

        self._services.background.start(lambda _job: read_utf8(path), done=show)

    def _connect(self) -> None:
        page, view, editor = self.page, self.page.view, self.page.editor
        page.chosen.connect(self._show)
        view.run_requested.connect(self.run_requested)
        view.library_requested.connect(self.library_requested)
        view.report_requested.connect(self._on_report)
        self.report_page.back_requested.connect(lambda: self.widget.setCurrentWidget(page))
        view.stop_requested.connect(self._on_stop)
        view.resume_requested.connect(self._on_resume)
        view.copy_requested.connect(self._on_copy)
        view.delete_requested.connect(self._on_delete)
        editor.changed.connect(self._read)
        editor.open_requested.connect(self._on_open)
        editor.save_requested.connect(self._on_save)
        editor.servers_check_requested.connect(self._on_check)
        editor.start_requested.connect(self._on_start)
        self.runner.happened.connect(self._on_happened)
        self.runner.ended.connect(self._on_ended)
        self.runner.failed.connect(self._on_failed)

    def _library(self) -> "Library":
        return self._services.workbench.library()

    def _on_tick(self) -> None:
        """Other programs carry out campaigns, too."""
        if self.page.isVisible() and not self.page.window().isMinimized():
            self.reload()

    def _on_listed(self, campaigns: "Sequence[CampaignRecord]") -> None:
        self.page.show_campaigns(campaigns)
        if self.page.current:
            self._show(self.page.current)

    def _show(self, name: str) -> None:
        def work(_job: Job[CampaignTree]) -> CampaignTree:
            library = self._library()
            return read_tree(library, library.campaigns.get(name))

        self._showing.start(work, done=self.page.view.show_campaign, failed=_nothing)

    # The editor

    def _read(self, text: str) -> None:
        """Read the text that is being written; plan files that it names have to be read, too."""
        editor, folder = self.page.editor, self._folder

        def failed(error: BaseException) -> None:
            if not isinstance(error, UserError):
                self._services.messages.show_error(error)
            else:
                editor.show_problem(text, window_text(error))

        self._reading.start(
            lambda _job: read_campaign_text(text, folder),
            done=lambda plan: editor.show_plan(text, plan),
            failed=failed,
        )

    def _on_open(self) -> None:
        self._services.files.ask_open(
            "Open a campaign file", _FILES, lambda paths: self.open_file(paths[0]), purpose=Purpose.CAMPAIGNS
        )

    def _on_save(self, text: str) -> None:
        def save(path: Path) -> None:
            def saved(_nothing: object) -> None:
                self._folder = path.parent
                self._services.messages.show(f"Campaign saved as {path}.", Severity.SUCCESS)

            self._services.background.start(lambda _job: _write(path, text), done=saved)

        plan = self.page.editor.plan
        name = "campaign.toml" if plan is None else f"{plan.name}.toml".replace("/", "-")
        self._services.files.ask_save("Save the campaign", name, _FILES, save, purpose=Purpose.CAMPAIGNS)

    def _on_check(self, plan: CampaignPlan) -> None:
        editor = self.page.editor
        editor.show_doing("Looking at the servers …")

        def failed(error: BaseException) -> None:
            if isinstance(error, UserError | TargetError):
                editor.show_result(window_text(error), ok=False)
            else:
                self._services.messages.show_error(error)

        self._checking.start(
            lambda job: check_servers(self._services, plan, job),
            done=lambda _: editor.show_result("Stores, actions and conditions are as they have to be.", ok=True),
            failed=failed,
            progressed=lambda doing, _share: editor.show_doing(doing),
        )

    def _on_start(self, plan: CampaignPlan) -> None:
        self._begin(lambda: self.runner.start(plan), plan.name)

    # The chosen campaign

    def _on_resume(self, name: str) -> None:
        tree = self.page.view.tree
        if tree is not None and tree.campaign.name == name:
            self._begin(lambda: self.runner.resume(tree.campaign), name)

    def _begin(self, begin: Callable[[], None], name: str) -> None:
        try:
            begin()
        except UserError as error:
            self._services.messages.show_error(error)
            return
        self.page.show_list()
        self.page.choose(name)
        self.page.editor.show_doing(f"Campaign '{name}' is being checked.")

    def _on_stop(self, name: str) -> None:
        if name == self.runner.name:
            self.runner.stop()
            self._services.messages.show("The campaign stops when the run in progress has ended in order.")
        else:
            self._services.background.start(lambda _job: self._library().campaigns.request_stop(name))

    def _on_report(self, name: str) -> None:
        self.widget.setCurrentWidget(self.report_page)
        self._reporting.begin_with_campaign(name)

    def _on_copy(self, _name: str) -> None:
        tree = self.page.view.tree
        if tree is not None:
            self.page.show_editor(tomli_w.dumps(tree.campaign.plan.to_dict()))

    def _on_delete(self, name: str) -> None:
        def deleted(record: "CampaignRecord") -> None:
            self._services.messages.show(f"Campaign '{record.name}' is deleted; its runs are kept.")
            self.reload()

        self._services.background.start(lambda _job: self._library().campaigns.delete(name), done=deleted)

    # The campaign in progress

    def _on_happened(self, name: str, event: CampaignEvent) -> None:
        view, data = self.page.view, event.data
        is_shown = view.tree is not None and view.tree.campaign.name == name
        if event.code is CampaignCode.STEP_PROGRESS:
            if is_shown:
                view.show_doing(data["doing"], data["share"], data["left_seconds"])
            return
        if event.code is CampaignCode.RUN_BEGAN and is_shown:
            view.show_doing(MEASURING, None, None)
        self.reload()

    def _on_ended(self, tree: CampaignTree) -> None:
        self.page.view.show_doing("", None, None)
        self.reload()
        if tree.campaign.reason:
            campaign = tree.campaign
            self._services.messages.show(f"Campaign '{campaign.name}' {campaign.state.predicate}: {campaign.reason}")

    def _on_failed(self, _name: str, error: BaseException) -> None:
        self.reload()
        if isinstance(error, Cancelled):
            self._services.messages.show("Cancelled before the campaign began.")
            return
        if isinstance(error, BadInput | TargetError):
            self.page.editor.show_result(window_text(error), ok=False)
        self._services.messages.show_error(error)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UserError(f"{path} can't be written ({error.strerror}); choose another folder.") from error


def _nothing(_error: BaseException) -> None:
    """The campaign was deleted meanwhile; the list that follows does not have it."""
