"""The window's settings: typed values with defaults, in one small JSON file.

Never a password. An unreadable file is moved aside and reported; the defaults are used then.
"""

import itertools
import json
import logging
import os
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

_VERSION = 1
_log = logging.getLogger(__name__)


@dataclass
class Settings:
    """The values; those that Qt makes (geometry, states of splitters and tables) are base64 texts.

    ``webhook`` is whether the system's keyring holds the URL of one. ``metrics`` is the address on which a run's
    figures are served, ``grafana`` the server that shows its marks; both are off when empty. What the user chooses in
    the settings' dialog or by ``spindle settings`` is described in ``app.preferences``.
    """

    theme: str = "system"
    window_geometry: str = ""
    layouts: dict[str, str] = field(default_factory=dict)
    mark_kinds: list[dict[str, Any]] = field(default_factory=list)
    window_seconds: int = 10
    recovery: dict[str, Any] = field(default_factory=dict)
    draft: dict[str, Any] = field(default_factory=dict)
    presets: list[dict[str, Any]] = field(default_factory=list)
    targets: list[dict[str, Any]] = field(default_factory=list)
    recent_plans: list[str] = field(default_factory=list)
    notifications: bool = True
    notification_sound: bool = True
    webhook: bool = False
    metrics: str = ""
    grafana: str = ""
    folders: dict[str, str] = field(default_factory=dict)
    text_size_pct: int = 100
    number_format: str = "spaces"
    library_folder: str = ""
    exports_folder: str = ""
    connect_seconds: float = 5.0
    statement_seconds: float = 30.0
    notification_seconds: float = 30.0


def stored_settings(path: Path) -> Settings:
    """The settings of a file, which is left as it is; the defaults where it can't be read."""
    try:
        return _read(path)
    except (OSError, ValueError, TypeError, AttributeError):
        return Settings()


def read_settings(path: Path) -> tuple[Settings, str]:
    """The settings of a file, and a sentence when they could not be read; a missing file is no error.

    For those who write the file later: one that can't be understood is moved away, so that it is not overwritten.
    """
    try:
        return _read(path), ""
    except FileNotFoundError:
        return Settings(), ""
    except OSError as error:
        return Settings(), f"The settings can't be read ({error.strerror}); the defaults are used."
    except (ValueError, TypeError, AttributeError):  # a byte that is not UTF-8 is a ValueError too
        return Settings(), f"The settings could not be understood; {_set_aside(path)}."


class SettingsFile:
    """The settings file, written atomically and from any thread: the newest snapshot wins."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._snapshots = itertools.count(1)
        self._written = 0
        self._lock = threading.Lock()

    def snapshot(self, settings: Settings) -> Callable[[], None]:
        """A function that writes the present settings, on any thread; it does nothing once newer ones are written.

        Called on the thread that changes the settings. The function raises ``OSError``.
        """
        number = next(self._snapshots)
        text = json.dumps({"version": _VERSION, **asdict(settings)}, indent=1)
        return lambda: self._write(number, text)

    def _write(self, number: int, text: str) -> None:
        with self._lock:
            if number < self._written:
                return
            self._path.parent.mkdir(parents=True, exist_ok=True)
            new = self._path.with_suffix(".new")
            with new.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())  # otherwise a power failure may leave an empty file
            os.replace(new, self._path)
            self._written = number


def _set_aside(path: Path) -> str:
    """Rename an unreadable file; returns the result as half a sentence."""
    aside = path.with_suffix(".damaged.json")
    try:
        os.replace(path, aside)
    except OSError as error:
        return f"they can't be moved aside ({error.strerror}), and the defaults are used"
    return f"they were moved to {aside.name}"


def _read(path: Path) -> Settings:
    return _settings_of(json.loads(path.read_text(encoding="utf-8")))


def _settings_of(plain: dict[str, Any]) -> Settings:
    """Known values of the right type; those of a newer version are ignored."""
    settings = Settings()
    for each in fields(Settings):
        value = plain.get(each.name)
        if value is not None and isinstance(value, type(getattr(settings, each.name))):
            setattr(settings, each.name, value)
    return settings
