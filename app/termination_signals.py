"""Handles SIGINT, SIGTERM and SIGHUP: a socket wakes Qt, since Python runs no signal handlers while Qt waits."""

import signal
import socket
from collections.abc import Callable

from PySide6.QtCore import QObject, QSocketNotifier

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class TerminationSignals(QObject):
    """Calls ``leave`` on the main thread for each signal; ``close`` restores the previous handlers."""

    def __init__(self, leave: Callable[[], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._leave = leave
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self._reader.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_signal)
        self._woke = signal.set_wakeup_fd(self._writer.fileno())
        self._before = {
            number: signal.signal(number, _ignore)
            for number in (getattr(signal, name) for name in _NAMES if hasattr(signal, name))
        }

    def close(self) -> None:
        self._notifier.setEnabled(False)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._woke)
        self._reader.close()
        self._writer.close()

    def _on_signal(self) -> None:
        self._reader.recv(64)
        self._leave()


def _ignore(_number: int, _frame: object) -> None:
    """The wake-up socket does the work; without a handler Python would not write to it."""
