"""Live: the page of the run that goes on, its wishes brought to the run, and what becomes of it brought to the page."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.auditing import Auditing
from app.doors import Doors
from app.injecting import Injecting
from app.live_run import LiveRun
from app.mark_edits import KeptMarks, MarkEdits, RunMarks
from engine.audit.report import AuditReport
from engine.errors import UserError
from engine.plan import RunPlan
from engine.record import RunRecord, RunState
from widgets.live.live_page import LivePage
from widgets.live.mark_kinds import MarkKind
from widgets.parts.message_bar import Tone

if TYPE_CHECKING:
    from engine.driver.run import Run

_TONES = {RunState.COMPLETED: Tone.GOOD, RunState.STOPPED: Tone.GOOD}


class LivePlace(QObject):
    """``kept`` tells of the run; the other signals are wishes that lead to another place."""

    kept = Signal(object)
    new_run_wished = Signal()
    demo_wished = Signal()
    open_wished = Signal(str)
    plan_wished = Signal(object)

    def __init__(
        self, page: LivePage, live_run: LiveRun, doors: Doors, auditing: Auditing, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._doors = doors
        self.widget = page
        self._auditing = auditing
        self._audits = False
        self.injecting = Injecting(page, live_run, doors, self)
        self._live_run = live_run
        self._marks: MarkEdits | None = None
        self._connect_page()
        self._connect_run()

    def start(self, plan: RunPlan, *, reset: bool, audit: bool) -> bool:
        """Begin a run, unless one goes on: that is said, and nothing else happens. Whether it was begun.

        With ``audit``, every order is looked up when it is over.
        """
        try:
            self._live_run.start(plan, reset=reset)
        except UserError as error:
            self._doors.problems.explain(error)
            return False
        self._audits = audit
        self.widget.show_preparing("Checking the plan", None)
        return True

    def _connect_page(self) -> None:
        page = self.widget
        page.new_run_wished.connect(self.new_run_wished)
        page.demo_wished.connect(self.demo_wished)
        page.cancel_wished.connect(self._live_run.cancel)
        page.stop_wished.connect(self._on_stop)
        page.stop_now_wished.connect(self._on_stop_now)
        page.extend_wished.connect(self._on_extend)
        page.mark_wished.connect(self._on_mark)
        self.injecting.pulled.connect(self._on_mark)
        page.mark_changed.connect(self._on_mark_changed)
        page.mark_removed.connect(self._on_mark_removed)
        page.undo_mark_wished.connect(self._on_undo_mark)
        page.cancel_audit_wished.connect(self._auditing.cancel)
        page.open_in_library_wished.connect(self.open_wished)
        page.new_run_from_plan_wished.connect(self.plan_wished)

    def _connect_run(self) -> None:
        run = self._live_run
        run.preparing.connect(self.widget.show_preparing)
        run.began.connect(self._on_began)
        run.ticked.connect(self._on_ticked)
        run.ended.connect(self._on_ended)
        run.unfinished.connect(self._doors.problems.explain)
        run.failed.connect(self._on_failed)
        run.cancelled.connect(self._on_cancelled)
        self._auditing.progressed.connect(self._on_audit_progressed)
        self._auditing.audited.connect(self._on_audited)
        self._auditing.ended.connect(self._on_audit_ended)

    def _on_began(self) -> None:
        data, run = self._live_run.data, self._live_run.run
        assert data is not None
        assert run is not None
        self._edit_marks(MarkEdits(data, RunMarks(run), self))
        self.widget.show_run(data)

    def _on_ticked(self) -> None:
        run = self._live_run.run
        load = None if run is None else run.workstation
        if load is not None:
            self.widget.set_workstation(load)
        self.widget.refresh()

    def _on_ended(self, record: RunRecord) -> None:
        data = self._live_run.data
        assert data is not None
        self._edit_marks(
            MarkEdits(
                data,
                KeptMarks(
                    data, self._doors.workbench, self._doors.background, self._on_marks_kept, self._explain_in_vain
                ),
                self,
            )
        )
        tone = _TONES.get(record.state, Tone.TROUBLE)
        self.widget.view.set_audit(record.audit)
        self._doors.problems.say(record.failure or f"Run {record.name}: {record.state}; it is in the library.", tone)
        self.kept.emit(record)
        if self._audits:
            self._auditing.start(record.run_id, record.name)

    def _on_audit_progressed(self, run_id: str, doing: str, share: float) -> None:
        if self._shows(run_id):
            self.widget.ended.show_audit_progress(doing, share)

    def _on_audited(self, run_id: str, report: AuditReport) -> None:
        if self._shows(run_id):
            self.widget.view.set_audit(report.to_dict())
            self.widget.ended.show_audit(report)

    def _on_audit_ended(self, run_id: str, sentence: str) -> None:
        if self._shows(run_id):
            self.widget.ended.show_audit_trouble(sentence)

    def _shows(self, run_id: str) -> bool:
        return self.widget.run is not None and self.widget.run.run_id == run_id

    def _on_marks_kept(self) -> None:
        self.widget.refresh()

    def _on_failed(self, error: BaseException) -> None:
        self.widget.show_nothing()
        self._doors.problems.explain(error)

    def _on_cancelled(self) -> None:
        self.widget.show_nothing()
        self._doors.problems.say("Cancelled before the run began.")

    def _on_stop(self) -> None:
        self._live_run.stop()

    def _on_stop_now(self) -> None:
        self._live_run.stop(now=True)

    def _on_extend(self, seconds: int) -> None:
        self._attempt(lambda: self._live_run.extend(seconds))

    def _edit_marks(self, marks: MarkEdits) -> None:
        self._marks = marks
        marks.undoable_changed.connect(self.widget.set_undoable)
        self.widget.set_undoable("")

    def _on_mark(self, label: str, at_monotonic: float, kind: MarkKind) -> None:
        run, marks = self._live_run.run, self._marks
        if run is None or marks is None:
            self._doors.problems.say("No run in progress to mark.", Tone.WARNING)
            return
        self._attempt(lambda: marks.added(_add_mark(run, label, at_monotonic, kind), label))

    def _on_mark_changed(self, number: int, label: str | None, at_seconds: float | None) -> None:
        self._on_marks(lambda marks: marks.change(number, label, at_seconds))

    def _on_mark_removed(self, number: int) -> None:
        self._on_marks(lambda marks: marks.remove(number))

    def _on_undo_mark(self) -> None:
        self._on_marks(lambda marks: marks.undo())

    def _on_marks(self, do: Callable[[MarkEdits], Any]) -> None:
        marks = self._marks
        if marks is not None:
            self._attempt(lambda: do(marks))

    def _attempt(self, do: Callable[[], Any]) -> None:
        try:
            do()
        except UserError as error:
            self._explain_in_vain(error)

    def _explain_in_vain(self, error: BaseException) -> None:
        self._doors.problems.explain(error)
        self.widget.refresh()  # what was dragged or renamed in vain stands where it was


def _add_mark(run: "Run", label: str, at_monotonic: float, kind: MarkKind) -> int:
    if kind.ends_fault:
        return run.end_fault(label, at_monotonic=at_monotonic, by_hand=True)
    return run.add_mark(label, at_monotonic=at_monotonic, is_fault=kind.is_fault)
