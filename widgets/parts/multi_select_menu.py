"""A menu of check boxes that stays open while they are toggled, for filters and comparisons."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu


class MultiSelectMenu(QMenu):
    """Stays open while check boxes are toggled; Enter, Esc or a click outside closes it."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if not self._toggle(self.actionAt(event.position().toPoint())):
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() != Qt.Key.Key_Space or not self._toggle(self.activeAction()):
            super().keyPressEvent(event)

    def _toggle(self, action: QAction | None) -> bool:
        if action is None or not action.isCheckable():
            return False
        action.trigger()
        return True
