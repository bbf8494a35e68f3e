"""The bin in the window: its list, and the permanent removal of runs in the background."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.background import Job
from app.library import jobs as library_jobs
from app.services import Services
from engine.figure_text import counted
from widgets.library.bin_page import BinPage
from widgets.parts.message_bar import Severity

if TYPE_CHECKING:
    from engine.report.run_listing import BinListing


class LibraryBin(QObject):
    """``removed``: runs were removed permanently."""

    removed = Signal()

    def __init__(self, page: BinPage, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._page = page
        self._services = services
        page.remove_requested.connect(self._on_remove)

    def reload(self) -> None:
        """Read the list of deleted runs."""

        def done(runs: "tuple[BinListing, ...]") -> None:
            self._page.show_runs(runs)

        self._services.background.start(
            lambda _job: library_jobs.list_deleted(self._services.workbench.library()), done=done
        )

    def _on_remove(self, run_ids: list[str]) -> None:
        def work(job: Job[int]) -> int:
            return self._services.workbench.library().bin.empty(
                run_ids, on_progress=lambda share: job.report_progress("removing", share), cancelled=job.cancelled
            )

        def done(removed: int) -> None:
            self._services.messages.show(f"{counted(removed, 'deleted run')} removed for good.", Severity.SUCCESS)
            self.removed.emit()

        def cancelled() -> None:
            self._services.messages.show("Cancelled; the runs that were not removed yet are still in the bin.")
            self.removed.emit()

        name = f"removing {counted(len(run_ids), 'deleted run')} for good"
        self._services.long_work.start(name, work, done=done, cancelled=cancelled)
