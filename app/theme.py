"""Light and dark: the Fusion style with our palette, following the system unless the user chose one.

Switched at once; nothing has to be started anew.
"""

from enum import StrEnum

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from widgets.parts.look import DARK, LIGHT, Colours, Look

_Role = QPalette.ColorRole
_Group = QPalette.ColorGroup


class Theme(StrEnum):
    """What the user chose."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


_WITH_BOXES = ("QCheckBox", "QRadioButton", "QMenu")  # of cells, see widgets.parts.cell_delegates
_SCHEMES = {
    Theme.SYSTEM: Qt.ColorScheme.Unknown,
    Theme.LIGHT: Qt.ColorScheme.Light,
    Theme.DARK: Qt.ColorScheme.Dark,
}


class Themer(QObject):
    """Keeps the application's palette and the ``look`` in step with the choice and with the system."""

    def __init__(self, application: QApplication, look: Look) -> None:
        super().__init__(application)
        self._application = application
        self._look = look
        self._theme = Theme.SYSTEM
        application.setStyle("Fusion")
        application.styleHints().colorSchemeChanged.connect(self._apply)
        self._apply()

    @property
    def theme(self) -> Theme:
        return self._theme

    def choose(self, theme: Theme) -> None:
        """Take a theme; on a platform that can't be told so, ours is taken all the same."""
        self._theme = theme
        self._application.styleHints().setColorScheme(_SCHEMES[theme])
        self._apply()

    def _apply(self) -> None:
        dark = self._theme is Theme.DARK or (
            self._theme is Theme.SYSTEM and self._application.styleHints().colorScheme() == Qt.ColorScheme.Dark
        )
        colours = DARK if dark else LIGHT
        outlined = _outlined_palette_of(colours)
        self._application.setPalette(palette_of(colours))
        for name in _WITH_BOXES:
            # The stubs want bytes, Qt takes none.
            self._application.setPalette(outlined, name)  # type: ignore[arg-type]
        self._look.set_dark(dark)


def palette_of(colours: Colours) -> QPalette:
    """The palette that goes with our own painting."""
    palette = QPalette(QColor(colours.raised), QColor(colours.window))
    for role, colour in (
        (_Role.Window, colours.window),
        (_Role.WindowText, colours.text),
        (_Role.Base, colours.field),
        (_Role.AlternateBase, colours.window),
        (_Role.Text, colours.text),
        (_Role.Button, colours.raised),
        (_Role.ButtonText, colours.text),
        (_Role.BrightText, colours.bad),
        (_Role.ToolTipBase, colours.raised),
        (_Role.ToolTipText, colours.text),
        (_Role.PlaceholderText, colours.muted),
        (_Role.Highlight, colours.accent),
        (_Role.HighlightedText, colours.surface),
        (_Role.Accent, colours.accent),
        (_Role.Link, colours.accent),
        (_Role.LinkVisited, colours.accent),
    ):
        palette.setColor(role, QColor(colour))
    for role in (_Role.WindowText, _Role.Text, _Role.ButtonText):
        palette.setColor(_Group.Disabled, role, QColor(colours.muted))
    palette.setColor(_Group.Disabled, _Role.Highlight, QColor(colours.faint))
    return palette


def _outlined_palette_of(colours: Colours) -> QPalette:
    """The palette of what has boxes to tick, none of which paints its window's colour.

    Fusion outlines a box with that colour, made darker: beside dark grounds nobody saw a box that is not ticked.
    """
    palette = palette_of(colours)
    palette.setColor(_Role.Window, QColor(colours.outline).lighter(140).darker(110))  # Fusion's way, gone back
    return palette
