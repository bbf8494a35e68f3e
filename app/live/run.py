"""The running run of the window: starts it, drains its inbox on a timer, and emits signals for the screens.

Preparing and finishing wait, so they run in the background; during the run nothing here waits.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.background import Background, Job
from app.live.inbox import Inbox
from app.remedy_text import window_text
from app.workbench import WINDOW, Workbench
from engine.analysis.loads_data import LoadsData
from engine.analysis.run_data import RunData
from engine.errors import Cancelled, UserError
from engine.faults.fault_schedule import Armed
from engine.faults.planned import PlannedFault
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord

if TYPE_CHECKING:
    from engine.conduct.conductor import Conductor
    from engine.conduct.run_leases import RunLeases
    from engine.databases.progress import Progress
    from engine.driver.run import Run
    from engine.driver.sinks import Sink

_DRAIN_MS = 200


class LiveRun(QObject):
    """At most one run at a time. ``loads`` has the data of the newest run, also after its end, until the next begins;
    ``data`` is that of its first load.

    ``is_followed``: the newest run is one of a campaign, which conducts it; see ``follow``. ``elsewhere`` makes further
    sinks for a run that begins, by its plan and name, on any thread.

    ``failed``: a run did not begin. ``ended``: the whole run is in the library. ``not_stored``: it is not, with the
    rescue that has it. ``unfinished``: the library failed at the end of the run, with the error.
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
        self.loads: LoadsData | None = None
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
        self._reserved_for = ""
        self.is_followed = False
        self.elsewhere: Callable[[RunPlan, str], Sequence[Sink]] = lambda _plan, _name: ()
        self._timer = QTimer(self, interval=_DRAIN_MS)
        self._timer.timeout.connect(self._drain)

    @property
    def data(self) -> RunData | None:
        return None if self.loads is None else self.loads.first

    @property
    def is_preparing(self) -> bool:
        return self._job is not None

    @property
    def is_running(self) -> bool:
        """From the start of the clients until the library has the whole run."""
        return self._conductor is not None

    @property
    def is_busy(self) -> bool:
        return self.is_preparing or self.is_running

    @property
    def run(self) -> "Run | None":
        """The running run; ``None`` before and after."""
        return None if self._conductor is None or self._is_finishing else self._conductor.run

    def start(self, plan: RunPlan, *, reset: bool, audit: bool = False) -> None:
        """Prepare and start a run; raises ``UserError`` while another one is in progress.

        With ``audit``, its stores stay leased when it is over: ``take_leases`` hands them to the audit.
        """
        self._check_free()
        self.plan, self.is_followed = plan, False
        self._keeps_leases = audit
        self._inbox = Inbox()
        self._job = self._background.start(
            lambda job: self._prepare(job, plan, self._inbox, reset=reset),
            done=self._on_started,
            failed=self._on_failed,
            progressed=self.preparing.emit,
            cancelled=self._on_cancelled,
        )

    def reserve(self, reason: str) -> None:
        """Refuse to start runs for this reason, such as a campaign in progress; an empty one allows them again.

        Raises ``UserError`` while a run is in progress.
        """
        if reason:
            self._check_free()
        self._reserved_for = reason

    def follow(self, conductor: "Conductor", inbox: Inbox) -> None:
        """Show the run of a campaign, whose samples and events arrive in ``inbox``; ``end_followed`` follows."""
        self.plan, self.is_followed = conductor.plan, True
        self._inbox = inbox
        self._on_started(conductor)

    def end_followed(self, record: RunRecord | None) -> None:
        """The run that is followed is over, and stored as ``record``; ``None`` where the library does not have it."""
        if not self.is_followed or self._conductor is None or self.loads is None:
            return
        self._timer.stop()
        self._conductor = None
        self._inbox.drain(self.loads)
        if record is not None:
            self.loads.set_state(record.state, record.phases)
            self.loads.set_totals(record.totals)
        self.ticked.emit()
        if record is not None:
            self.ended.emit(record)

    def _check_free(self) -> None:
        if self.is_busy:
            raise UserError("A run is in progress; stop it before you start another, or wait for its end.")
        if self._reserved_for:
            raise UserError(f"{self._reserved_for}; stop it before you start a run, or wait for its end.")

    def take_leases(self) -> "RunLeases | None":
        """The leases of the stores of the run that has just ended, if they were kept; the caller releases them."""
        leases, self._leases = self._leases, None
        return leases

    def cancel(self) -> None:
        """Cancel preparing."""
        if self._job is not None:
            self._job.cancel()

    def stop(self, *, now: bool = False) -> None:
        """Stop the run: in order, or at once."""
        run = self.run
        if run is not None and now:
            run.stop_now()
        elif run is not None:
            run.stop()

    def extend(self, seconds: int) -> None:
        """Extend measuring by ``seconds``; raises ``UserError`` when the run can't be extended any more."""
        if self.run is None:
            raise UserError("No run in progress to extend.")
        self.run.extend(seconds)

    def check_fault(self, fault: PlannedFault) -> None:
        """Raise ``UserError`` for everything that can be known to fail of a fault. May wait: for background work
        only."""
        conductor = self._conductor
        if conductor is None:
            raise UserError("No run in progress to inject into.")
        conductor.check_fault(fault)

    def fire(self, fault: PlannedFault) -> None:
        """Inject a fault now; raises ``UserError`` when nothing can be injected any more."""
        if self.run is None:
            raise UserError("No run in progress to inject into.")
        self.run.fire(fault)

    def armed(self) -> tuple[Armed, ...]:
        """The faults that have not happened yet."""
        return () if self.run is None else self.run.armed()

    def abort_fault(self, number: int) -> bool:
        """Abort a fault that has not happened yet; returns whether it was aborted."""
        return self.run is not None and self.run.abort(number)

    def _prepare(self, job: "Job[Conductor]", plan: RunPlan, inbox: Inbox, *, reset: bool) -> "Conductor":
        """Runs on a background thread: everything up to the start of the clients, including the import of the
        drivers."""
        from engine.conduct.conductor import Conductor

        def report_progress(progress: "Progress") -> None:
            job.report_progress(progress.doing, progress.share)

        job.report_progress("opening the library", 0.0)
        library = self._workbench.library()
        job.report_progress("checking the targets", 0.0)
        conductor = Conductor(
            plan,
            library=library,
            targets=self._workbench.targets(),
            notify=self._workbench.notify,
            warn=self._workbench.warn,
            program=WINDOW,
        )
        with ExitStack() as unless_started:
            unless_started.callback(conductor.close)
            if reset:
                conductor.reset_changed(report_progress=report_progress, cancelled=job.cancelled)
            conductor.prepare(report_progress=report_progress, cancelled=job.cancelled)
            for notice in conductor.notices():
                self._workbench.notify(window_text(notice))
            if job.cancelled():
                raise Cancelled
            conductor.start([inbox, *self.elsewhere(conductor.plan, conductor.name)])
            unless_started.pop_all()
        return conductor

    def _on_started(self, conductor: "Conductor") -> None:
        job, self._job = self._job, None
        self._conductor = conductor
        self._is_finishing = False
        self._shown_end = -1
        self.loads = LoadsData(conductor.plan, run_id=conductor.run_id, name=conductor.name)
        self._timer.start()
        self.began.emit()
        if job is not None and job.cancelled():
            self.stop()  # cancelled after preparing had polled for the last time

    def _on_failed(self, error: BaseException) -> None:
        self._job = None
        self.failed.emit(error)

    def _on_cancelled(self) -> None:
        self._job = None
        self.cancelled.emit()

    def _drain(self) -> None:
        """Process what has arrived; ``ticked`` is emitted when a second is complete or anything else happened."""
        conductor, loads = self._conductor, self.loads
        if conductor is None or loads is None:
            return
        is_over = conductor.run.wait(0)  # checked before draining: after the end nothing more arrives
        happened, end = self._inbox.drain(loads).beyond_samples, min(data.end for data in loads.loads)
        if happened or end != self._shown_end:
            self._shown_end = end
            self.ticked.emit()
        if is_over and self.is_followed:
            self._is_finishing = True  # the campaign finishes it
        elif is_over:
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
        assert self.loads is not None
        self._leases = conductor.leases if conductor.rescue is None else None
        self._conductor = None
        self._inbox.drain(self.loads)  # the events of the checks after the run
        self.loads.set_state(record.state, record.phases)
        self.loads.set_totals(record.totals)
        self.ticked.emit()
        if conductor.rescue is None:
            self.ended.emit(record)
        else:
            self.not_stored.emit(record, conductor.rescue)

    def _on_unfinished(self, error: BaseException) -> None:
        """The library could not store the end; what was measured is shown, and the next start settles the rest."""
        self._conductor = None
        self.unfinished.emit(error)
