"""The main window: side bar, places, status area, menu, and closing.

``app.start`` puts the content into the places.
"""

from collections.abc import Callable
from enum import IntEnum
from pathlib import Path

from PySide6.QtCore import QByteArray, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeySequence,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QHBoxLayout, QMainWindow, QMenu, QStackedWidget, QVBoxLayout, QWidget

from app.window.geometry import fit_to_screen, place_first
from widgets.parts.look import Look
from widgets.parts.message_bar import MessageBar
from widgets.parts.side_bar import SideBar
from widgets.parts.status_area import StatusArea

_FRAMED_AFTER_MS = 250  # the longest time that a window manager needs to frame a window


class Place(IntEnum):
    """The places of the window, in the order in which they are added."""

    NEW_RUN = 0
    LIVE = 1
    LIBRARY = 2
    CAMPAIGNS = 3


class MainWindow(QMainWindow):
    """``may_close`` is called when the user closes the window; when it returns false, it closes the window itself
    later."""

    settings_requested = Signal()
    marks_requested = Signal()
    servers_requested = Signal()
    machines_requested = Signal()
    idle_watts_requested = Signal()
    load_machines_requested = Signal()
    configurations_requested = Signal()
    references_requested = Signal()
    help_requested = Signal()
    shortcuts_requested = Signal()
    about_requested = Signal()
    place_shown = Signal(int)
    files_dropped = Signal(list)
    webhook_requested = Signal()
    monitoring_requested = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setWindowTitle("Spindle")
        self.status = StatusArea(look)
        self.may_close: Callable[[], bool] = lambda: True
        self.side_bar = SideBar(look)
        self._places = QStackedWidget()
        self._framed = QTimer(self, singleShot=True, interval=_FRAMED_AFTER_MS)
        self._framed.timeout.connect(self._on_framed)
        self.setAcceptDrops(True)
        self._build()
        place_first(self)

    def add_place(self, name: str, icon_name: str, widget: QWidget) -> int:
        """Add a place, reached by its button and by Ctrl with its number from 1; returns its index from 0."""
        keys = QKeySequence(f"Ctrl+{self._places.count() + 1}")
        number = self.side_bar.add_place(name, icon_name, keys)
        self._places.addWidget(widget)
        shortcut = QShortcut(keys, self)
        shortcut.setWhatsThis(f"Show {name}")
        shortcut.activated.connect(self.side_bar.button(number).click)
        return number

    def show_place(self, number: int) -> None:
        self.side_bar.set_place(number)
        self._places.setCurrentIndex(number)
        self.place_shown.emit(number)

    @property
    def bar(self) -> MessageBar:
        """The message bar."""
        return self.status.bar

    @property
    def place(self) -> int:
        return self._places.currentIndex()

    @property
    def shown_place(self) -> QWidget | None:
        """The widget of the place that is shown."""
        return self._places.currentWidget()

    def bring_to_front(self) -> None:
        """Raise the window, also when it was minimised; some systems only make its taskbar entry blink."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()
        QApplication.alert(self)

    def geometry_text(self) -> str:
        """The window's geometry as a text for the settings."""
        return self.saveGeometry().toBase64().toStdString()

    def restore_geometry(self, text: str) -> None:
        """Restore the window's geometry; moved into the screen if that is smaller now or missing."""
        if text:
            self.restoreGeometry(QByteArray.fromBase64(QByteArray(text.encode())))
        fit_to_screen(self)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        if not event.spontaneous():
            self._framed.start()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        if self.may_close():
            event.accept()
        else:
            event.ignore()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        if _local_files(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        """Emit the files; they are only read, whatever drop action is proposed."""
        files = _local_files(event)
        if files:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self.files_dropped.emit(files)

    def _build(self) -> None:
        page = QWidget()
        column = QVBoxLayout()
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._places, 1)
        column.addWidget(self.status)
        row = QHBoxLayout(page)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.side_bar)
        row.addLayout(column, 1)
        self.setCentralWidget(page)
        self.side_bar.chosen.connect(self.show_place)
        self.side_bar.set_menu(self._menu())

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        show_settings = menu.addAction("Settings…")
        show_settings.setShortcut(QKeySequence("Ctrl+,"))
        show_settings.triggered.connect(self.settings_requested)
        menu.addAction("Webhook…").triggered.connect(self.webhook_requested)
        menu.addAction("Monitoring…").triggered.connect(self.monitoring_requested)
        menu.addSeparator()
        menu.addAction("Marks and keys…").triggered.connect(self.marks_requested)
        menu.addAction("Practice servers…").triggered.connect(self.servers_requested)
        menu.addAction("Machines…").triggered.connect(self.machines_requested)
        menu.addAction("Load machines…").triggered.connect(self.load_machines_requested)
        menu.addAction("Idle watts…").triggered.connect(self.idle_watts_requested)
        menu.addAction("Configurations…").triggered.connect(self.configurations_requested)
        menu.addAction("Published results…").triggered.connect(self.references_requested)
        menu.addSeparator()
        show_help = menu.addAction("Help")
        show_help.setShortcut(QKeySequence(Qt.Key.Key_F1))
        show_help.triggered.connect(self.help_requested)
        show_shortcuts = menu.addAction("Keyboard shortcuts…")
        show_shortcuts.setShortcut(QKeySequence(Qt.Key.Key_Question))  # fields in which one types keep the key
        show_shortcuts.triggered.connect(self.shortcuts_requested)
        menu.addAction("About Spindle").triggered.connect(self.about_requested)
        menu.addSeparator()
        leave = menu.addAction("Quit")
        leave.setShortcut(QKeySequence.StandardKey.Quit)
        leave.triggered.connect(self.close)
        # Their shortcuts work while the menu is closed.
        self.addActions([show_settings, show_help, show_shortcuts, leave])
        return menu

    def _on_framed(self) -> None:
        fit_to_screen(self)


def _local_files(event: QDropEvent) -> list[Path]:
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
