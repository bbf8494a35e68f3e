"""Starts the window; called by the command line, which has checked that there is a display."""

from typing import TYPE_CHECKING

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from app.cli.problems import COMPLETED, print_notice
from app.termination_signals import TerminationSignals
from app.window.one_window import Claim, OneWindow
from engine.driver.gc_settings import disable_automatic_collections, exclude_existing_objects
from engine.places import Places
from engine.plan.plan import RunPlan
from resources import folder_of

if TYPE_CHECKING:
    from app.desktop import Desktop


def run_window(places: Places, *, demonstration: RunPlan | None = None) -> int:
    """Open the window, with a demonstration if a plan for one is given; returns the exit code when it is closed.

    If the home's window is open already, it is brought to the front, and nothing else happens.
    """
    application = QApplication(["spindle"])
    application.setApplicationDisplayName("Spindle")
    application.setDesktopFileName("spindle")
    application.setWindowIcon(QIcon(str(folder_of() / "spindle.svg")))
    is_elsewhere = places.library_folder is not None and places.library_folder.is_dir()
    one_window = OneWindow(places.library.parent if is_elsewhere else places.home)
    standing = one_window.claim()
    if standing is Claim.RAISED:
        print_notice("Spindle's window is open already; it was brought to the front.")
        return COMPLETED
    desktop = open_desktop(application, places)
    desktop.messages.install()
    one_window.raise_requested.connect(desktop.window.bring_to_front)
    signals = TerminationSignals(desktop.closing.stop_and_leave, desktop)
    try:
        desktop.show()
        if standing is Claim.SILENT:
            _warn_of_another(desktop, one_window)
        if demonstration is not None:
            desktop.start_run(demonstration, reset=True, audit=True)
        application.exec()
    finally:
        signals.close()
        one_window.close()
        desktop.close()
        desktop.messages.uninstall()
    return COMPLETED


def _warn_of_another(desktop: "Desktop", one_window: OneWindow) -> None:
    what = "what is changed in one of them may not show in the other."
    if one_window.elsewhere:
        text = (
            f"A Spindle window on {one_window.elsewhere} works on this library; {what} If none is open there any more,"
            f" remove {one_window.lock_file}."
        )
    else:
        text = f"Another Spindle window works on this library and does not answer; {what}"
    print_notice(text)
    desktop.messages.show_warning(text)


def open_desktop(application: QApplication, places: Places) -> "Desktop":
    """The window with all its parts, created without garbage collections.

    What is imported stays for the life of the process, so it is excluded from later collections.
    """
    disable_automatic_collections()  # permanently: the desktop collects by itself
    from app.desktop import Desktop

    desktop = Desktop(application, places)
    exclude_existing_objects()
    return desktop
