"""The audit of a stored run in the background: progress, verdict, and where they are shown."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.background import Job
from app.remedy_text import window_text
from app.services import Services
from app.workbench import WINDOW
from engine.audit.report import AuditReport, Verdict
from engine.errors import TargetError, UserError
from engine.figure_text import capitalised, spaced
from engine.report.audit_text import verdict_sentences
from widgets.parts.message_bar import Severity

if TYPE_CHECKING:
    from engine.conduct.run_leases import RunLeases
    from engine.databases.progress import Progress

_TONES = {
    Verdict.CLEAN: Severity.SUCCESS,
    Verdict.CUT_OFF: Severity.SUCCESS,
    Verdict.NOTHING: Severity.INFO,
    Verdict.LOST: Severity.ERROR,
}


class _Audited(NamedTuple):
    """What an audit found, and its verdict in a sentence of the run's workload."""

    report: AuditReport
    verdict: str


class Auditing(QObject):
    """Audits any number of runs at once. The signals carry the run's id; ``audited`` also the report.

    ``ended``: an audit failed or was cancelled, with a sentence why.
    """

    progressed = Signal(str, str, float)
    audited = Signal(str, object)
    ended = Signal(str, str)
    show_requested = Signal(str)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._jobs: dict[str, Job[_Audited]] = {}

    def start(self, run_id: str, name: str, *, beside: QWidget, leases: "RunLeases | None" = None) -> None:
        """Audit a run; an audit of it that is in progress continues.

        ``beside`` is the page's own progress display; ``leases`` are the run's, to be released afterwards.
        """
        if run_id in self._jobs:
            return
        self._jobs[run_id] = self._services.long_work.start(
            f"auditing {name}",
            lambda job: self._work(job, run_id, name, leases),
            done=partial(self._on_done, run_id, name, beside),
            failed=partial(self._on_failed, run_id, name),
            progressed=partial(self._on_progress, run_id),
            cancelled=partial(self._on_cancelled, run_id, name),
            beside=beside,
            sentence=_verdict_of,
        )
        self.progressed.emit(run_id, "Beginning", 0.0)

    def cancel(self, run_id: str) -> None:
        """Cancel a run's audit, if one is in progress; an earlier verdict stays."""
        job = self._jobs.get(run_id)
        if job is not None:
            job.cancel()

    def is_auditing(self, run_id: str) -> bool:
        return run_id in self._jobs

    def _work(self, job: "Job[_Audited]", run_id: str, name: str, leases: "RunLeases | None") -> _Audited:
        from engine.conduct.after_run import audit_after_run
        from engine.databases.lease import Claim

        def report_progress(progress: "Progress") -> None:
            job.report_progress(progress.doing, progress.share)

        workbench = self._services.workbench
        claim = Claim(purpose=f"audit of run '{name}'", program=WINDOW) if leases is None else None
        try:
            library, targets = workbench.library(), workbench.targets()
            report = audit_after_run(
                library,
                run_id,
                targets.resolve,
                timeouts=targets.timeouts,
                report_progress=report_progress,
                cancelled=job.cancelled,
                claim=claim,
                notify=workbench.notify,
            )
            return _Audited(report, spaced(verdict_sentences(report, library.run(run_id).plan)))
        finally:
            if leases is not None:
                leases.release()

    def _on_progress(self, run_id: str, doing: str, share: float) -> None:
        if run_id in self._jobs:
            self.progressed.emit(run_id, capitalised(doing), share)

    def _on_done(self, run_id: str, name: str, beside: QWidget, audited: _Audited) -> None:
        """Shown by the page that showed the progress; if it is hidden, by a message."""
        del self._jobs[run_id]
        report = audited.report
        if not beside.isVisible():
            tone = _TONES.get(report.worst_verdict, Severity.WARNING)
            show: Callable[[], None] = partial(self.show_requested.emit, run_id)
            self._services.messages.offer(f"{name}: {audited.verdict}", "Show the audit", show, tone)
        self.audited.emit(run_id, report)

    def _on_cancelled(self, run_id: str, name: str) -> None:
        del self._jobs[run_id]
        self._services.messages.show(f"The audit of {name} was cancelled; Audit now on the run's page repeats it.")
        self.ended.emit(run_id, "Cancelled.")

    def _on_failed(self, run_id: str, name: str, error: BaseException) -> None:
        del self._jobs[run_id]
        self._services.messages.show_error(error)
        if isinstance(error, UserError | TargetError):
            self.ended.emit(run_id, window_text(error))
        else:
            self.ended.emit(run_id, f"The audit of {name} failed with an internal error.")


def _verdict_of(audited: _Audited) -> str:
    return audited.verdict
