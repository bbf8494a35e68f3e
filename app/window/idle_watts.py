"""Connects the dialog of idle watts with the inventory, the meters, and the library's configurations."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.background import Job
from app.remedy_text import window_text
from app.services import Services
from engine.analysis.host.idle_watts import IdleWatts, idle_sentence, with_idle_watts
from engine.databases.progress import Progress
from engine.errors import BadInput, UserError
from engine.figure_text import capitalised
from engine.machines.inventory import Inventory, read_inventory
from engine.machines.machine import Machine
from widgets.machines.idle_watts_dialog import IdleWattsDialog
from widgets.parts.look import Look


@dataclass(frozen=True)
class _Offered:
    """What the dialog offers: the inventory, why a machine can't be measured, and the names of configurations."""

    inventory: Inventory
    problems: Mapping[str, str]
    configurations: tuple[str, ...]


class IdleWattsMeasuring(QObject):
    """Created once; ``show`` opens the dialog over ``window``."""

    def __init__(self, look: Look, services: Services, window: QWidget) -> None:
        super().__init__(window)
        self._look = look
        self._services = services
        self._window = window
        self._inventory = Inventory()
        self._job: Job[tuple[IdleWatts, ...]] | None = None
        self.dialog: IdleWattsDialog | None = None

    def show(self) -> None:
        """Read what can be measured, and open the dialog."""
        if self.dialog is not None:
            self.dialog.raise_()
            return
        workbench = self._services.workbench

        def work(_job: Job[_Offered]) -> _Offered:
            inventory = read_inventory(workbench.places.machines)
            problems = {each.name: _problem(each) for each in inventory.machines}
            names = tuple(each.name for each in workbench.library().configurations.all())
            return _Offered(inventory, problems, names)

        self._services.background.start(work, done=self._open)

    def _open(self, offered: _Offered) -> None:
        if self.dialog is not None:
            return
        self._inventory = offered.inventory
        self.dialog = dialog = IdleWattsDialog(self._look, offered.problems, offered.configurations, self._window)
        dialog.measure_requested.connect(self._on_measure)
        dialog.cancel_requested.connect(self._on_cancel)
        dialog.save_requested.connect(self._on_save)
        dialog.finished.connect(self._on_closed)
        dialog.show()

    def _on_closed(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None

    def _on_measure(self, names: list[str], seconds: float) -> None:
        machines = [self._inventory.machine(name) for name in names]
        find_secret = self._services.workbench.targets().secret

        def work(job: Job[tuple[IdleWatts, ...]]) -> tuple[IdleWatts, ...]:
            from engine.conduct.idle_watts import measure_idle_watts

            def report(progress: Progress) -> None:
                job.report_progress(progress.doing, progress.share)

            return measure_idle_watts(machines, find_secret, seconds, report_progress=report, cancelled=job.cancelled)

        self._job = self._services.long_work.start(
            "measuring idle watts",
            work,
            done=self._on_measured,
            cancelled=self._on_cancelled,
            failed=self._on_failed,
            progressed=self._on_progress,
            beside=self.dialog,
            sentence=idle_sentence,
        )

    def _on_progress(self, doing: str, share: float) -> None:
        if self.dialog is not None:
            self.dialog.show_progress(doing, share)

    def _on_measured(self, measured: tuple[IdleWatts, ...]) -> None:
        if self.dialog is not None:
            self.dialog.show_measured(measured)

    def _on_cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def _on_cancelled(self) -> None:
        if self.dialog is not None:
            self.dialog.show_cancelled()

    def _on_failed(self, error: BaseException) -> None:
        if self.dialog is not None and isinstance(error, UserError):
            self.dialog.show_result(capitalised(window_text(error)), ok=False)
        else:
            self._services.messages.show_error(error)

    def _on_save(self, measured: tuple[IdleWatts, ...], name: str) -> None:
        library = self._services.workbench.library()

        def work(_job: Job[str]) -> str:
            found = library.configurations.get(name)
            library.configurations.save(replace(found, watts=with_idle_watts(found.watts, measured)))
            return f"Saved as the idle watts of configuration '{name}'."

        def saved(sentence: str) -> None:
            if self.dialog is not None:
                self.dialog.show_result(sentence, ok=True)

        self._services.background.start(work, done=saved, failed=self._on_failed)


def _problem(machine: Machine) -> str:
    """Why a machine's watts can't be read; empty if they can."""
    from engine.conduct.idle_watts import meters_of

    try:
        meters_of(machine)
    except BadInput as error:
        return str(error)
    return ""
