"""The bar on which the window tells what happened: one sentence, perhaps one thing to do about it, never a box.

A newer message takes the place of an older one. News pass by themselves; what is serious stays until it is closed, and
comes back when news that were told meanwhile have passed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from widgets.parts.icons import icon
from widgets.parts.look import Look

_SHOWN_MS = 12_000
_PASSING_LETTERS = 90


class Tone(StrEnum):
    """How serious a message is; the word stands before the sentence for everything but news."""

    NEWS = "info"
    GOOD = "tick"
    WARNING = "warning"
    TROUBLE = "cross"


_PASSING = (Tone.NEWS, Tone.GOOD)


@dataclass(frozen=True)
class _Message:
    text: str
    tone: Tone
    action: str
    act: Callable[[], None] | None


class MessageBar(QFrame):
    """Hidden while there is nothing to say. ``passing_changed`` comes before a message that goes, or does not, by
    itself."""

    passing_changed = Signal(bool)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._message = _Message("", Tone.NEWS, "", None)
        self._staying: _Message | None = None
        self._sign = QLabel(self)
        self._text = QLabel(self)
        self._action = QPushButton(self)
        self._close = QToolButton(self)
        self._timer = QTimer(self, singleShot=True, interval=_SHOWN_MS)
        self._build()
        self.hide()

    def show_message(
        self, text: str, tone: Tone = Tone.NEWS, *, action: str = "", act: Callable[[], None] | None = None
    ) -> None:
        """Say one sentence; ``action`` is a button that calls ``act`` and closes the bar."""
        message = _Message(text, tone, action, act)
        self._staying = self._staying if tone in _PASSING else message
        self._show(message)

    def _show(self, message: "_Message") -> None:
        was_passing, self._message = self.is_passing, message
        if self.is_passing != was_passing:
            self.passing_changed.emit(self.is_passing)
        self._text.setText(message.text)
        self._text.setAccessibleName(message.text)
        letter = self.fontMetrics().averageCharWidth()
        widest = min(self.fontMetrics().horizontalAdvance(message.text) + letter, _PASSING_LETTERS * letter)
        self._text.setMinimumWidth(widest if self.is_passing else 0)
        self._action.setText(message.action)
        self._action.setVisible(bool(message.action))
        self._paint()
        self.show()
        if self.is_passing:
            self._timer.start()
        else:
            self._timer.stop()

    @property
    def text(self) -> str:
        """What is being said, empty when nothing is."""
        return "" if self.isHidden() else self._text.text()

    @property
    def tone(self) -> Tone:
        return self._message.tone

    @property
    def is_passing(self) -> bool:
        """Whether the message goes by itself after a while."""
        return self._message.tone in _PASSING

    @property
    def action_button(self) -> QPushButton:
        return self._action

    def _build(self) -> None:
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)  # names of runs and servers' words are no markup
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._action.setAccessibleName("Act on the message")
        self._close.setIcon(icon("cross", self._look))
        self._close.setAutoRaise(True)
        self._close.setToolTip("Close the message")
        self._close.setAccessibleName("Close the message")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 4, 6, 4)
        layout.addWidget(self._sign)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._action)
        layout.addWidget(self._close)
        self._action.clicked.connect(self._on_action)
        self._close.clicked.connect(self._leave)
        self._timer.timeout.connect(self._pass)
        self._look.changed.connect(self._paint)

    def _pass(self) -> None:
        """Go, unless somebody is about to click."""
        if self.underMouse():
            self._timer.start()
        else:
            self._leave()

    def _leave(self) -> None:
        """Close, or come back to what is serious and was not closed yet."""
        self._timer.stop()
        if self._message is self._staying or self._staying is None:
            self._staying = None
            self.hide()
        else:
            self._show(self._staying)

    def _on_action(self) -> None:
        act = self._message.act
        self._leave()
        if act is not None:
            act()

    def _paint(self) -> None:
        colours = self._look.colours
        if self.is_passing:
            ground = _mixed(QColor(colours.text), QColor(colours.raised), 0.08)
        else:
            hue = colours.warning if self._message.tone is Tone.WARNING else colours.bad
            ground = _mixed(QColor(hue), QColor(colours.surface), 0.16)
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.Window, ground)
        self.setPalette(palette)
        size = self.fontMetrics().height()
        self._sign.setPixmap(icon(self._message.tone.value, self._look).pixmap(size, size))


def _mixed(colour: QColor, ground: QColor, share: float) -> QColor:
    return QColor(
        round(share * colour.red() + (1 - share) * ground.red()),
        round(share * colour.green() + (1 - share) * ground.green()),
        round(share * colour.blue() + (1 - share) * ground.blue()),
    )
