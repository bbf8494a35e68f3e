"""Starts the window; called by the command line, which has made sure that there is a display."""

import gc
from typing import TYPE_CHECKING

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from app.ending_signals import EndingSignals
from app.problems import COMPLETED
from engine.places import Places
from engine.plan import RunPlan
from resources import folder_of

if TYPE_CHECKING:
    from app.desktop import Desktop


def run_window(places: Places, *, demonstration: RunPlan | None = None) -> int:
    """Open the window, with a demonstration if there is a plan for one; returns the exit code when it was closed."""
    application = QApplication(["spindle"])
    application.setApplicationDisplayName("Spindle")
    application.setDesktopFileName("spindle")
    application.setWindowIcon(QIcon(str(folder_of() / "spindle.svg")))
    desktop = open_desktop(application, places)
    desktop.problems.install()
    signals = EndingSignals(desktop.closing.stop_and_leave, desktop)
    try:
        desktop.show()
        if demonstration is not None:
            desktop.start_run(demonstration, reset=True, audit=True)
        application.exec()
    finally:
        signals.close()
        desktop.close()
        desktop.problems.uninstall()
    return COMPLETED


def open_desktop(application: QApplication, places: Places) -> "Desktop":
    """The window with all that belongs to it, loaded without a pause for garbage.

    What is loaded stays as long as the program runs: no collection looks at it again.
    """
    gc.disable()  # for good: the desktop collects by itself
    from app.desktop import Desktop

    desktop = Desktop(application, places)
    gc.freeze()
    return desktop
