"""The preview below the library's table: the current run, read in the background and kept up to date."""

from PySide6.QtCore import QObject

from app.background import Job
from app.library import jobs as library_jobs
from app.library.run_following import RunFollower
from app.newest_job import NewestJob
from app.services import Services
from engine.analysis.run_data import RunData
from engine.errors import RunNotFound
from engine.record.record import RunRecord
from widgets.library.library_page import LibraryPage

_Opened = tuple[RunRecord, RunData]


class Previewing(QObject):
    """Fills the preview of ``page``; ``follow`` updates it."""

    def __init__(self, page: LibraryPage, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._page = page
        self._services = services
        self._run_id = ""
        self._reading = NewestJob(services.background)
        self._follower = RunFollower(services, self)
        page.preview_requested.connect(self.read)
        self._follower.updated.connect(self._on_updated)
        self._follower.reload_required.connect(self.reread)

    def read(self, run_id: str) -> None:
        """Read a run and show it."""
        self._run_id = run_id
        self._follower.forget()
        self._read()

    def follow(self) -> None:
        """Update the displayed run from the library."""
        self._follower.follow()

    def reread(self) -> None:
        """Read the displayed run again."""
        if self._run_id:
            self._read()

    def _read(self) -> None:
        run_id = self._run_id

        def work(job: Job[_Opened]) -> _Opened:
            library = self._services.workbench.library()
            return library_jobs.open_run(library, run_id, on_progress=job.report_progress, cancelled=job.cancelled)

        def done(opened: _Opened) -> None:
            self._follower.show(*opened)
            self._page.show_preview(run_id, opened[1])

        def failed(error: BaseException) -> None:
            self._page.show_preview(run_id, None)
            if not isinstance(error, RunNotFound):  # it was deleted since; the list of runs will say so
                self._services.messages.show_error(error)

        self._reading.start(work, done=done, failed=failed)

    def _on_updated(self, _record: RunRecord) -> None:
        self._page.show_preview(self._run_id, self._follower.data)
