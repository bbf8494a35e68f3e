"""A whole window on a home of its own, for the tests of the places and of what binds them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.exceptions import TimeoutError  # noqa: A004 - the name is pytest-qt's
from pytestqt.qtbot import QtBot

from app.desktop import Desktop
from engine.places import find_places

WHILE_MS = 180_000


@dataclass
class OpenDesktop:
    """A desktop that is shown; ``end`` closes it as the user would who has answered everything."""

    desktop: Desktop
    qtbot: QtBot

    def wait_for(self, what: Callable[[], bool]) -> None:
        try:
            self.qtbot.waitUntil(what, timeout=WHILE_MS)
        except TimeoutError as error:
            message = self.desktop.window.bar.text
            raise AssertionError(f"waited in vain; the window's message is {message!r}") from error

    def end(self) -> None:
        self.desktop.live_run.cancel()
        self.desktop.live_run.stop(now=True)
        self.wait_for(lambda: not self.desktop.live_run.is_busy)
        self.wait_for(lambda: self.desktop.background.is_idle)
        self.desktop.window.close()
        self.desktop.close()
        self.desktop.deleteLater()
        # Between two tests nobody returns to an event loop, and beside this window's widgets the next one is slower.
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def open_desktop(qapp: QApplication, qtbot: QtBot, home: Path) -> OpenDesktop:
    """Open the window of a home, and wait until it has looked for interrupted runs."""
    desktop = Desktop(qapp, find_places(home))
    desktop.show()
    opened = OpenDesktop(desktop, qtbot)
    qtbot.waitExposed(desktop.window)
    opened.wait_for(lambda: desktop.has_settled)
    return opened
