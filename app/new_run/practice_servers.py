"""Connects the dialog of the practice servers with the embedded server: its state is read once a second.

Everything that waits runs in the background; nothing is read while the dialog is hidden.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.cli.problems import without_passwords
from app.new_run.lab_text import lab_view
from app.remedy_text import window_text
from app.services import Services
from engine.draft.lab_choices import lab_choice
from engine.errors import TargetError, UserError
from engine.faults.lab_actions import LabAction
from engine.figure_text import capitalised
from engine.lab.logs import LogPiece, log_path, read_end, read_more
from engine.lab.server import lab_do, lab_keep, lab_status, lab_stop
from engine.lab.shapes import LabShape
from engine.lab.status import LabStatus
from engine.target.target import MANUAL
from widgets.lab.servers_dialog import PracticeServersDialog
from widgets.parts.look import Look

_LOOK_MS = 1_000
_LOG_LINES = 500
_STOP_SECONDS = 60.0


@dataclass(frozen=True)
class _State:
    """The status, and the log's lines, with whether they replace the displayed ones."""

    status: LabStatus
    log_number: int
    piece: LogPiece
    is_whole: bool


class PracticeServers(QObject):
    """Created once; ``show`` opens the dialog over ``window``."""

    def __init__(self, look: Look, services: Services, window: QWidget) -> None:
        super().__init__(window)
        self._services = services
        self._window = window
        self._look = look
        self._dialog: PracticeServersDialog | None = None
        self._is_looking = False
        self._log: tuple[int, int] | None = None  # the log's number and the position up to which it is shown
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self._refresh)

    @property
    def dialog(self) -> PracticeServersDialog:
        """The dialog, created when it is first shown."""
        if self._dialog is None:
            self._dialog = dialog = PracticeServersDialog(self._look, self._window)
            dialog.watched_changed.connect(self._on_watched)
            dialog.log_chosen.connect(self._on_log_chosen)
            dialog.start_requested.connect(self._on_start)
            dialog.stop_requested.connect(self._on_stop)
            dialog.keep_running_changed.connect(self._on_keep)
            dialog.action_requested.connect(self._on_do)
        return self._dialog

    def show(self) -> None:
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    @property
    def _folder(self) -> Path:
        return self._services.workbench.places.lab

    def _on_watched(self, is_watched: bool) -> None:
        if is_watched:
            self._timer.start()
            self._refresh()
        else:
            self._timer.stop()

    def _refresh(self) -> None:
        """One read at a time: a server that does not answer must not fill the background with requests."""
        if self._is_looking:
            return
        self._is_looking = True
        number, known = self.dialog.log.number, self._log
        self._services.background.start(
            lambda _job: _read_state(self._folder, number, known), done=self._on_read, failed=self._on_look_failed
        )

    def _on_read(self, state: _State) -> None:
        self._is_looking = False
        self.dialog.show_view(lab_view(state.status))
        log = self.dialog.log
        if state.log_number != log.number:
            return
        text = without_passwords(state.piece.text)
        if state.is_whole:
            log.show_text(text)
        elif text and log.follow.isChecked():
            log.add_text(text)
        else:
            return
        self._log = (state.log_number, state.piece.end)

    def _on_look_failed(self, error: BaseException) -> None:
        self._is_looking = False
        self._show_failure(error)

    def _on_log_chosen(self) -> None:
        self._log = None
        self._refresh()

    def _on_start(self, shape_name: str, failover: str, keep: bool) -> None:
        choice = lab_choice(shape_name)
        shape = LabShape(nodes=choice.nodes, sync=choice.sync, failover=failover if choice.nodes > 1 else MANUAL)

        def start() -> str:
            self._services.workbench.targets().start_lab(shape, notify=self._services.workbench.notify)
            lab_keep(self._folder, keep=keep)
            return "The embedded server runs."

        self._do("Starting the embedded server …", start)

    def _on_stop(self) -> None:
        def stop() -> str:
            stopped = lab_stop(self._folder, timeout_seconds=_STOP_SECONDS)
            return "The embedded server is stopped." if stopped else "The embedded server was not running."

        self._do("Stopping the embedded server …", stop)

    def _on_keep(self, keep: bool) -> None:
        def change() -> str:
            lab_keep(self._folder, keep=keep)
            return "It is kept running." if keep else "It stops when no program uses it any more."

        self._do("Asking the embedded server …", change)

    def _on_do(self, action: str, node: int | None, value: float | None) -> None:
        def act() -> str:
            return f"{capitalised(lab_do(self._folder, LabAction(action), node=node, value=value))}."

        self._do("Doing it …", act)

    def _do(self, doing: str, work: Callable[[], str]) -> None:
        """Perform an action, and show its result."""
        self.dialog.show_busy(doing)
        self._services.background.start(lambda _job: work(), done=self._on_done, failed=self._show_failure)

    def _on_done(self, sentence: str) -> None:
        self.dialog.show_result(sentence, ok=True)
        self._refresh()

    def _show_failure(self, error: BaseException) -> None:
        if isinstance(error, UserError | TargetError):
            self.dialog.show_result(capitalised(window_text(error)), ok=False)
        else:
            self.dialog.show_result("Internal error; the details are in the dialog.", ok=False)
            self._services.messages.show_error(error)


def _read_state(folder: Path, number: int, known: tuple[int, int] | None) -> _State:
    """The present status, and the end of a log, or what was written to it since ``known``."""
    status = lab_status(folder)
    path = log_path(folder, number)
    try:
        if known is not None and known[0] == number:
            return _State(status, number, read_more(path, known[1]), is_whole=False)
        return _State(status, number, read_end(path, _LOG_LINES), is_whole=True)
    except OSError as error:
        return _State(status, number, LogPiece(f"{path} can't be read ({error.strerror}).\n", 0), is_whole=True)
