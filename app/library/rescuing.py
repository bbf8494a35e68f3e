"""A run that the library had no room for: shown in the window until it is imported, or saved to a file."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.services import Services
from app.window.file_questions import Purpose
from engine.errors import UserError
from engine.record.record import RunRecord
from widgets.parts.message_bar import Severity

if TYPE_CHECKING:
    from engine.library.rescue import Rescue

_LIBRARY_FILES = "Spindle library (*.sqlite)"


class Rescuing(QObject):
    """``imported`` carries the record of a run that is in the library after all."""

    imported = Signal(object)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services

    def offer(self, rescue: "Rescue") -> None:
        """Report where the run is, and offer what can be done; called again when that failed."""
        if rescue.path is None:
            self._offer(rescue, rescue.sentence(), "Save it…", self._on_save, Severity.ERROR)
        else:
            self._offer_import(rescue, rescue.sentence())

    def _offer_import(self, rescue: "Rescue", text: str) -> None:
        self._offer(rescue, text, "Import it now", self._on_import, Severity.WARNING)

    def _offer(
        self, rescue: "Rescue", text: str, action: str, act: Callable[["Rescue"], None], severity: Severity
    ) -> None:
        """Replaces the previous message about the same run."""
        self._services.messages.offer(text, action, partial(act, rescue), severity, topic=_topic(rescue.run_id))

    def _on_import(self, rescue: "Rescue") -> None:
        def work() -> RunRecord:
            library = self._services.workbench.library()
            rescue.import_into(library)
            return library.run(rescue.run_id)

        self._services.background.start(
            lambda _job: work(), done=self._on_imported, failed=lambda error: self._on_failed(rescue, error)
        )

    def _on_imported(self, record: RunRecord) -> None:
        self._services.messages.show(
            f"Run {record.name} is in the library now.", Severity.SUCCESS, topic=_topic(record.run_id)
        )
        self.imported.emit(record)

    def _on_failed(self, rescue: "Rescue", error: BaseException) -> None:
        if isinstance(error, UserError):
            self._offer_import(rescue, f"Run {rescue.run_id} could not be imported: {error}")
        else:
            self._services.messages.show_error(error)

    def _on_save(self, rescue: "Rescue") -> None:
        self.offer(rescue)  # the offer stays until the file is written
        self._services.files.ask_save(
            "Save the run",
            f"{rescue.run_id}.sqlite",
            _LIBRARY_FILES,
            lambda path: self._save(rescue, path),
            purpose=Purpose.RESCUED_RUNS,
        )

    def _save(self, rescue: "Rescue", path: Path) -> None:
        self._services.background.start(
            lambda _job: rescue.save(path),
            done=lambda _: self._offer_import(
                rescue, f"Run {rescue.run_id} is kept in {path}; drop that file on the window to import it later."
            ),
            name=f"saving run {rescue.run_id}",
        )


def _topic(run_id: str) -> str:
    return f"rescue of {run_id}"
