"""Progress on the window's taskbar entry, where a Linux desktop shows it.

KDE Plasma and the docks of Ubuntu and elementary listen to the signal ``com.canonical.Unity.LauncherEntry.Update`` on
the session's D-Bus. Elsewhere the window's title shows the progress.
"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtDBus import QDBusConnection

DESKTOP_FILE = "spindle.desktop"
_PATH = "/com/canonical/unity/launcherentry/spindle"
_INTERFACE = "com.canonical.Unity.LauncherEntry"


class Taskbar:
    """Connects to the session bus when there is something to show for the first time."""

    def __init__(self) -> None:
        self._bus: QDBusConnection | None = None
        self._percent: int | None = None

    def show_progress(self, share: float | None) -> None:
        """Show the share done, from 0 to 1; ``None`` removes the progress. Never waits for an answer."""
        percent = None if share is None else round(100 * share)
        if percent == self._percent or not has_session_bus():
            return
        self._percent = percent
        if self._bus is None:
            from PySide6.QtDBus import QDBusConnection

            self._bus = QDBusConnection.sessionBus()
        from PySide6.QtDBus import QDBusMessage

        update = QDBusMessage.createSignal(_PATH, _INTERFACE, "Update")
        shown = {"progress": (percent or 0) / 100, "progress-visible": percent is not None}
        update.setArguments([f"application://{DESKTOP_FILE}", shown])
        self._bus.send(update)


def has_session_bus() -> bool:
    """Whether there is a session bus; without this check, libdbus would try to start one."""
    if not sys.platform.startswith("linux"):
        return False
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    return bool(os.environ.get("DBUS_SESSION_BUS_ADDRESS")) or (bool(runtime) and (Path(runtime) / "bus").exists())
