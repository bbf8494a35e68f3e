"""The settings of the whole window: shown in its widgets at the start, read from them and stored after each change."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.settings import SettingsFile
from app.stored_settings import folders_of, layout_of, layout_texts, mark_kinds_texts
from engine.draft.saved import presets_from, presets_to, targets_from, targets_to

if TYPE_CHECKING:
    from app.desktop import Desktop

_SAVE_AFTER_MS = 1_000
_log = logging.getLogger(__name__)


class WindowSettings(QObject):
    """The state of a desktop's widgets, stored in a file; ``desktop.settings`` holds it in between."""

    def __init__(self, desktop: "Desktop", file: SettingsFile) -> None:
        super().__init__(desktop)
        self._desktop = desktop
        self._file = file
        self._timer = QTimer(self, singleShot=True, interval=_SAVE_AFTER_MS)
        self._timer.timeout.connect(self._save)

    def restore(self) -> None:
        """Show the settings in the widgets."""
        desktop, settings = self._desktop, self._desktop.settings
        desktop.window.set_theme(desktop.themer.theme)
        desktop.window.set_notifications(settings.notifications, settings.notification_sound)
        desktop.window.restore_geometry(settings.window_geometry)
        desktop.new_run.widget.load.show_presets(presets_from(settings.presets))
        desktop.new_run.widget.targets.show_saved(targets_from(settings.targets))
        desktop.new_run.recent_plans = [path for path in settings.recent_plans if isinstance(path, str)]
        desktop.files.remember(folders_of(settings))
        desktop.live.widget.restore_layout(layout_of(settings, "live"))
        desktop.live.widget.view.head.set_window_seconds(settings.window_seconds)
        desktop.library.page.restore_layout(layout_of(settings, "library"))
        desktop.library.run_page.restore_layout(layout_of(settings, "run"))
        desktop.library.compare_page.restore_layout(layout_of(settings, "compare"))

    def save_soon(self) -> None:
        """Store the settings in a moment, in the background: several changes are often made at once."""
        self._timer.start()

    def save_now(self) -> None:
        """Store them before the window is gone."""
        self._timer.stop()
        self._collect()
        _write(self._file.snapshot(self._desktop.settings))

    def _save(self) -> None:
        self._collect()
        write = self._file.snapshot(self._desktop.settings)
        self._desktop.background.start(lambda _job: _write(write))

    def _collect(self) -> None:
        """Copy the state of the widgets into the settings."""
        desktop, settings = self._desktop, self._desktop.settings
        live = desktop.live.widget
        settings.theme = desktop.themer.theme.value
        settings.window_geometry = desktop.window.geometry_text()
        settings.layouts = {
            **layout_texts("live", live.save_layout()),
            **layout_texts("library", desktop.library.page.save_layout()),
            **layout_texts("run", desktop.library.run_page.save_layout()),
            **layout_texts("compare", desktop.library.compare_page.save_layout()),
        }
        settings.folders = desktop.files.folders
        settings.window_seconds = live.view.head.window_seconds
        settings.recovery = live.view.recovery_settings.to_dict()
        settings.mark_kinds = mark_kinds_texts(live.markers.kinds)
        settings.draft = desktop.new_run.widget.draft.to_dict()
        settings.presets = presets_to(desktop.new_run.widget.load.own_presets)
        settings.targets = targets_to(desktop.new_run.widget.targets.saved_targets)
        settings.recent_plans = list(desktop.new_run.recent_plans)


def _write(write: Callable[[], None]) -> None:
    """An unwritable home must not keep anybody from working; the error is logged."""
    try:
        write()
    except OSError as error:
        _log.warning("the settings can't be written (%s)", error.strerror)
