"""A stored run on its page: opened with progress, response times loaded after it is shown, marks edited."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.background import Job
from app.library import jobs as library_jobs
from app.library.run_following import RunFollower
from app.live.mark_edits import MarkEdits, StoredMarks
from app.newest_job import NewestJob
from app.services import Services
from engine.analysis.latency.series import SecondTimes
from engine.analysis.recovery.judging import times_spans
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.recovery.times import BlockHistograms
from engine.analysis.run_data import RunData
from engine.errors import UserError
from engine.plan.mixed import titles_of
from engine.record.record import RunRecord
from widgets.library.run_page import RunPage
from widgets.parts.message_bar import Severity

Opened = list[tuple[RunRecord, RunData]]
"""A run, or each load of a mixed run."""


class StoredRun(QObject):
    """Opens one run at a time; leaving the page cancels opening. Of a mixed run one load is shown in detail."""

    opened = Signal()
    failed = Signal()
    changed = Signal()

    def __init__(self, page: RunPage, services: Services, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self.run_id = ""
        self._name = ""
        self._load = 0
        self._opened: Opened = []
        self._with_times: set[str] = set()
        self._page = page
        self._reading = NewestJob(services.background)
        self._reading_recovery_times = NewestJob(services.background)
        self._data: RunData | None = None
        self._follower = RunFollower(services, self)
        self._marks: MarkEdits | None = None
        self._follower.updated.connect(page.update_run)
        self._follower.reload_required.connect(self.reread)
        self._follower.deleted.connect(self._on_deleted)
        page.load_selected.connect(self._on_load_selected)
        page.mark_changed.connect(self._on_mark_changed)
        page.mark_removed.connect(self._on_mark_removed)
        page.view.undo_mark_requested.connect(self._on_undo)

    def open(self, run_id: str, name: str) -> None:
        """Read a run and show it."""
        self.leave()
        self.run_id, self._name = run_id, name
        self._page.loading.begin()
        self._page.show_loading(name, None)

        self._reading.start(
            self._work(run_id), done=self._on_opened, failed=self._on_failed, progressed=self._on_progress
        )

    def follow(self) -> None:
        """Update the displayed run from the library."""
        self._follower.follow()

    def reread(self) -> None:
        """Read the displayed run again; it stays displayed until that is done."""
        if self._data is not None:
            self._reading.start(
                self._work(self.run_id), done=self._on_opened, failed=self._services.messages.show_error
            )

    def judge(self, settings: RecoverySettings) -> None:
        """Judge the run's recoveries by these settings, with the response times that they need."""
        self._page.set_recovery_settings(settings)
        self._read_recovery_times()

    def leave(self) -> None:
        """Cancel whatever is being read."""
        self._reading.drop()
        self._reading_recovery_times.drop()
        self._follower.forget()
        self._data = self._marks = None
        self.run_id, self._load, self._opened = "", 0, []

    def _work(self, run_id: str) -> Callable[[Job[Opened]], Opened]:
        def work(job: Job[Opened]) -> Opened:
            library = self._services.workbench.library()
            run_ids = [load.run_id for load in library.run(run_id).loads]
            return [
                library_jobs.open_run(
                    library,
                    each,
                    on_progress=library_jobs.part_of(job.report_progress, number, len(run_ids)),
                    cancelled=job.cancelled,
                )
                for number, each in enumerate(run_ids)
            ]

        return work

    def _on_load_selected(self, load: int) -> None:
        """Show another load of the run, with the marks that it has by now; of a run that is not over yet, read it
        again, since the other loads are not followed."""
        self._load = load
        if self._opened and all(record.state.is_final for record, _ in self._opened):
            self._show()
            self._follower.follow()
        else:
            self.reread()

    def _on_deleted(self) -> None:
        self._services.messages.show(
            f"{self._name} was deleted by another program; it is among the deleted runs.", Severity.WARNING
        )

    def _on_progress(self, _doing: str, share: float) -> None:
        self._page.show_loading(self._name, share)

    def _on_failed(self, error: BaseException) -> None:
        self._services.messages.show_error(error)
        self.failed.emit()

    def _on_opened(self, opened: Opened) -> None:
        self._opened, self._with_times = opened, set()
        self._show()

    def _show(self) -> None:
        """Show the selected load of what was read."""
        opened = self._opened
        record, data = opened[min(self._load, len(opened) - 1)]
        loads, titles = [each for _, each in opened], titles_of([each.plan for _, each in opened])
        self._data, self._name = data, record.name or record.run_id
        self._follower.show(record, data)
        services = self._services
        keeper = StoredMarks(data, services.workbench, services.background, self._on_marks_kept, self._on_mark_refused)
        self._marks = MarkEdits(data, keeper, self)
        self._marks.undoable_changed.connect(self._page.view.set_undoable)
        self._page.view.set_undoable("")
        self._page.show_run(record, data, loads, titles)
        self.opened.emit()
        self._read_times(data)
        self._read_recovery_times()

    def _read_times(self, data: RunData) -> None:
        """Percentiles arrive in blocks, which are put into ``data`` on the main thread and drawn; once for a load."""
        self._reading.drop()
        if data.run_id in self._with_times:
            return

        def put(times: SecondTimes) -> None:
            if self._data is data:
                data.latency.put(times)
                self._page.refresh()

        def work(job: Job[None]) -> None:
            blocks = library_jobs.percentile_blocks(
                self._services.workbench.library(),
                data.run_id,
                on_progress=job.report_progress,
                cancelled=job.cancelled,
            )
            for times in blocks:
                self._services.background.post(lambda block=times: put(block))  # type: ignore[misc]

        self._reading.start(
            work, done=lambda _: self._with_times.add(data.run_id), failed=self._services.messages.show_error
        )

    def _read_recovery_times(self) -> None:
        """The response times around the run's faults, unless the settings change meanwhile."""
        data = self._data
        self._reading_recovery_times.drop()
        spans = set() if data is None else times_spans(data, self._page.view.recovery_settings)
        if data is None or not spans:
            return

        def work(job: Job[BlockHistograms]) -> BlockHistograms:
            return library_jobs.recovery_histograms(
                self._services.workbench.library(), data.run_id, spans, cancelled=job.cancelled
            )

        self._reading_recovery_times.start(
            work, done=self._page.set_histograms, failed=self._services.messages.show_error
        )

    def _on_marks_kept(self) -> None:
        self._page.refresh_events()
        self._read_recovery_times()
        self.changed.emit()

    def _on_mark_refused(self, error: BaseException) -> None:
        self._page.refresh_events()  # undo the drag or edit that was rejected
        self._services.messages.show_error(error)

    def _on_mark_changed(self, number: int, label: str | None, at_seconds: float | None) -> None:
        marks = self._marks
        if marks is not None:
            marks.change(number, label, at_seconds, lambda: self._offer_undo("Mark changed.", marks))

    def _on_mark_removed(self, number: int) -> None:
        marks = self._marks
        if marks is not None:
            marks.remove(number, lambda: self._offer_undo("Mark removed.", marks))

    def _offer_undo(self, text: str, marks: MarkEdits) -> None:
        """For the marks of this run, also when it is left meanwhile."""
        self._services.messages.offer(text, "Undo", lambda: self._undo(marks))

    def _on_undo(self) -> None:
        if self._marks is not None:
            self._undo(self._marks)

    def _undo(self, marks: MarkEdits) -> None:
        try:
            if marks.undo():  # in place of the message that still offers it
                self._services.messages.show("Undone: change of a mark.")
        except UserError as error:
            self._services.messages.show_error(error)
