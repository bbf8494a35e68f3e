"""The icons of ``resources/icons``: SVG, drawn in the text colour of the look; and the buttons that show one."""

import weakref

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget
from shiboken6 import isValid

from resources import read_icon
from widgets.parts.look import Look


def icon(name: str, look: Look) -> QIcon:
    """The icon of a name; it follows the look when it is painted again."""
    return QIcon(_SvgEngine(read_icon(name), look))


def tool_button(name: str, says: str, look: Look, parent: QWidget) -> QToolButton:
    """A button with the icon of a name; ``says`` is its tool tip and what a screen reader says."""
    button = QToolButton(parent)
    button.setIcon(icon(name, look))
    button.setAccessibleName(says)
    button.setToolTip(says)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


def set_icon(button: QPushButton, name: str, look: Look) -> None:
    """Give a button that may be its dialog's default the icon of a name, in the colour of its text."""
    button.setIcon(QIcon(_SvgEngine(read_icon(name), look, button)))


class PaintedIcon(QIconEngine):
    """An icon that ``paint`` draws, in the colours of the moment at which it is painted."""

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, pixmap.rect(), mode, state)
        painter.end()
        return pixmap


class _SvgEngine(PaintedIcon):
    """Paints an SVG whose strokes are ``currentColor``."""

    def __init__(self, svg: str, look: Look, button: QPushButton | None = None) -> None:
        super().__init__()
        self._svg = svg
        self._look = look
        # The button owns the icon, and so this engine: a strong reference would keep it while it is destroyed.
        self._button = None if button is None else weakref.ref(button)

    def paint(self, painter: QPainter, rect: object, mode: QIcon.Mode, state: QIcon.State) -> None:
        colours = self._look.colours
        button = self._owner()
        usual = colours.on_selection if button is not None and button.isDefault() else colours.text
        colour = {QIcon.Mode.Disabled: colours.disabled, QIcon.Mode.Selected: colours.on_selection}.get(mode, usual)
        renderer = QSvgRenderer(QByteArray(self._svg.replace("currentColor", colour).encode()))
        renderer.render(painter, QRectF(rect))  # type: ignore[call-overload]

    def clone(self) -> QIconEngine:
        return _SvgEngine(self._svg, self._look, self._owner())

    def _owner(self) -> QPushButton | None:
        """The button that shows the icon, if it is still there."""
        button = None if self._button is None else self._button()
        return button if button is not None and isValid(button) else None
