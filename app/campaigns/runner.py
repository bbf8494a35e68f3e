"""The campaign that the window carries out: on a thread, with its runs shown on the Live page."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.background import Job
from app.live.inbox import Inbox
from app.live.run import LiveRun
from app.services import Services
from app.window.main_window import Place
from app.workbench import WINDOW
from engine.analysis.progress import progress_of
from engine.campaign.events import CampaignCode, CampaignEvent
from engine.campaign.journal import CampaignState
from engine.campaign.plan import CampaignPlan
from engine.errors import Cancelled, UserError
from engine.notify.notices import CampaignNotice
from engine.record.record import RunRecord
from engine.report.campaign.tree import CampaignTree, read_tree

if TYPE_CHECKING:
    from engine.campaign.journal import CampaignRecord
    from engine.conduct.campaign.stopping import Stopping
    from engine.conduct.conductor import Conductor
    from engine.driver.sinks import Sink
    from engine.library.campaigns import CampaignJournal
    from engine.library.library import Library

MEASURING = "run in progress, see Live"
"""What a campaign does while one of its runs goes on, which tells of its own progress on the Live page."""
_BeginJournal = Callable[["Library"], "CampaignJournal"]


class CampaignRunner(QObject):
    """At most one campaign at a time, while no run is in progress.

    ``began`` is emitted before its checks. ``happened`` carries the name of the campaign and each ``CampaignEvent``;
    ``ended`` its ``CampaignTree``; ``failed`` its name and an error before its first step.
    """

    began = Signal()
    happened = Signal(str, object)
    ended = Signal(object)
    failed = Signal(str, object)

    def __init__(self, live_run: LiveRun, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._live_run = live_run
        self._services = services
        self._stopping: Stopping | None = None
        self._job: Job[CampaignTree] | None = None
        self.name = ""
        live_run.ticked.connect(self._on_ticked)

    @property
    def is_running(self) -> bool:
        return bool(self.name)

    def start(self, plan: CampaignPlan) -> None:
        """Check a campaign, begin it and carry it out.

        Raises ``UserError`` while a campaign or a run is in progress.
        """
        self._carry_out(plan, lambda library: library.campaigns.begin(plan), is_resumed=False)

    def resume(self, record: "CampaignRecord") -> None:
        """Go on with a campaign that did not complete. Raises ``UserError`` as ``start`` does."""
        self._carry_out(record.plan, lambda library: library.campaigns.resume(record.name), is_resumed=True)

    def stop(self) -> None:
        """Stop the campaign: the run in progress ends in order; asked again, at once."""
        if self._stopping is not None:
            self._stopping.ask()

    def _carry_out(self, plan: CampaignPlan, begin: _BeginJournal, *, is_resumed: bool) -> None:
        if self.is_running:
            raise UserError(f"Campaign '{self.name}' is in progress; stop it before you start another.")
        self._live_run.reserve(f"Campaign '{plan.name}' is in progress")
        self.name, self._stopping = plan.name, None
        self._job = self._services.long_work.start(
            f"carrying out campaign '{plan.name}'",
            lambda job: self._work(job, plan, begin, is_resumed=is_resumed),
            done=self._on_ended,
            failed=self._on_failed,
            cancelled=lambda: self._on_failed(Cancelled()),
            place=Place.CAMPAIGNS,
            sentence=lambda tree: CampaignNotice.of(tree).sentence,
            is_failure=lambda tree: tree.campaign.state is CampaignState.FAILED,
        )
        self.began.emit()

    def _work(
        self, job: Job[CampaignTree], plan: CampaignPlan, begin: _BeginJournal, *, is_resumed: bool
    ) -> CampaignTree:
        """On a thread: all checks, then the campaign. A job that is cancelled asks the campaign to stop."""
        from engine.conduct.campaign.campaign_run import carry_out
        from engine.conduct.campaign.running import RunSetting
        from engine.conduct.campaign.stopping import Stopping
        from engine.databases.lease import Claim

        class JobStopping(Stopping):
            def is_asked(self) -> bool:
                return super().is_asked() or job.cancelled()

        workbench, post = self._services.workbench, self._services.background.post
        library, targets = workbench.library(), workbench.targets()
        check_servers(self._services, plan, job, is_resumed=is_resumed)
        journal = begin(library)
        self._stopping = stopping = JobStopping()
        setting = RunSetting(
            library=library,
            targets=targets,
            configuration=plan.configuration,
            claim=Claim(purpose=f"campaign '{plan.name}'", program=WINDOW),
            notify=workbench.notify,
            view_of=lambda conductor: _LiveView(self._live_run, conductor, post),
            stopping=stopping,
        )

        def on_event(event: CampaignEvent) -> None:
            data = event.data
            if event.code is CampaignCode.STEP_PROGRESS:
                job.report_progress(data["doing"], data["share"] or 0.0)
            elif event.code is CampaignCode.RUN_BEGAN:
                job.report_progress(MEASURING, 0.0)
            elif event.code is CampaignCode.STEP_ENDED and data["run_id"]:
                record = _record_of(library, data["run_id"])
                post(lambda: self._live_run.end_followed(record))
            post(lambda: self.happened.emit(plan.name, event))

        return read_tree(library, carry_out(setting, journal, on_event=on_event))

    def _on_ticked(self) -> None:
        """The run of the campaign goes on."""
        run = self._live_run.data
        if self._job is None or run is None or not self._live_run.is_running:
            return
        progress = progress_of(run)
        self._job.report_progress(MEASURING, progress.share or 0.0)
        data = {"doing": MEASURING, "share": progress.share, "left_seconds": progress.left}
        now = datetime.now(UTC)
        self.happened.emit(self.name, CampaignEvent(at=now, code=CampaignCode.STEP_PROGRESS, data=data))

    def _on_ended(self, tree: CampaignTree) -> None:
        self._forget()
        self.ended.emit(tree)

    def _on_failed(self, error: BaseException) -> None:
        name = self.name
        self._forget()
        self.failed.emit(name, error)

    def _forget(self) -> None:
        self.name, self._stopping, self._job = "", None, None
        self._live_run.end_followed(None)
        self._live_run.reserve("")


class _LiveView:
    """Shows a run of the campaign on the Live page."""

    def __init__(self, live_run: LiveRun, conductor: "Conductor", post: Callable[[Callable[[], None]], None]) -> None:
        self._live_run, self._conductor, self._post = live_run, conductor, post
        self._inbox = Inbox()

    def sinks(self) -> "Sequence[Sink]":
        return (self._inbox, *self._live_run.elsewhere(self._conductor.plan, self._conductor.name))

    def shown(self) -> AbstractContextManager[object]:
        self._post(lambda: self._live_run.follow(self._conductor, self._inbox))
        return nullcontext()

    def refresh(self) -> None:
        """The Live page has a clock of its own."""


def check_servers(services: Services, plan: CampaignPlan, job: Job[Any], *, is_resumed: bool = False) -> None:
    """Look at everything that can be known to fail of a campaign, on the job's thread.

    Raises ``UserError`` that names the step, and ``Cancelled``.
    """
    from engine.conduct.campaign.checking import check_campaign

    check_campaign(
        plan,
        services.workbench.library(),
        services.workbench.targets(),
        notify=services.workbench.notify,
        report_progress=lambda progress: job.report_progress(progress.doing, progress.share),
        cancelled=job.cancelled,
        is_resumed=is_resumed,
    )


def _record_of(library: "Library", run_id: str) -> RunRecord | None:
    """The run as it was stored; ``None`` for one that the library does not have."""
    try:
        return library.run(run_id)
    except UserError:
        return None
