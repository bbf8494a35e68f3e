"""Places a window with its frame inside the available area of its screen."""

from PySide6.QtCore import QMargins, QPoint, QRect, QSize
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QMainWindow

_FIRST_SIZE = QSize(1440, 900)
_USUAL_FRAME = QMargins(8, 34, 8, 8)  # for a window that has no frame yet


def place_first(window: QMainWindow) -> None:
    """Give a window its first size, in the middle of the primary screen."""
    screen = QGuiApplication.primaryScreen()
    if screen is not None:
        room = screen.availableGeometry().marginsRemoved(_USUAL_FRAME)
        inside = QRect(QPoint(), _FIRST_SIZE.boundedTo(room.size()))
        inside.moveCenter(room.center())
        window.setGeometry(inside)


def fit_to_screen(window: QMainWindow) -> None:
    """Move a window into its screen, and shrink it if it is larger.

    Maximised and full-screen windows are left to the window manager.
    """
    screen = _screen_of(window)
    if screen is None or window.isMaximized() or window.isFullScreen():
        return
    frame = _frame_of(window)
    fitted = fitted_in(window.geometry().marginsAdded(frame), screen.availableGeometry()).marginsRemoved(frame)
    if fitted != window.geometry():
        window.setGeometry(fitted)


def fitted_in(frame: QRect, room: QRect) -> QRect:
    """The rectangle nearest to ``frame`` that lies in ``room``."""
    size = frame.size().boundedTo(room.size())
    left = min(max(frame.left(), room.left()), room.right() + 1 - size.width())
    top = min(max(frame.top(), room.top()), room.bottom() + 1 - size.height())
    return QRect(QPoint(left, top), size)


def _screen_of(window: QMainWindow) -> QScreen | None:
    """The screen that contains the window's centre; the primary one when there is none."""
    return QGuiApplication.screenAt(window.geometry().center()) or QGuiApplication.primaryScreen()


def _frame_of(window: QMainWindow) -> QMargins:
    handle = window.windowHandle()
    known = QMargins() if handle is None else handle.frameMargins()
    return _USUAL_FRAME if known.isNull() else known
