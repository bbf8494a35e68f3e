"""The first size of a dialog, which is never larger than its screen: its buttons would be out of reach."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog

_OF_SCREEN = 0.9  # the rest is for the window's frame


def resize_on_screen(dialog: QDialog, size: QSize) -> None:
    """Give a dialog this size, or what its screen has room for."""
    dialog.resize(size.boundedTo(dialog.screen().availableSize() * _OF_SCREEN))


def resize_to_text(dialog: QDialog, characters: int, lines: int) -> None:
    """Give a dialog the size of so many characters and lines of its font, or what its screen has room for."""
    metrics = dialog.fontMetrics()
    resize_on_screen(dialog, QSize(characters * metrics.averageCharWidth(), lines * metrics.lineSpacing()))
