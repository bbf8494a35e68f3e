"""Messages to the user: the message bar for news and errors, one dialog for internal errors.

Everything that is not caught elsewhere arrives here: errors in slots and threads, and Qt's own warnings.
"""

import logging
import platform
import sys
import threading
import traceback
from collections.abc import Callable
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QObject, Qt, QtMsgType, Signal, qInstallMessageHandler, qVersion

from app.cli.problems import without_passwords
from app.remedy_text import window_text
from engine.errors import Cancelled, TargetError, UserError
from engine.figure_text import capitalised
from engine.workstation import application_version
from widgets.parts.fault_dialog import FaultDialog
from widgets.parts.message_bar import MessageBar, Severity

PAGE_TOPIC = "the page that is shown"
"""The topic of messages that concern the page alone on which the user acted: they go when the page is left."""

_log = logging.getLogger("spindle.window")
_LEVELS = {
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class WindowMessages(QObject):
    """``show`` and ``show_error`` may be called on any thread; the bar is used on the main thread only.

    A message with a ``topic`` replaces an earlier one on the same topic, see ``MessageBar``.
    """

    _shown = Signal(str, object, str)
    _failed = Signal(object, str)

    def __init__(self, bar: MessageBar, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bar = bar
        self._dialog: FaultDialog | None = None
        self._shown.connect(self._on_shown, Qt.ConnectionType.QueuedConnection)
        self._failed.connect(self._on_failed, Qt.ConnectionType.QueuedConnection)

    def show(self, text: str, severity: Severity = Severity.INFO, *, topic: str = "") -> None:
        """Show one sentence on the bar."""
        self._shown.emit(text, severity, topic)

    def show_warning(self, text: str) -> None:
        """Show one sentence that stays until it is closed."""
        self.show(text, Severity.WARNING)

    def offer(
        self, text: str, action: str, act: Callable[[], None], severity: Severity = Severity.INFO, *, topic: str = ""
    ) -> None:
        """Show one sentence with a button; on the main thread only."""
        self._bar.show_message(_sentence(text), severity, action=action, act=act, topic=topic)

    def show_error(self, error: BaseException, *, topic: str = "") -> None:
        """Show an error: the user's and the database's on the bar, an internal error in the dialog."""
        self._failed.emit(error, topic)

    def drop(self, topic: str) -> None:
        """Remove the message on a topic, which no longer applies; on the main thread only."""
        self._bar.drop(topic)

    @staticmethod
    def sentence_of(error: BaseException) -> str:
        """An error in one sentence; an internal error only as such."""
        match error:
            case UserError() | TargetError():
                return _sentence(window_text(error))
            case Cancelled():
                return "Cancelled."
            case OSError():
                return _sentence(f"{error.strerror or error} ({error.filename or 'disk'})")
            case _:
                return "An internal error of Spindle."

    def install(self) -> None:
        """Receive every uncaught error of slots and threads, and Qt's own messages."""
        sys.excepthook = self._on_uncaught
        threading.excepthook = self._on_thread_failed
        qInstallMessageHandler(_log_qt)

    @staticmethod
    def uninstall() -> None:
        sys.excepthook = sys.__excepthook__
        threading.excepthook = threading.__excepthook__
        qInstallMessageHandler(None)

    def _on_uncaught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
        else:
            self.show_error(error.with_traceback(trace))

    def _on_thread_failed(self, arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None and not isinstance(arguments.exc_value, SystemExit):
            self.show_error(arguments.exc_value)

    def _on_shown(self, text: str, severity: Severity, topic: str) -> None:
        self._bar.show_message(_sentence(text), severity, topic=topic)

    def _on_failed(self, error: BaseException, topic: str) -> None:
        match error:
            case Cancelled():
                self._bar.show_message(self.sentence_of(error), Severity.INFO, topic=topic)
            case UserError() | TargetError() | OSError():
                self._bar.show_message(self.sentence_of(error), Severity.ERROR, topic=topic)
            case _:
                _log.error("unexpected error", exc_info=error)
                self._show_fault(error)

    def _show_fault(self, error: BaseException) -> None:
        """One dialog at a time, however many internal errors follow while it is open."""
        if self._dialog is not None and self._dialog.isVisible():
            return
        self._dialog = FaultDialog(details_of(error), self._bar.window())
        self._dialog.open()


def details_of(error: BaseException) -> str:
    """What developers need to know of an internal error, with every password masked."""
    about = (
        f"Spindle {application_version()}, Python {platform.python_version()}, Qt {qVersion()}, {platform.platform()}"
    )
    return without_passwords(f"{about}\n\n{''.join(traceback.format_exception(error))}")


def _sentence(text: str) -> str:
    """Capitalised: the engine's sentences may begin with a small letter."""
    return capitalised(without_passwords(text).strip())


def _log_qt(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
    _log.log(_LEVELS.get(kind, logging.DEBUG), "Qt: %s", text)
