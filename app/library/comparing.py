"""Reads runs for the comparison page, with progress, and offers published results beside them."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from app.background import Job
from app.library import jobs as library_jobs
from app.newest_job import NewestJob
from app.services import Services
from engine.analysis.headline import check_same_workload, headline_of
from engine.analysis.host.power import PowerFigures
from engine.analysis.run_data import RunData
from engine.record.record import RunRecord
from widgets.library.compare_page import ComparePage

_Opened = tuple[list[tuple[RunRecord, RunData]], dict[str, list[RunRecord]], list[PowerFigures]]


class Comparing(QObject):
    """``left``: the page is to be left, because the user goes back or the runs can't be read."""

    left = Signal()

    def __init__(self, page: ComparePage, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._page = page
        self._reading = NewestJob(services.background)
        page.back_requested.connect(self.left)
        page.cancel_requested.connect(self.left)

    def begin(self, run_ids: Sequence[str]) -> None:
        """Read these runs and show them, the first as the baseline."""
        self._page.loading.begin()
        self._page.show_loading("", None)

        def work(job: Job[_Opened]) -> _Opened:
            library = self._services.workbench.library()
            plans = [library.run(run_id).plan for run_id in run_ids]
            check_same_workload(headline_of(plan.workload).workload for plan in plans)
            opened = library_jobs.open_runs(library, run_ids, on_progress=job.report_progress, cancelled=job.cancelled)
            names = {record.run_set for record, _ in opened if record.run_set}
            sets = {name: library.sets.records(name) for name in names}
            return opened, sets, [library_jobs.power_of(library, record, run) for record, run in opened]

        self._reading.start(
            work,
            done=lambda opened: self._page.show_runs(*opened),
            failed=self._on_failed,
            progressed=self._page.show_loading,
        )

    def leave(self) -> None:
        """Cancel reading, if it is in progress."""
        self._reading.drop()

    def _on_failed(self, error: BaseException) -> None:
        self.left.emit()
        self._services.messages.show_error(error)
