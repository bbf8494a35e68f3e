"""File dialogs: the one place that opens the system's dialog, without blocking."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget


class Purpose(StrEnum):
    """What files are asked for; each has its own last folder, in which the next dialog begins."""

    PLANS = "plans"
    CAMPAIGNS = "campaigns"
    EXPORTS = "exports"
    REPORTS = "reports"
    LOGOS = "logos"
    DS2_OUTPUT = "ds2 output"
    HOST_FIGURES = "host figures"
    REFERENCES = "published results"
    BILLS = "bills of materials"
    RESCUED_RUNS = "rescued runs"
    SETTINGS = "settings"


_EXPORTS = (Purpose.EXPORTS, Purpose.REPORTS)


class FileQuestions(QObject):
    """Opens dialogs over ``window``; ``then`` is called only when a file was chosen.

    ``folders`` is the last folder of each purpose, to be stored and given to ``remember``; ``changed`` is emitted when
    it changes.
    """

    changed = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.folders: dict[str, str] = {}
        self._exports = ""

    def begin_exports_in(self, folder: str) -> None:
        """Let dialogs for exports and reports begin in this folder; empty: in that of the last one."""
        self._exports = folder

    def remember(self, folders: Mapping[str, str]) -> None:
        """Use these folders, as far as they still exist."""
        self.folders = dict(folders)

    def ask_save(
        self, title: str, suggested: str, kind: str, then: Callable[[Path], None], *, purpose: Purpose
    ) -> None:
        """Ask for a file to write; ``kind`` is a filter such as ``JSON (*.json)``."""
        dialog = self._dialog(title, kind, purpose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.setDefaultSuffix(Path(suggested).suffix.removeprefix("."))
        dialog.selectFile(suggested)

        def chosen(path: str) -> None:
            self._keep(purpose, Path(path).parent)
            then(Path(path))

        dialog.fileSelected.connect(chosen)
        dialog.open()

    def ask_open(
        self, title: str, kind: str, then: Callable[[list[Path]], None], *, purpose: Purpose, several: bool = False
    ) -> None:
        """Ask for a file to read, or for several."""
        dialog = self._dialog(title, kind, purpose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles if several else QFileDialog.FileMode.ExistingFile)

        def chosen(paths: list[str]) -> None:
            self._keep(purpose, Path(paths[0]).parent)
            then([Path(each) for each in paths])

        dialog.filesSelected.connect(chosen)
        dialog.open()

    def ask_folder(self, title: str, then: Callable[[Path], None], *, purpose: Purpose) -> None:
        """Ask for a folder to write several files into."""
        dialog = self._dialog(title, "", purpose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)

        def chosen(path: str) -> None:
            self._keep(purpose, Path(path))
            then(Path(path))

        dialog.fileSelected.connect(chosen)
        dialog.open()

    def _dialog(self, title: str, kind: str, purpose: Purpose) -> QFileDialog:
        begin = (self._exports if purpose in _EXPORTS else "") or self.folders.get(purpose, "")
        dialog = QFileDialog(self._window, title, begin, kind)
        dialog.finished.connect(dialog.deleteLater)
        return dialog

    def _keep(self, purpose: Purpose, folder: Path) -> None:
        if self.folders.get(purpose) != str(folder):
            self.folders[purpose.value] = str(folder)
            self.changed.emit()
