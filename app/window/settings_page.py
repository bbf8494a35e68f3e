"""The settings' dialog: shows the preferences, checks what is typed in the background, stores and applies it."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.preferences import AT_ONCE, AT_START, PREFERENCES, Preference, find_preference
from app.services import Services
from app.settings import Settings
from app.stored_settings import theme_of
from app.window.file_questions import Purpose
from app.window.theme import Themer
from engine.figure_text import capitalised
from widgets.parts.look import Look
from widgets.parts.settings_dialog import SettingRow, SettingsDialog

_GROUPS = MappingProxyType(
    {
        "Appearance": ("theme", "text-size", "number-format"),
        "Folders": ("library-folder", "exports-folder"),
        "Databases": ("connect-time-out", "statement-time-out"),
        "Notifications": ("notifications", "notification-sound", "notification-after"),
    }
)
_SHOWN: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "theme": {"system": "As the system's", "light": "Light", "dark": "Dark"},
        "number-format": {"spaces": "12\u202f345.6", "commas": "12,345.6", "none": "12345.6"},
        "text-size": {text: text.replace("%", "\u202f%") for text in find_preference("text-size").choices},
    }
)


class SettingsPage(QObject):
    """``changed`` is emitted when ``settings`` have changed and are to be stored; ``dialog`` is the open one."""

    changed = Signal()

    def __init__(
        self, settings: Settings, look: Look, themer: Themer, services: Services, window: QWidget, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._settings, self._look, self._themer = settings, look, themer
        self._services, self._window = services, window
        self.dialog: SettingsDialog | None = None
        self._apply: Mapping[str, Callable[[], object]] = {
            "theme": lambda: themer.choose(theme_of(settings)),
            "exports-folder": self.apply_exports_folder,
            "connect-time-out": services.workbench.renew_timeouts,
            "statement-time-out": services.workbench.renew_timeouts,
        }

    def show(self) -> None:
        """Open the dialog, or raise it."""
        if self.dialog is None:
            rows = {title: [self._row(find_preference(name)) for name in names] for title, names in _GROUPS.items()}
            self.dialog = SettingsDialog(self._look, rows, self._window)
            self.dialog.changed.connect(self._on_changed)
            self.dialog.folder_requested.connect(self._on_folder_requested)
            self.dialog.finished.connect(self._on_closed)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def apply_exports_folder(self) -> None:
        """Let dialogs for exports and reports begin in the folder that is set."""
        self._services.files.begin_exports_in(self._settings.exports_folder)

    def _row(self, preference: Preference) -> SettingRow:
        effect = preference.takes_effect
        return SettingRow(
            name=preference.name,
            title=preference.title,
            hint=preference.help if effect == AT_ONCE else f"{preference.help} Takes effect {effect}.",
            text=preference.text(self._settings),
            choices=_SHOWN.get(preference.name, {text: text for text in preference.choices}),
            unit=preference.unit,
            is_folder=preference.is_folder,
        )

    def _on_changed(self, name: str, text: str) -> None:
        """A folder may be on a slow disk, so that the value is checked in the background."""
        preference = find_preference(name)
        self._services.background.start(
            lambda _job: preference.value(text),
            done=partial(self._on_checked, preference),
            failed=partial(self._on_refused, preference),
        )

    def _on_checked(self, preference: Preference, value: object) -> None:
        setattr(self._settings, preference.field, value)
        self._apply.get(preference.name, lambda: None)()
        self.changed.emit()
        if self.dialog is not None:
            late = f"Stored; takes effect {AT_START}." if preference.takes_effect == AT_START else ""
            self.dialog.show_stored(preference.name, late)

    def _on_refused(self, preference: Preference, error: BaseException) -> None:
        if self.dialog is not None:
            sentence = self._services.messages.sentence_of(error)
            self.dialog.show_wrong(preference.name, sentence.replace(capitalised(preference.name), preference.title, 1))

    def _on_folder_requested(self, name: str) -> None:
        def chosen(path: object) -> None:
            if self.dialog is not None:
                self.dialog.set_folder(name, str(path))

        self._services.files.ask_folder(find_preference(name).title, chosen, purpose=Purpose.SETTINGS)

    def _on_closed(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None


assert {name for names in _GROUPS.values() for name in names} == {each.name for each in PREFERENCES}
