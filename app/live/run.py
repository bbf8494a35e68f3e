"""The one object between a running run and the screens: it starts the run, drains its news on a timer, and tells.

Preparing and finishing wait, so they go through the background door; while the run goes on, nothing here waits.
"""

from contextlib import ExitStack
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.background import Background, Job
from app.live.inbox import Inbox
from app.remedy_text import window_text
from app.workbench import WINDOW, Workbench
from engine.analysis.run_data import RunData
from engine.errors import Cancelled, UserError
from engine.faults.fault_schedule import Armed
from engine.faults.planned import PlannedFault
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord

if TYPE_CHECKING:
    from engine.conduct.conductor import Conductor
    from engine.conduct.run_leases import RunLeases
    from engine.databases.database import Progress
    from engine.driver.run import Run

_DRAIN_MS = 200


class LiveRun(QObject):
    """At most one run at a time. ``data`` is the newest run's, also when that is over, until the next begins.

    ``failed`` tells why a run did not begin, ``unfinished`` why nothing more is known of one that is over. ``ended``
    tells that the library has the whole of it; ``not_stored`` that it has not, and where the run is instead.
    """

    preparing = Signal(str, float)
    began = Signal()
    ticked = Signal()
    ended = Signal(object)
    not_stored = Signal(object, object)
    failed = Signal(object)
    unfinished = Signal(object)
    cancelled = Signal()

    def __init__(self, workbench: Workbench, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.data: RunData | None = None
        self.plan: RunPlan | None = None
        self._workbench = workbench
        self._background = background
        self._inbox = Inbox()
        self._job: Job[Conductor] | None = None
        self._conductor: Conductor | None = None
        self._is_finishing = False
        self._keeps_leases = False
        self._leases: RunLeases | None = None
        self._shown_end = -1
        self._timer = QTimer(self, interval=_DRAIN_MS)
        self._timer.timeout.connect(self._drain)

    @property
    def is_preparing(self) -> bool:
        return self._job is not None

    @property
    def is_running(self) -> bool:
        """From the first client to the moment at which the library has the whole run."""
        return self._conductor is not None

    @property
    def is_busy(self) -> bool:
        return self.is_preparing or self.is_running

    @property
    def run(self) -> "Run | None":
        """The run that goes on; ``None`` before and after."""
        return None if self._conductor is None or self._is_finishing else self._conductor.run

    def start(self, plan: RunPlan, *, reset: bool, audit: bool = False) -> None:
        """Prepare a run and begin it; raises ``UserError`` while another one is going on.

        With ``audit``, its stores stay leased when it is over: ``take_leases`` hands them to the audit.
        """
        if self.is_busy:
            raise UserError("A run is in progress; stop it before you start another, or wait for its end.")
        self.plan = plan
        self._keeps_leases = audit
        self._inbox = Inbox()
        self._job = self._background.start(
            lambda job: self._prepare(job, plan, self._inbox, reset=reset),
            done=self._on_started,
            failed=self._on_failed,
            progressed=self.preparing.emit,
            cancelled=self._on_cancelled,
        )

    def take_leases(self) -> "RunLeases | None":
        """The leases of the stores of the run that has just ended, if they were kept: for whoever releases them."""
        leases, self._leases = self._leases, None
        return leases

    def cancel(self) -> None:
        """Give up preparing."""
        if self._job is not None:
            self._job.cancel()

    def stop(self, *, now: bool = False) -> None:
        """End the run: in order, or at once."""
        run = self.run
        if run is not None and now:
            run.stop_now()
        elif run is not None:
            run.stop()

    def extend(self, seconds: int) -> None:
        """Measure for so many seconds more; raises ``UserError`` when the run can't be extended any more."""
        if self.run is None:
            raise UserError("No run in progress to extend.")
        self.run.extend(seconds)

    def check_fault(self, fault: PlannedFault) -> None:
        """Raise ``UserError`` for what can be known to fail of a fault; it may wait, so for background work only."""
        conductor = self._conductor
        if conductor is None:
            raise UserError("No run in progress to inject into.")
        conductor.check_fault(fault)

    def fire(self, fault: PlannedFault) -> None:
        """Let a fault happen now; raises ``UserError`` when nothing is injected any more."""
        if self.run is None:
            raise UserError("No run in progress to inject into.")
        self.run.fire(fault)

    def armed(self) -> tuple[Armed, ...]:
        """The faults that are still to happen."""
        return () if self.run is None else self.run.armed()

    def abort_fault(self, number: int) -> bool:
        """Take back a fault that is still to happen; whether it was."""
        return self.run is not None and self.run.abort(number)

    def _prepare(self, job: "Job[Conductor]", plan: RunPlan, inbox: Inbox, *, reset: bool) -> "Conductor":
        """On a background thread: everything up to the start of the clients; the drivers are loaded there, too."""
        from engine.conduct.conductor import Conductor
        from engine.databases.database import Timeouts

        def report_progress(progress: "Progress") -> None:
            job.report_progress(progress.doing, progress.share)

        job.report_progress("opening the library", 0.0)
        library = self._workbench.library()
        job.report_progress("checking the targets", 0.0)
        conductor = Conductor(
            plan,
            library=library,
            targets=self._workbench.targets(),
            notify=self._workbench.say,
            warn=self._workbench.warn,
            timeouts=Timeouts(),
            program=WINDOW,
        )
        with ExitStack() as unless_started:
            unless_started.callback(conductor.close)
            if reset:
                conductor.reset_changed(report_progress=report_progress, cancelled=job.cancelled)
            conductor.prepare(report_progress=report_progress, cancelled=job.cancelled)
            for notice in conductor.notices():
                self._workbench.say(window_text(notice))
            if job.cancelled():
                raise Cancelled
            conductor.start([inbox])
            unless_started.pop_all()
        return conductor

    def _on_started(self, conductor: "Conductor") -> None:
        job, self._job = self._job, None
        self._conductor = conductor
        self._is_finishing = False
        self._shown_end = -1
        self.data = RunData(conductor.plan, run_id=conductor.run_id, name=conductor.name)
        self._timer.start()
        self.began.emit()
        if job is not None and job.cancelled():
            self.stop()  # it was cancelled after preparing had looked for the last time

    def _on_failed(self, error: BaseException) -> None:
        self._job = None
        self.failed.emit(error)

    def _on_cancelled(self) -> None:
        self._job = None
        self.cancelled.emit()

    def _drain(self) -> None:
        """Take in what has come; ``ticked`` once a second has become whole, or anything else has happened."""
        conductor, data = self._conductor, self.data
        if conductor is None or data is None:
            return
        is_over = conductor.run.wait(0)  # asked first: after its end nothing more comes
        happened = self._inbox.drain(data).beyond_samples
        if happened or data.end != self._shown_end:
            self._shown_end = data.end
            data.workstation = conductor.run.workstation or data.workstation  # after its end a run tells of none
            self.ticked.emit()
        if is_over:
            self._finish(conductor)

    def _finish(self, conductor: "Conductor") -> None:
        self._timer.stop()
        self._is_finishing = True
        keeps_leases = self._keeps_leases

        def work() -> RunRecord:
            record = conductor.finish(keeps_leases=keeps_leases)
            if conductor.rescue is not None:
                conductor.leases.release()  # an audit is possible only when the library has the run
            return record

        self._background.start(
            lambda _job: work(),
            done=lambda record: self._on_finished(record, conductor),
            failed=self._on_unfinished,
        )

    def _on_finished(self, record: RunRecord, conductor: "Conductor") -> None:
        assert self.data is not None
        self._leases = conductor.leases if conductor.rescue is None else None
        self._conductor = None
        self._inbox.drain(self.data)  # what was found of the stores when the run was over
        self.data.set_state(record.state, record.phases)
        self.data.totals = record.totals
        self.ticked.emit()
        if conductor.rescue is None:
            self.ended.emit(record)
        else:
            self.not_stored.emit(record, conductor.rescue)

    def _on_unfinished(self, error: BaseException) -> None:
        """The library would not take the end; what was measured is shown, and the next start settles the rest."""
        self._conductor = None
        self.unfinished.emit(error)
