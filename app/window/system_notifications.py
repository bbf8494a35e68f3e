"""Notifications of the desktop environment, seen while another application is in front.

On Linux they are shown by ``notify-send``, which every common desktop has; elsewhere, and where it is missing, by an
icon in the system tray.
"""

import html
import shutil

from PySide6.QtCore import QObject, QProcess, QTimer, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QSystemTrayIcon

from app.window.taskbar import has_session_bus

_SHOWN_MS = 10_000
# The tray has to show the icon before it can show a message beside it.
_EMBEDDED_AFTER_MS = 500


class SystemNotifications(QObject):
    """``clicked``: the notification was clicked, where the system reports it."""

    clicked = Signal()

    def __init__(self, icon: QIcon, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._icon = icon
        self._tray: QSystemTrayIcon | None = None
        self._message = ("", "")
        self._soon = QTimer(self, singleShot=True, interval=_EMBEDDED_AFTER_MS)
        self._soon.timeout.connect(self._show_message)

    def show(self, title: str, text: str) -> bool:
        """Show a notification, without waiting for it; returns whether the system can show one."""
        program = shutil.which("notify-send") if has_session_bus() else None
        if program is not None:
            # Most notification servers read the text as markup.
            arguments = ["--app-name=Spindle", "--icon=spindle", "--", title, html.escape(text, quote=False)]
            QProcess.startDetached(program, arguments)
            return True
        if not QSystemTrayIcon.isSystemTrayAvailable() or not QSystemTrayIcon.supportsMessages():
            return False
        if self._tray is None:
            self._tray = QSystemTrayIcon(self._icon, self)
            self._tray.setToolTip("Spindle")
            for clicked in (self._tray.messageClicked, self._tray.activated):
                clicked.connect(self._on_clicked)
        self._message = (title, text)
        self._tray.show()
        self._soon.start()
        return True

    def clear(self) -> None:
        """The user is back: remove the tray icon."""
        if self._tray is not None:
            self._tray.hide()

    def _show_message(self) -> None:
        if self._tray is not None and self._tray.isVisible():
            self._tray.showMessage(*self._message, self._icon, _SHOWN_MS)

    def _on_clicked(self, _reason: object = None) -> None:
        self.clicked.emit()
