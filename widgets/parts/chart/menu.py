"""The actions on a whole chart: its context menu, and their shortcuts.

Ctrl+C copies the picture, F shows the chart in full screen and back on its page, L switches the scale. They work while
the chart has the focus: F11 and its neighbours set marks.
"""

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QImage, QKeySequence, QScreen
from PySide6.QtWidgets import QMenu, QWidget

from widgets.parts.chart.window import ChartWindow

_FULL_SCREEN, _LOGARITHMIC = QKeySequence("F"), QKeySequence("L")


class ChartMenu(QObject):
    """The actions of one chart; ``panel`` is what is shown in full screen, such as the chart with its buttons.

    ``alone_changed``: the panel was taken from its page, or put back.
    """

    alone_changed = Signal(bool)

    def __init__(self, chart: QWidget, view: QWidget, image: Callable[[], QImage], back: Callable[[], None]) -> None:
        super().__init__(chart)
        self.panel = chart
        self._view, self._image = view, image
        self.copy = self._action("Copy picture", QKeySequence(QKeySequence.StandardKey.Copy), self.copy_picture)
        self.whole = self._action("Show the whole run", QKeySequence(), back)
        self.alone = self._action("Full screen", _FULL_SCREEN, self.show_alone)
        self._more: list[QAction] = []
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self._on_context_menu)

    def add(self, action: QAction) -> None:
        """Add an action for this chart."""
        self._more.append(action)

    def offer_scale(self, turned: Callable[[bool], None], *, is_logarithmic: bool) -> QAction:
        """Offer a logarithmic scale."""
        action = self._action("Logarithmic scale", _LOGARITHMIC, None)
        action.setCheckable(True)
        action.setChecked(is_logarithmic)
        action.toggled.connect(turned)
        self.add(action)
        return action

    def copy_picture(self) -> None:
        """Copy the chart as displayed, with its caption and its legend."""
        QGuiApplication.clipboard().setImage(self._image())

    def show_alone(self) -> None:
        """Show the chart in full screen, or put it back on its page."""
        window = self.panel.window()
        if isinstance(window, ChartWindow):
            window.close()
        else:
            self._show_on(self.panel.screen())
        self._view.setFocus()

    def _show_on(self, screen: QScreen) -> None:
        window = ChartWindow(self.panel)
        window.closed.connect(self._on_closed)
        self.alone_changed.emit(True)
        window.show_on(screen)

    def _on_closed(self) -> None:
        self.alone_changed.emit(False)

    def menu(self) -> QMenu:
        """The present context menu."""
        menu = QMenu(self._view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions([self.copy, self.whole])
        menu.addActions(self._more)
        menu.addSeparator()
        is_alone = isinstance(self.panel.window(), ChartWindow)
        self.alone.setText("Back to the page" if is_alone else "Full screen")
        menu.addAction(self.alone)
        if not is_alone:
            self._offer_other_screens(menu)
        return menu

    def _offer_other_screens(self, menu: QMenu) -> None:
        for screen in QGuiApplication.screens():
            if screen is not self.panel.screen():
                action = menu.addAction(f"Full screen on {screen.name()}")
                action.triggered.connect(lambda _=False, screen=screen: self._show_on(screen))

    def _action(self, text: str, keys: QKeySequence, act: Callable[[], None] | None) -> QAction:
        action = QAction(text, self._view)
        action.setShortcut(keys)
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        if act is not None:
            action.triggered.connect(lambda _=False: act())
        self._view.addAction(action)
        return action

    def _on_context_menu(self, at: QPoint) -> None:
        self.menu().popup(self._view.mapToGlobal(at))
