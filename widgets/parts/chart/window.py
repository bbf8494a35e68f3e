"""A part of a page in full screen: for a wall display, or a second monitor.

The page keeps its place free, and gets it back when the window is closed, with Esc or with the page itself.
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QScreen
from PySide6.QtWidgets import QLabel, QSplitter, QVBoxLayout, QWidget


class ChartWindow(QWidget):
    """Takes ``panel`` from its page; ``closed``: the panel was put back."""

    closed = Signal()

    def __init__(self, panel: QWidget) -> None:
        page = panel.window()
        super().__init__(page, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(page.windowTitle())
        self._panel = panel
        self._place = QLabel("Shown on a screen of its own; Esc there brings it back.")
        self._place.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._place.setWordWrap(True)
        self._place.setMinimumHeight(panel.minimumHeight())
        _replace(panel, self._place)
        layout = QVBoxLayout(self)
        layout.addWidget(panel)
        panel.show()

    def show_on(self, screen: QScreen) -> None:
        """Fill a screen."""
        self.setGeometry(screen.availableGeometry())
        self.showFullScreen()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Put the panel back."""
        _replace(self._place, self._panel)
        self._panel.show()
        self._place.deleteLater()
        self.closed.emit()
        super().closeEvent(event)


def _replace(old: QWidget, new: QWidget) -> None:
    """Put a widget into another's place, in a splitter or in a layout."""
    around = old.parentWidget()
    layout = None if around is None else around.layout()
    if isinstance(around, QSplitter):
        sizes = around.sizes()
        around.replaceWidget(around.indexOf(old), new)
        around.setSizes(sizes)
    elif layout is not None:
        layout.replaceWidget(old, new)
    old.setParent(None)
