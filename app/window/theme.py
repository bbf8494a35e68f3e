"""Light and dark themes: palette and style sheet over the Fusion style, following the system unless the user chose one.

The theme changes without a restart.
"""

from dataclasses import asdict
from enum import StrEnum
from string import Template

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from resources import folder_of, read_text
from widgets.parts.fonts import scaled
from widgets.parts.look import DARK, LIGHT, Colours, Look

_Role = QPalette.ColorRole
_Group = QPalette.ColorGroup


class Theme(StrEnum):
    """The user's choice."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


_USUAL_FONT = "usual font"
_HAS_FONT = Qt.WidgetAttribute.WA_SetFont
_SCHEMES = {
    Theme.SYSTEM: Qt.ColorScheme.Unknown,
    Theme.LIGHT: Qt.ColorScheme.Light,
    Theme.DARK: Qt.ColorScheme.Dark,
}


class Themer(QObject):
    """Keeps the application's palette and the ``look`` in step with the choice and the system."""

    def __init__(self, application: QApplication, look: Look, theme: Theme = Theme.SYSTEM) -> None:
        super().__init__(application)
        self._application = application
        self._look = look
        self._theme = theme
        self._has_sheet = False
        application.setStyle("Fusion")
        application.styleHints().colorSchemeChanged.connect(self._apply)
        self.choose(theme)

    @property
    def theme(self) -> Theme:
        return self._theme

    def choose(self, theme: Theme) -> None:
        """Use a theme; where the platform can't switch, our palette is switched all the same."""
        self._theme = theme
        self._application.styleHints().setColorScheme(_SCHEMES[theme])
        self._apply()

    def apply_style_sheet(self) -> None:
        """Set the style sheet from now on. Call it after the widgets are created and before they are shown: Qt matches
        the sheet again whenever a widget gets another parent, which makes creating a window twice as slow."""
        self._has_sheet = True
        self._apply()

    def _apply(self) -> None:
        dark = self._theme is Theme.DARK or (
            self._theme is Theme.SYSTEM and self._application.styleHints().colorScheme() == Qt.ColorScheme.Dark
        )
        colours = DARK if dark else LIGHT
        self._application.setPalette(palette_of(colours))
        if self._has_sheet:
            self._set_style_sheet(style_sheet_of(colours))
        self._look.set_dark(dark)

    def _set_style_sheet(self, sheet: str) -> None:
        """Qt resets every widget to the font that was set first, so the last fonts are set again."""
        if sheet == self._application.styleSheet():
            return
        fonts = [(each, each.font()) for each in self._application.allWidgets() if each.testAttribute(_HAS_FONT)]
        self._application.setStyleSheet("")  # replacing a style sheet takes Qt twice as long as setting one
        self._application.setStyleSheet(sheet)
        for widget, font in fonts:
            widget.setFont(font)


def set_text_size(application: QApplication, size_pct: int) -> None:
    """Make the application's font so large, compared with the system's; before any widget is created."""
    usual = application.property(_USUAL_FONT) or application.font()
    application.setProperty(_USUAL_FONT, usual)
    application.setFont(scaled(usual, size_pct / 100))


def style_sheet_of(colours: Colours) -> str:
    """The style sheet in these colours, including its pictures."""
    images = folder_of("theme", "dark" if colours is DARK else "light").as_posix()
    return Template(read_text("theme", "style.qss")).substitute(asdict(colours), images=images)


def palette_of(colours: Colours) -> QPalette:
    """The palette that matches our own painting."""
    palette = QPalette(QColor(colours.raised), QColor(colours.window))
    for role, colour in (
        (_Role.Window, colours.window),
        (_Role.WindowText, colours.text),
        (_Role.Base, colours.field),
        (_Role.AlternateBase, colours.stripe),
        (_Role.Text, colours.text),
        (_Role.Button, colours.raised),
        (_Role.ButtonText, colours.text),
        (_Role.BrightText, colours.bad),
        (_Role.ToolTipBase, colours.raised),
        (_Role.ToolTipText, colours.text),
        (_Role.PlaceholderText, colours.muted),
        (_Role.Highlight, colours.selection),
        (_Role.HighlightedText, colours.on_selection),
        (_Role.Accent, colours.accent),
        (_Role.Link, colours.accent),
        (_Role.LinkVisited, colours.accent),
    ):
        palette.setColor(role, QColor(colour))
    for role in (_Role.WindowText, _Role.Text, _Role.ButtonText):
        palette.setColor(_Group.Disabled, role, QColor(colours.disabled))
    palette.setColor(_Group.Disabled, _Role.Highlight, QColor(colours.faint))
    palette.setColor(_Group.Disabled, _Role.HighlightedText, QColor(colours.text))
    return palette
