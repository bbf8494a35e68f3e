"""The Live place: connects the page with the running run."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.library.auditing import Auditing
from app.library.rescuing import Rescuing
from app.live.injecting import Injecting
from app.live.marking import Marking
from app.live.run import LiveRun
from app.services import Services
from engine.audit.report import AuditReport
from engine.errors import UserError
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord, RunState
from engine.report.audit_text import verdict_sentences
from engine.report.run_warnings import run_warnings
from widgets.live.live_page import LivePage
from widgets.parts.message_bar import Severity
from widgets.parts.status_area import StatusArea

if TYPE_CHECKING:
    from engine.library.rescue import Rescue

_TONES = {RunState.COMPLETED: Severity.SUCCESS, RunState.STOPPED: Severity.SUCCESS}
_START_TOPIC = "starting a run"


class LivePlace(QObject):
    """``kept`` carries the record of a run that is over; the other signals ask for a place, ``show_requested`` for this
    one."""

    kept = Signal(object)
    show_requested = Signal()
    new_run_requested = Signal()
    demo_requested = Signal()
    open_requested = Signal(str)
    new_run_from_plan_requested = Signal(object)

    def __init__(
        self,
        page: LivePage,
        live_run: LiveRun,
        services: Services,
        auditing: Auditing,
        status: StatusArea,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self.widget = page
        self._auditing = auditing
        self._audits = False
        self.injecting = Injecting(page, live_run, services, self)
        self.marking = Marking(page, live_run, services, status, self)
        self._rescuing = Rescuing(services, self)
        self._live_run = live_run
        self._record: RunRecord | None = None
        self._connect_page()
        self._connect_run()

    def start(self, plan: RunPlan, *, reset: bool, audit: bool) -> bool:
        """Start a run, unless one is in progress, which is reported; returns whether it was started.

        With ``audit``, every order is looked up when it is over.
        """
        try:
            self._live_run.start(plan, reset=reset, audit=audit)
        except UserError as error:
            self._services.messages.show_error(error, topic=_START_TOPIC)
            return False
        self._audits = audit
        self.widget.show_preparing("Checking the plan", None)
        return True

    def _connect_page(self) -> None:
        page = self.widget
        page.new_run_requested.connect(self.new_run_requested)
        page.demo_requested.connect(self.demo_requested)
        page.cancel_requested.connect(self._live_run.cancel)
        page.stop_requested.connect(self._on_stop)
        page.stop_now_requested.connect(self._on_stop_now)
        page.extend_requested.connect(self._on_extend)
        self.injecting.mark_due.connect(self.marking.set_mark)
        page.cancel_audit_requested.connect(self._auditing.cancel)
        page.open_in_library_requested.connect(self.open_requested)
        page.open_audit_requested.connect(self._auditing.show_requested)
        page.new_run_from_plan_requested.connect(self.new_run_from_plan_requested)

    def _connect_run(self) -> None:
        run = self._live_run
        run.preparing.connect(self.widget.show_preparing)
        run.began.connect(self._on_began)
        run.ticked.connect(self._on_ticked)
        run.ended.connect(self._on_ended)
        self.marking.stored_mark_changed.connect(self._show_warnings)
        self.widget.load_shown.connect(self._show_warnings)
        run.not_stored.connect(self._on_not_stored)
        self._rescuing.imported.connect(self._on_imported)
        run.unfinished.connect(self._services.messages.show_error)
        run.failed.connect(self._on_failed)
        run.cancelled.connect(self._on_cancelled)
        self._auditing.progressed.connect(self._on_audit_progressed)
        self._auditing.audited.connect(self._on_audited)
        self._auditing.ended.connect(self._on_audit_ended)

    def _on_began(self) -> None:
        assert self._live_run.loads is not None
        self._services.messages.drop(_START_TOPIC)
        self._audits = self._audits and not self._live_run.is_followed  # a campaign audits its runs
        self.widget.show_run(self._live_run.loads)

    def _on_ticked(self) -> None:
        run = self._live_run.run
        data = self._live_run.data
        if run is not None and data is not None and data.workstation is not None:
            self.widget.set_workstation(data.workstation, data.machine_loads)
        self.widget.refresh()

    def _on_ended(self, record: RunRecord) -> None:
        self._record = record
        self.widget.set_audit(record.audit)
        self._show_warnings()
        self._say_ended(record)
        self.kept.emit(record)
        if self._audits:
            leases = self._live_run.take_leases()
            self._auditing.start(record.run_id, record.name, beside=self.widget.ended.progress, leases=leases)

    def _show_warnings(self) -> None:
        """The warnings of the run that is over, with its present marks; of a mixed run those of the load that is
        shown."""
        shown = self.widget.run
        if self._record is not None and shown is not None and self._shows(self._record.run_id):
            record = self._record.of_load(self.widget.load_bar.currentIndex())
            self.widget.show_warnings(run_warnings(record, shown))

    def _say_ended(self, record: RunRecord) -> None:
        """The page itself says how a run ended, but not why one failed."""
        tone = _TONES.get(record.state, Severity.ERROR)
        text = record.failure or f"Run {record.name}: {record.state}; it is in the library."
        if not self.widget.isVisible():
            self._services.messages.offer(text, "Show", self.show_requested.emit, tone)
        elif record.failure:
            self._services.messages.show(text, tone)

    def _on_not_stored(self, record: RunRecord, rescue: "Rescue") -> None:
        """The page shows the whole run; its audit follows when the library has it."""
        self._record = record
        self._show_warnings()
        self.widget.set_stored(False)
        self._rescuing.offer(rescue)

    def _on_imported(self, record: RunRecord) -> None:
        if self._shows(record.run_id) and not self._live_run.is_busy:
            self.widget.set_stored(True)
            self.marking.edit_stored()
            self._on_ended(record)
        else:
            self.kept.emit(record)

    def _on_audit_progressed(self, run_id: str, doing: str, share: float) -> None:
        if self._shows(run_id):
            self.widget.ended.show_audit_progress(doing, share)

    def _on_audited(self, run_id: str, report: AuditReport) -> None:
        if self._record is not None and self._shows(run_id):
            self.widget.set_audit(report.to_dict())
            self.widget.ended.show_audit(report.worst_verdict, verdict_sentences(report, self._record.plan))

    def _on_audit_ended(self, run_id: str, sentence: str) -> None:
        if self._shows(run_id):
            self.widget.ended.show_audit_trouble(sentence)

    def _shows(self, run_id: str) -> bool:
        return self.widget.run is not None and self.widget.run.run_id == run_id

    def _on_failed(self, error: BaseException) -> None:
        self.widget.show_nothing()
        self._services.messages.show_error(error, topic=_START_TOPIC)

    def _on_cancelled(self) -> None:
        self.widget.show_nothing()
        self._services.messages.show("Cancelled before the run began.")

    def _on_stop(self) -> None:
        self._live_run.stop()

    def _on_stop_now(self) -> None:
        self._live_run.stop(now=True)

    def _on_extend(self, seconds: int) -> None:
        try:
            self._live_run.extend(seconds)
        except UserError as error:
            self._services.messages.show_error(error)
