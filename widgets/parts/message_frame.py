"""A page and the bar that tells what happened: what passes lies on the page, what stays pushes it down.

So a message that goes by itself moves nothing under the pointer, and a page with charts is not laid out anew for it.
"""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from widgets.parts.message_bar import MessageBar

_FROM_RIGHT = 16
# The pages have their buttons below.
_FROM_BELOW = 48


class MessageFrame(QWidget):
    """``content`` and the ``bar`` of its messages."""

    def __init__(self, content: QWidget, bar: MessageBar, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bar = bar
        self._above, self._corner = QVBoxLayout(), QVBoxLayout()
        self._corner.setContentsMargins(_FROM_RIGHT, _FROM_RIGHT, _FROM_RIGHT, _FROM_BELOW)
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._above, 0, 0)
        layout.addWidget(content, 1, 0)
        layout.addLayout(self._corner, 1, 0)
        layout.setRowStretch(1, 1)
        self._place(bar.is_passing)
        bar.passing_changed.connect(self._place)

    def _place(self, is_passing: bool) -> None:
        (self._above if is_passing else self._corner).removeWidget(self._bar)
        if is_passing:
            self._corner.addWidget(self._bar, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom)
        else:
            self._above.addWidget(self._bar)
        self._bar.raise_()
