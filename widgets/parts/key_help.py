"""Descriptions of keys for the table of keyboard shortcuts.

A widget class that handles keys itself lists them in ``KEY_HELP``, and names the part of the window to which they
belong in ``KEY_SECTION``; actions and shortcuts are found by their own texts.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class KeyHelp:
    """Keys as they are written on a keyboard, and what they do."""

    keys: str
    what: str
