"""What keys do, as the table of keyboard shortcuts says it.

A widget class that takes keys by itself names them in ``KEY_HELP``, and the part of the window that they belong to in
``KEY_SECTION``; actions and shortcuts are found with their own texts.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class KeyHelp:
    """Keys as they are written on a keyboard, and what they do."""

    keys: str
    what: str
