"""Asking for files: the one place that opens the system's file dialog, never waiting in it."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget


class FileQuestions(QObject):
    """Asks over ``window``; ``then`` is called only when something was chosen."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._folder = ""

    def ask_save(self, title: str, suggested: str, kind: str, then: Callable[[Path], None]) -> None:
        """Ask for a file to write; ``kind`` is a filter such as ``JSON (*.json)``."""
        dialog = self._dialog(title, kind)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.setDefaultSuffix(Path(suggested).suffix.removeprefix("."))
        dialog.selectFile(suggested)
        dialog.fileSelected.connect(lambda chosen: then(Path(chosen)))
        dialog.open()

    def ask_open(self, title: str, kind: str, then: Callable[[list[Path]], None], *, several: bool = False) -> None:
        """Ask for a file to read, or for several."""
        dialog = self._dialog(title, kind)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles if several else QFileDialog.FileMode.ExistingFile)
        dialog.filesSelected.connect(lambda chosen: then([Path(each) for each in chosen]))
        dialog.open()

    def ask_folder(self, title: str, then: Callable[[Path], None]) -> None:
        """Ask for a folder to write several files into."""
        dialog = self._dialog(title, "")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda chosen: then(Path(chosen)))
        dialog.open()

    def _dialog(self, title: str, kind: str) -> QFileDialog:
        dialog = QFileDialog(self._window, title, self._folder, kind)
        dialog.directoryEntered.connect(self._on_folder)
        dialog.finished.connect(dialog.deleteLater)
        return dialog

    def _on_folder(self, folder: str) -> None:
        self._folder = folder
