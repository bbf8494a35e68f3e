"""A comparison on its page: the runs read with progress, published results offered beside them."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from app import library_jobs
from app.background import Job
from app.doors import Doors
from engine.analysis.run_data import RunData
from engine.record import RunRecord
from widgets.library.compare_page import ComparePage

_Opened = list[tuple[RunRecord, RunData]]


class Comparing(QObject):
    """``left`` tells that nothing is compared any more: somebody went back, or the runs can't be read."""

    left = Signal()

    def __init__(self, page: ComparePage, doors: Doors, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._doors = doors
        self._page = page
        self._job: Job[Any] | None = None
        page.back_wished.connect(self._on_left)
        page.cancel_wished.connect(self._on_left)

    def begin(self, run_ids: Sequence[str]) -> None:
        """Read these runs and show them, the first as the baseline."""
        self._page.loading.begin()
        self._page.show_loading("", None)

        def work(job: Job[_Opened]) -> _Opened:
            library = self._doors.workbench.library()
            return library_jobs.open_runs(library, run_ids, tell=job.tell, cancelled=job.cancelled)

        self._job = self._doors.background.start(
            work, done=self._page.show_runs, failed=self._on_failed, progressed=self._page.show_loading
        )

    def _on_failed(self, error: BaseException) -> None:
        self.left.emit()
        self._doors.problems.explain(error)

    def _on_left(self) -> None:
        if self._job is not None:
            self._job.cancel()
        self.left.emit()
