"""Collects all keyboard shortcuts of a window from its actions and widgets, so that the table is always right."""

from collections.abc import Iterator, Mapping

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from widgets.parts.key_help import KeyHelp

EVERYWHERE = "Everywhere"


def shortcuts_of(window: QWidget, places: Mapping[QWidget, str]) -> dict[str, list[KeyHelp]]:
    """The keys by the part of the window where they work; ``places`` names the parts that are places."""
    found: dict[str, dict[KeyHelp, None]] = {name: {} for name in (EVERYWHERE, *places.values())}
    for section, key in _all(window, places):
        found.setdefault(section, {})[key] = None
    return {section: list(keys) for section, keys in found.items() if keys}


def _all(window: QWidget, places: Mapping[QWidget, str]) -> Iterator[tuple[str, KeyHelp]]:
    for action in window.findChildren(QAction):
        if not action.shortcut().isEmpty():
            yield _section(action, places), KeyHelp(_text(action.shortcut()), _plain(action.text()))
    for shortcut in window.findChildren(QShortcut):
        if shortcut.whatsThis():
            yield _section(shortcut, places), KeyHelp(_text(shortcut.key()), shortcut.whatsThis())
    for widget in window.findChildren(QWidget):
        for key in getattr(type(widget), "KEY_HELP", ()):
            yield _section(widget, places), key


def _section(owner: QObject, places: Mapping[QWidget, str]) -> str:
    """The nearest named part of the window that contains the owner of a key."""
    around: QObject | None = owner
    while around is not None:
        section = getattr(type(around), "KEY_SECTION", "")
        if section:
            return str(section)
        if isinstance(around, QWidget) and around in places:
            return places[around]
        around = around.parent()
    return EVERYWHERE


def _text(keys: QKeySequence) -> str:
    return keys.toString(QKeySequence.SequenceFormat.NativeText)


def _plain(text: str) -> str:
    """An action's text without its mnemonic and its ellipsis."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&").removesuffix("…")
