"""Imports a file of host figures or of a meter: asks for its run, and shows the figures on that run's time axis."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.background import Job
from app.library import host_jobs
from app.library import jobs as library_jobs
from app.library.host_matching import likeliest_run
from app.library.jobs import Listed
from app.newest_job import NewestJob
from app.services import Services
from app.window.file_questions import Purpose
from engine.analysis.host.files import HostFile
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.run_data import RunData
from engine.errors import UserError
from engine.figure_text import capitalised
from widgets.library.host_import_dialog import HostImportDialog
from widgets.parts.look import Look
from widgets.parts.message_bar import Severity

_FILES = "Host figures (*.csv *.txt *.log);;All files (*)"
_Beside = tuple[RunData, HostFile]


class HostImporting(QObject):
    """``imported`` carries the id of the run with new measurements."""

    imported = Signal(str)

    def __init__(self, look: Look, window: QWidget, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._look = look
        self._window = window
        self._reading = NewestJob(services.background)

    def ask(self, run_id: str) -> None:
        """Ask for a file to import for a run."""
        self._services.files.ask_open(
            "Import host figures",
            _FILES,
            lambda paths: self.begin(paths[0], run_id),
            purpose=Purpose.HOST_FIGURES,
        )

    def begin(self, path: Path, run_id: str = "") -> None:
        """Ask which run a file belongs to; without ``run_id`` the run that it overlaps most is preselected."""

        def work(_job: Job[tuple[Listed, str]]) -> tuple[Listed, str]:
            library = self._services.workbench.library()
            listed = library_jobs.list_library(library)
            return listed, run_id or likeliest_run(library, path)

        self._services.background.start(work, done=lambda found: self._open_dialog(path, *found))

    def _open_dialog(self, path: Path, listed: Listed, run_id: str) -> None:
        if not listed.runs:
            self._services.messages.show(f"There is no run yet for the measurements in {path.name}.")
            return
        dialog = HostImportDialog(self._look, path.name, self._window)
        dialog.run_chosen.connect(lambda requested: self._read(dialog, path, requested))
        dialog.import_requested.connect(lambda *values: self._import(path, *values))
        dialog.finished.connect(self._reading.drop)
        dialog.open()
        dialog.offer_runs(listed.runs, run_id)

    def _read(self, dialog: HostImportDialog, path: Path, run_id: str) -> None:
        def work(job: Job[_Beside]) -> _Beside:
            library = self._services.workbench.library()
            record, run = library_jobs.open_run(
                library, run_id, on_progress=job.report_progress, cancelled=job.cancelled
            )
            return run, host_jobs.read_host_path(path, record)

        def failed(error: BaseException) -> None:
            dialog.show_trouble(run_id, _sentence(error))
            if not isinstance(error, UserError):
                self._services.messages.show_error(error)

        self._reading.start(work, done=lambda beside: dialog.show_file(*beside), failed=failed)

    def _import(self, path: Path, run_id: str, shift_seconds: float, note: str) -> None:
        def work(job: Job[HostMeasurement]) -> HostMeasurement:
            library = self._services.workbench.library()
            record = library.run(run_id)
            return host_jobs.import_host_file(
                library, record, path, shift_seconds=shift_seconds, note=note, cancelled=job.cancelled
            )[0]

        def done(kept: HostMeasurement) -> None:
            self._services.messages.show(f"Added to the run: {kept.file_name}.", Severity.SUCCESS)
            self.imported.emit(run_id)

        def cancelled() -> None:
            self._services.messages.show(f"Cancelled; nothing of {path.name} was imported.")

        self._services.long_work.start(f"importing {path.name}", work, done=done, cancelled=cancelled)


def _sentence(error: BaseException) -> str:
    return capitalised(str(error)) if isinstance(error, UserError) else "The file can't be read."
