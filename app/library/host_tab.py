"""The measurements of the open run's hosts: read after the run is shown, shifted and removed on request."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from app.background import Job
from app.library.stored_run import StoredRun
from app.services import Services
from engine.analysis.host.measurement import HostMeasurement
from widgets.library.host_tab import HostTab

if TYPE_CHECKING:
    from engine.library.host_files import HostMeasurements


class HostTabUpdater(QObject):
    """Keeps ``tab`` up to date with the library for the run of ``stored_run``."""

    def __init__(self, tab: HostTab, stored_run: StoredRun, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._tab = tab
        self._stored_run = stored_run
        stored_run.opened.connect(self.reload)
        tab.shift_requested.connect(self._on_shift)
        tab.remove_requested.connect(self._on_remove)

    def reload(self) -> None:
        """Read the measurements of the open run."""
        run_id = self._stored_run.run_id
        self._do(run_id, lambda host: host.of_run(run_id), lambda found: self._show(run_id, found))

    def _show(self, run_id: str, measurements: list[HostMeasurement]) -> None:
        if run_id == self._stored_run.run_id:
            self._tab.show_measurements(measurements)

    def _do(self, run_id: str, work: "Callable[[HostMeasurements], Any]", done: Callable[[Any], None]) -> None:
        if run_id:
            self._services.background.start(lambda _job: work(self._services.workbench.library().host), done=done)

    def _on_shift(self, run_id: str, number: int, seconds: float) -> None:
        self._do(run_id, lambda host: host.shift(run_id, number, seconds), _nothing)

    def _on_remove(self, run_id: str, number: int) -> None:
        def removed(deleted: HostMeasurement) -> None:
            self.reload()
            self._services.messages.offer(
                f"{deleted.file_name} is removed from the run.", "Undo", lambda: self._restore(run_id, deleted)
            )

        self._do(run_id, lambda host: host.remove(run_id, number), removed)

    def _restore(self, run_id: str, deleted: HostMeasurement) -> None:
        def work(_job: Job[HostMeasurement]) -> HostMeasurement:
            return self._services.workbench.library().host.add(
                run_id,
                deleted.series,
                kind=deleted.kind,
                file_name=deleted.file_name,
                shift_seconds=deleted.shift_seconds,
                note=deleted.note,
                collector=deleted.collector,
            )

        self._services.background.start(work, done=lambda _: self.reload())


def _nothing(_result: object) -> None:
    """A stored shift is drawn already."""
