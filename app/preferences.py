"""What the user chooses for a home, in the settings' dialog and by ``spindle settings``: names, limits, checks.

Both store it in the home's ``settings.json``. A stored value that is not valid any more counts as the default.
"""

import dataclasses
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from app.settings import Settings, stored_settings
from engine.errors import BadInput, UserError
from engine.figure_text import SEPARATORS
from engine.parameters.typed_text import duration_of, write_number
from engine.places import Places

if TYPE_CHECKING:
    from engine.databases.database import Timeouts

AT_ONCE = "at once"
AT_START = "when Spindle is started again"
NEXT_WORK = "for the next run, test or work on stores"
_YES_NO = MappingProxyType({"on": True, "off": False})


@dataclass(frozen=True, kw_only=True)
class Preference:
    """One choice: its ``name`` on the command line, the ``field`` of ``Settings``, what it is, when it takes effect.

    ``choices`` are the texts that are offered with the values that they mean; without them the value is typed and
    ``read``, which raises ``BadInput``. ``write`` makes the text from a value. ``is_folder``: it is a path, or empty.
    """

    name: str
    field: str
    title: str
    help: str
    takes_effect: str
    choices: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    read: Callable[[str], Any] | None = None
    write: Callable[[Any], str] = str
    unit: str = ""
    is_folder: bool = False

    def value(self, text: str) -> Any:
        """The value of a text; raises ``BadInput`` that names the field, the text and what to give instead."""
        if self.read is not None:
            return self.read(text)
        if text not in self.choices:
            raise BadInput(f"{self.name} is '{text}'; give {' or '.join(self.choices)}.")
        return self.choices[text]

    def text(self, settings: Settings) -> str:
        """The stored value as it is typed; the default's if it is not valid."""
        value = getattr(settings, self.field)
        if self.choices:
            found = [text for text, meant in self.choices.items() if meant == value]
            return found[0] if found else self.text(Settings())
        text = self.write(value)
        try:
            self.value(text)
        except BadInput:
            if not self.is_folder:  # a folder that is away is still the one that was chosen
                return self.text(Settings())
        return text

    def store(self, settings: Settings, text: str) -> None:
        """Put the value of a text into the settings. Raises ``BadInput``."""
        setattr(settings, self.field, self.value(text))

    def stored(self, settings: Settings) -> Any:
        """The stored value; the default if it is not valid. Not for folders, which may be away."""
        return self.value(self.text(settings))


def _seconds(name: str, least: float, most: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            seconds = duration_of(text)
        except BadInput:
            seconds = -1.0
        if not least <= seconds <= most:
            raise BadInput(f"{name} is '{text}'; give seconds from {least:g} to {most:g}.")
        return seconds

    return read


def _folder(name: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if not text.strip():
            return ""
        folder = Path(text.strip()).expanduser()
        if not folder.is_dir():
            raise BadInput(f"{name} is '{text}', which is no folder here; create it first, or choose another one.")
        if not os.access(folder, os.W_OK):
            raise BadInput(f"{name} is '{text}', which can't be written to; choose another one.")
        return str(folder.absolute())

    return read


PREFERENCES = (
    Preference(
        name="theme",
        field="theme",
        title="Theme",
        help="The colours of the window.",
        takes_effect=AT_ONCE,
        choices=MappingProxyType({"system": "system", "light": "light", "dark": "dark"}),
    ),
    Preference(
        name="text-size",
        field="text_size_pct",
        title="Text size",
        help="Of everything in the window. Above 110 % it needs a screen larger than 1280\u00a0×\u00a0800.",
        takes_effect=AT_START,
        choices=MappingProxyType({f"{size}%": size for size in (90, 100, 110, 125, 150)}),
    ),
    Preference(
        name="number-format",
        field="number_format",
        title="Numbers",
        help="Between thousands, in the window and in documents made in it. The decimal sign is a point.",
        takes_effect=AT_START,
        choices=MappingProxyType({name: name for name in SEPARATORS}),
    ),
    Preference(
        name="library-folder",
        field="library_folder",
        title="Library folder",
        help="Empty: the home folder. The library that is used now stays where it is, with its runs.",
        takes_effect=AT_START,
        read=_folder("library-folder"),
        is_folder=True,
    ),
    Preference(
        name="exports-folder",
        field="exports_folder",
        title="Exports folder",
        help="In which dialogs for exports and reports begin. Empty: the folder of the last one.",
        takes_effect=AT_ONCE,
        read=_folder("exports-folder"),
        is_folder=True,
    ),
    Preference(
        name="connect-time-out",
        field="connect_seconds",
        title="Connect time-out",
        help="How long a connection to a database may take. Runs store it if it is not 5 s.",
        takes_effect=NEXT_WORK,
        read=_seconds("connect-time-out", 1.0, 300.0),
        write=write_number,
        unit="s",
    ),
    Preference(
        name="statement-time-out",
        field="statement_seconds",
        title="Statement time-out",
        help="After this a call counts as an error (time-out). Runs store it if it is not 30 s.",
        takes_effect=NEXT_WORK,
        read=_seconds("statement-time-out", 1.0, 3_600.0),
        write=write_number,
        unit="s",
    ),
    Preference(
        name="notifications",
        field="notifications",
        title="Notify",
        help="When a run, a campaign or other long work ends while no window of Spindle is active.",
        takes_effect=AT_ONCE,
        choices=_YES_NO,
    ),
    Preference(
        name="notification-sound",
        field="notification_sound",
        title="With a sound",
        help="The system's, with each notification.",
        takes_effect=AT_ONCE,
        choices=_YES_NO,
    ),
    Preference(
        name="notification-after",
        field="notification_seconds",
        title="Notification after",
        help="Work that took less is notified only when it failed.",
        takes_effect=AT_ONCE,
        read=_seconds("notification-after", 0.0, 86_400.0),
        write=write_number,
        unit="s",
    ),
)
"""In the order of the dialog."""


def find_preference(name: str) -> Preference:
    """The preference of a name; raises ``BadInput`` that lists them."""
    for each in PREFERENCES:
        if each.name == name:
            return each
    raise BadInput(f"setting is '{name}'; give {', '.join(each.name for each in PREFERENCES)}.")


def timeouts_of(settings: Settings) -> "Timeouts":
    """How long users and work on stores wait; the usual time-outs in place of values that are not valid."""
    from engine.databases.database import Timeouts

    seconds = {
        name: find_preference(option).stored(settings)
        for name, option in (("connect_seconds", "connect-time-out"), ("statement_seconds", "statement-time-out"))
    }
    return Timeouts(**seconds)


def with_library_folder(places: Places) -> Places:
    """The paths of a home with the folder that its settings name for the library."""
    folder = stored_settings(places.settings).library_folder
    return replace(places, library_folder=Path(folder)) if folder else places


def require_library_folder(places: Places) -> None:
    """Raise ``UserError`` if the library's own folder is not there, rather than begin an empty library in it."""
    folder = places.library_folder
    if folder is not None and not folder.is_dir():
        raise UserError(f"the library's folder {folder} is not there; mount it, or choose another one in the settings.")
