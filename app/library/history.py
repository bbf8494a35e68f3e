"""The history of the open run's plan: read when its tab is looked at."""

from PySide6.QtCore import QObject

from app.background import Job
from app.library.stored_run import StoredRun
from app.newest_job import NewestJob
from app.services import Services
from engine.analysis.verdicts.history import History, history_of
from engine.record.record import RunState, split_reference
from widgets.library.history_tab import HistoryTab


class HistoryUpdater(QObject):
    """Reads the history that ``tab`` asks for, for the run of ``stored_run``."""

    def __init__(
        self, tab: HistoryTab, stored_run: StoredRun, services: Services, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._tab = tab
        self._stored_run = stored_run
        self._reading = NewestJob(services.background)
        tab.history_requested.connect(self._on_request)

    def _on_request(self, run_id: str, figure: str) -> None:
        def work(_job: Job[History]) -> History:
            library = self._services.workbench.library()
            return history_of(library.run(run_id), library.runs(states=(RunState.COMPLETED,)), figure)

        def show(history: History) -> None:
            if split_reference(run_id)[0] == self._stored_run.run_id:
                self._tab.show_history(history)

        self._reading.start(work, done=show, failed=self._services.messages.show_error)
