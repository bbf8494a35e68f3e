"""Published results in the window: offered to comparisons; the user's own are added and removed."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.cli.input_text import read_utf8
from app.services import Services
from app.window.file_questions import Purpose
from engine.analysis.comparing.references import Reference, read_references
from widgets.library.compare_page import ComparePage
from widgets.library.references_dialog import ReferencesDialog
from widgets.parts.message_bar import Severity

if TYPE_CHECKING:
    from engine.library.own_references import References

_TABLES = "Tables (*.csv *.txt);;All files (*)"


class Referencing(QObject):
    """Keeps ``page`` and the open dialog up to date with the library's references."""

    def __init__(self, page: ComparePage, window: QWidget, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._page = page
        self._window = window
        self._dialog: ReferencesDialog | None = None
        page.references_requested.connect(self.manage)

    def reload(self) -> None:
        """Read the references again."""
        self._services.background.start(
            lambda _job: self._services.workbench.library().references.all(), done=self._show
        )

    def import_file(self, path: Path) -> None:
        """Import the references of a CSV table, all or none."""
        self._change(
            lambda references: references.add(read_references(read_utf8(path), path.name)),
            lambda added: f"{len(added)} published results added.",
        )

    def manage(self) -> None:
        """Show the published results in a dialog where others can be added."""
        dialog = ReferencesDialog(self._window)
        dialog.add_requested.connect(self._on_add)
        dialog.remove_requested.connect(self._on_remove)
        dialog.import_requested.connect(self._on_import)
        dialog.finished.connect(self._on_closed)
        self._dialog = dialog
        dialog.open()
        self.reload()

    def _show(self, references: list[Reference]) -> None:
        self._page.set_references(references)
        if self._dialog is not None:
            self._dialog.show_references(references)

    def _change(
        self, work: "Callable[[References], list[Reference]]", sentence: Callable[[list[Reference]], str]
    ) -> None:
        def done(changed: list[Reference]) -> None:
            self._services.messages.show(sentence(changed), Severity.SUCCESS)
            self.reload()

        self._services.background.start(lambda _job: work(self._services.workbench.library().references), done=done)

    def _on_closed(self) -> None:
        self._dialog = None

    def _on_add(self, reference: Reference) -> None:
        self._change(lambda references: references.add([reference]), lambda _: f"“{reference.name}” is added.")

    def _on_remove(self, name: str) -> None:
        self._change(lambda references: [references.remove(name)], lambda _: f"“{name}” is removed.")

    def _on_import(self) -> None:
        self._services.files.ask_open(
            "Import published results",
            _TABLES,
            lambda paths: self.import_file(paths[0]),
            purpose=Purpose.REFERENCES,
        )
