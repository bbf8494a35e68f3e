"""How other programs are started, by system: keywords for ``subprocess`` that keep them off this program's terminal.

The half of Windows is proven by its flags alone; it has never been run.
"""

import sys
from typing import TypedDict

# Of Windows' process creation flags (CreateProcess); ``subprocess`` has them on Windows alone.
_CREATE_NEW_PROCESS_GROUP, _CREATE_NO_WINDOW = 0x0000_0200, 0x0800_0000


class StartKeywords(TypedDict, total=False):
    """Keywords of ``subprocess.run`` and ``Popen``."""

    creationflags: int
    start_new_session: bool


def in_own_session(system: str = sys.platform) -> StartKeywords:
    """For a program that Ctrl-C and the end of our terminal must not reach, and whose children end with it.

    A session of its own, and so a process group; on Windows a process group without a console.
    """
    if system == "win32":
        return {"creationflags": _CREATE_NEW_PROCESS_GROUP | _CREATE_NO_WINDOW}
    return {"start_new_session": True}


def without_console(system: str = sys.platform) -> StartKeywords:
    """For a short program: from a window without a console, Windows would show one for as long as it runs."""
    return {"creationflags": _CREATE_NO_WINDOW} if system == "win32" else {}
