"""Files that are dropped on the window: detected in the background, then opened according to their kind."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from app.background import Background
from app.window.dropped_files import DroppedFile, FileKind, look_at
from app.window.messages import WindowMessages
from widgets.parts.message_bar import Severity


class Dropping(QObject):
    """The signals carry paths of host figures and of files with runs, and a plan for the wizard with its file."""

    host_dropped = Signal(object)
    runs_dropped = Signal(list)
    plan_dropped = Signal(object, object)
    configuration_dropped = Signal(object)
    references_dropped = Signal(object)

    def __init__(self, background: Background, messages: WindowMessages, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = background
        self._messages = messages

    def take(self, paths: list[Path]) -> None:
        """Detect the files' kinds, and emit a signal for each kind."""
        self._background.start(lambda _job: [look_at(path) for path in paths], done=self._on_looked_at)

    def _on_looked_at(self, files: list[DroppedFile]) -> None:
        by_kind = {kind: [file for file in files if file.kind is kind] for kind in FileKind}
        if runs := [*by_kind[FileKind.DS2], *by_kind[FileKind.STORAGE], *by_kind[FileKind.LIBRARY]]:
            self.runs_dropped.emit([file.path for file in runs])
        for kind, offer in self._each().items():
            for file in by_kind[kind]:
                offer(file)
        if by_kind[FileKind.UNKNOWN]:
            self._messages.show(" ".join(file.problem for file in by_kind[FileKind.UNKNOWN]), Severity.WARNING)

    def _each(self) -> dict[FileKind, Callable[[DroppedFile], None]]:
        return {
            FileKind.HOST: lambda file: self.host_dropped.emit(file.path),
            FileKind.PLAN: lambda file: self.plan_dropped.emit(file.path, file.plan),
            FileKind.CONFIGURATION: lambda file: self.configuration_dropped.emit(file.path),
            FileKind.REFERENCES: lambda file: self.references_dropped.emit(file.path),
            FileKind.REPORT: self._on_report,
        }

    def _on_report(self, file: DroppedFile) -> None:
        self._messages.offer(
            f"Open this document with another program: {file.path.name}.",
            "Open",
            partial(_open_outside, file.path),
        )


def _open_outside(path: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
