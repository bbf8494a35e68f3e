"""The settings of the whole window: shown in its widgets at the start, read from them and stored after each change."""

import logging
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from app.background import Background
from app.library.place import LibraryPlace
from app.live.place import LivePlace
from app.new_run.place import NewRunPlace
from app.settings import Settings, SettingsFile
from app.stored_settings import folders_of, layout_of, layout_texts, mark_kinds_texts
from app.window.file_questions import FileQuestions
from app.window.main_window import MainWindow
from app.window.theme import Themer
from engine.draft.saved import presets_from, presets_to, targets_from, targets_to
from engine.draft.stored_draft import draft_to_dict

_SAVE_AFTER_MS = 1_000
_log = logging.getLogger(__name__)


class WindowSettings(QObject):
    """The state of the window's widgets, stored in a file; ``settings`` holds it in between."""

    def __init__(
        self,
        settings: Settings,
        file: SettingsFile,
        background: Background,
        *,
        window: MainWindow,
        themer: Themer,
        files: FileQuestions,
        new_run: NewRunPlace,
        live: LivePlace,
        library: LibraryPlace,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._settings, self._file, self._background = settings, file, background
        self._window, self._themer, self._files = window, themer, files
        self._new_run, self._live, self._library = new_run, live, library
        self._timer = QTimer(self, singleShot=True, interval=_SAVE_AFTER_MS)
        self._timer.timeout.connect(self._save)

    def restore(self) -> None:
        """Show the settings in the widgets."""
        settings = self._settings
        self._window.restore_geometry(settings.window_geometry)
        self._new_run.widget.load.show_presets(presets_from(settings.presets))
        self._new_run.widget.targets.show_saved(targets_from(settings.targets))
        self._new_run.recent_plans = [path for path in settings.recent_plans if isinstance(path, str)]
        self._files.remember(folders_of(settings))
        self._live.widget.restore_layout(layout_of(settings, "live"))
        self._live.widget.view.head.set_window_seconds(settings.window_seconds)
        self._library.page.restore_layout(layout_of(settings, "library"))
        self._library.run_page.restore_layout(layout_of(settings, "run"))
        self._library.compare_page.restore_layout(layout_of(settings, "compare"))

    def save_soon(self) -> None:
        """Store the settings in a moment, in the background: several changes are often made at once."""
        self._timer.start()

    def save_now(self) -> None:
        """Store them before the window is gone."""
        self._timer.stop()
        self._collect()
        _write(self._file.snapshot(self._settings))

    def _save(self) -> None:
        self._collect()
        write = self._file.snapshot(self._settings)
        self._background.start(lambda _job: _write(write))

    def _collect(self) -> None:
        """Copy the state of the widgets into the settings."""
        settings, live = self._settings, self._live.widget
        settings.theme = self._themer.theme.value
        settings.window_geometry = self._window.geometry_text()
        settings.layouts = {
            **layout_texts("live", live.save_layout()),
            **layout_texts("library", self._library.page.save_layout()),
            **layout_texts("run", self._library.run_page.save_layout()),
            **layout_texts("compare", self._library.compare_page.save_layout()),
        }
        settings.folders = self._files.folders
        settings.window_seconds = live.view.head.window_seconds
        settings.recovery = live.view.recovery_settings.to_dict()
        settings.mark_kinds = mark_kinds_texts(live.markers.kinds)
        settings.draft = draft_to_dict(self._new_run.widget.draft)
        settings.presets = presets_to(self._new_run.widget.load.own_presets)
        settings.targets = targets_to(self._new_run.widget.targets.saved_targets)
        settings.recent_plans = list(self._new_run.recent_plans)


def _write(write: Callable[[], None]) -> None:
    """An unwritable home must not keep anybody from working; the error is logged."""
    try:
        write()
    except OSError as error:
        _log.warning("the settings can't be written (%s)", error.strerror)
