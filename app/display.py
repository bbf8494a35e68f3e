"""Whether there is a display for a window; checked before Qt is imported, since Qt would end the program."""

import os
import sys
from collections.abc import Mapping

from engine.errors import UserError

_NEEDS_NO_DISPLAY = ("offscreen", "minimal", "vnc")


def has_display(environment: Mapping[str, str] = os.environ, system: str = sys.platform) -> bool:
    """Whether a window can be opened; systems other than Linux and the BSDs always have a display."""
    if not system.startswith(("linux", "freebsd")):
        return True
    platform = environment.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if platform in _NEEDS_NO_DISPLAY:
        return True
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def require_display() -> None:
    """Raises ``UserError`` that names the command without a window."""
    if not has_display():
        raise UserError(
            "there is no display for a window (neither DISPLAY nor WAYLAND_DISPLAY is set);"
            " without one, use: spindle run, and spindle --help for the rest."
        )
