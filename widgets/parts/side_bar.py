"""The side bar: buttons for the window's places, and the main menu."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QIcon, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QMenu,
    QSizePolicy,
    QStyle,
    QStyleOptionToolButton,
    QStylePainter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from widgets.parts.fonts import scaled, tabular, text_width
from widgets.parts.icons import icon
from widgets.parts.look import Look
from widgets.parts.shapes import Shape, Tone, paint_shape

_ICON_LINES = 1.6
_BADGE_FONT_FACTOR = 0.85
_WIDEST_BADGE = "88:88:88"
_SIGN_SHARE = 0.75
_GAP = 3


@dataclass(frozen=True)
class Badge:
    """What is in progress at a place: a shape, a short text such as the time left, and both in a sentence."""

    shape: Shape
    tone: Tone
    text: str
    sentence: str


class SideBar(QFrame):
    """One button per place, exactly one of them checked; ``chosen`` carries the index of the place to show."""

    chosen = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._group.idClicked.connect(self.chosen)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(3, 8, 3, 8)
        self._layout.addStretch(1)
        self._menu_button = QToolButton(self)
        self._style(self._menu_button, "menu", "Menu")
        self._menu_button.setToolTip("Menu: settings, marks and keys, machines, help, quit")
        self._menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._layout.addWidget(self._menu_button)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAutoFillBackground(True)
        look.changed.connect(self.update)

    def add_place(self, name: str, icon_name: str, shortcut: QKeySequence) -> int:
        """Add the button of a place, and return its index, from 0."""
        number = len(self._group.buttons())
        keys = shortcut.toString(QKeySequence.SequenceFormat.NativeText)
        button = _PlaceButton(self._look, f"{name} ({keys})", self)
        self._style(button, icon_name, name)
        button.set_badge(None)
        button.setCheckable(True)
        self._group.addButton(button, number)
        self._layout.insertWidget(number, button)
        return number

    def set_place(self, number: int) -> None:
        """Check the button of the place that is shown."""
        self._group.button(number).setChecked(True)

    def set_badge(self, number: int, badge: Badge | None) -> None:
        """What is in progress at a place; ``None``: nothing."""
        self._place_button(number).set_badge(badge)

    def badge(self, number: int) -> Badge | None:
        return self._place_button(number).badge

    def button(self, number: int) -> QToolButton:
        return self._place_button(number)

    def set_menu(self, menu: QMenu) -> None:
        """The main menu."""
        self._menu_button.setMenu(menu)

    def _place_button(self, number: int) -> "_PlaceButton":
        button = self._group.button(number)
        assert isinstance(button, _PlaceButton)
        return button

    def _style(self, button: QToolButton, icon_name: str, text: str) -> None:
        button.setText(text)
        button.setIcon(icon(icon_name, self._look))
        side = round(_ICON_LINES * self.fontMetrics().height())
        button.setIconSize(QSize(side, side))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.setAccessibleName(text)


class _PlaceButton(QToolButton):
    """Reserves a line below its name for the badge, so that nothing moves when one appears."""

    def __init__(self, look: Look, tip: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.badge: Badge | None = None
        self._look = look
        self._tip = tip
        self._badge_font = tabular(scaled(self.font(), _BADGE_FONT_FACTOR, bold=True))

    def set_badge(self, badge: Badge | None) -> None:
        if badge == self.badge and self.toolTip():
            return
        self.badge = badge
        self.setToolTip(self._tip if badge is None else f"{self._tip}\n{badge.sentence}")
        self.setAccessibleDescription("" if badge is None else badge.sentence)
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        usual = super().sizeHint()
        widest = text_width(self._badge_font, _WIDEST_BADGE) + self._line_height + _GAP
        return QSize(max(usual.width(), widest), usual.height() + self._line_height)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter = QStylePainter(self)
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        option.text, option.icon = "", QIcon()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)
        option.text, option.icon = self.text(), self.icon()
        option.rect = self.rect().adjusted(0, 0, 0, -self._line_height)
        painter.drawControl(QStyle.ControlElement.CE_ToolButtonLabel, option)
        if self.badge is not None:
            self._paint_badge(painter, self.badge)

    def _paint_badge(self, painter: QPainter, badge: Badge) -> None:
        painter.setFont(self._badge_font)
        width = text_width(self._badge_font, badge.text)
        side = _SIGN_SHARE * self._line_height
        left = (self.width() - side - _GAP - width) / 2
        top = float(self.height() - self._line_height - _GAP)
        sign = QRectF(left, top + (self._line_height - side) / 2, side, side)
        paint_shape(painter, sign, badge.shape, QColor(getattr(self._look.colours, badge.tone)))
        painter.setPen(QColor(self._look.colours.text))
        box = QRectF(left + side + _GAP, top, width + 1, self._line_height)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, badge.text)

    @property
    def _line_height(self) -> int:
        return QFontMetrics(self._badge_font).height()
