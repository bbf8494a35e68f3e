"""The line at the foot of the window with messages: a sentence, possibly with a button.

It has its own place, so that no message covers or moves anything. News disappear by themselves or with a click; errors
and warnings stay until they are closed, and reappear after later news.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QColor, QMouseEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from widgets.parts.elided_label import ElidedLabel
from widgets.parts.icons import icon
from widgets.parts.look import Look
from widgets.parts.popover import Popover

_SHOWN_MS = 6_000
_SHOWN_WITH_ACTION_MS = 15_000
_WHOLE_TEXT_CHARACTERS = 70


class Severity(StrEnum):
    """How serious a message is; the value is its icon."""

    INFO = "info"
    SUCCESS = "tick"
    WARNING = "warning"
    ERROR = "error"


_PASSING = (Severity.INFO, Severity.SUCCESS)


@dataclass(frozen=True)
class _Message:
    text: str
    severity: Severity = Severity.INFO
    action: str = ""
    act: Callable[[], None] | None = None
    topic: str = ""

    @property
    def is_passing(self) -> bool:
        return self.severity in _PASSING


_NOTHING = _Message("")


class MessageBar(QFrame):
    """Empty while there is no message.

    A message with a ``topic`` replaces an earlier one on the same topic, even an error: an error about a file does not
    outlive the message that the file was read.
    """

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._passing: _Message | None = None
        self._staying: list[_Message] = []
        self._sign = QLabel(self)
        self._text = ElidedLabel(parent=self)
        self._others = QLabel(self)
        self._more, self._action, self._close = (QToolButton(self) for _ in range(3))
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._pass)
        self._build()
        self._render()

    def show_message(
        self,
        text: str,
        severity: Severity = Severity.INFO,
        *,
        action: str = "",
        act: Callable[[], None] | None = None,
        topic: str = "",
    ) -> None:
        """Show one sentence; ``action`` is a button that calls ``act`` and closes the message."""
        message = _Message(text, severity, action, act, topic)
        self._staying = [each for each in self._staying if not (each.text == text or _is_about(each, topic))]
        if message.is_passing:
            self._passing = message
            self._timer.start(_SHOWN_WITH_ACTION_MS if action else _SHOWN_MS)
        else:
            self._passing = None
            self._staying.append(message)
        self._render()

    def drop(self, topic: str) -> None:
        """Remove the message on a topic."""
        self._staying = [each for each in self._staying if not _is_about(each, topic)]
        if self._passing is not None and _is_about(self._passing, topic):
            self._passing = None
        self._render()

    @property
    def text(self) -> str:
        """The displayed message, empty without one."""
        return self._message.text

    @property
    def severity(self) -> Severity:
        return self._message.severity

    @property
    def action_button(self) -> QAbstractButton:
        return self._action

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._offer_whole_text()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A click closes news; errors and warnings have a button for it."""
        if event.button() is Qt.MouseButton.LeftButton and self._message.is_passing:
            self._leave()

    @property
    def _message(self) -> _Message:
        return self._passing or (self._staying[-1] if self._staying else _NOTHING)

    def _build(self) -> None:
        self._more.setText("More")
        self._more.setAccessibleName("Show the whole message")
        self._more.clicked.connect(self._show_whole_text)
        self._action.clicked.connect(self._on_action)
        self._close.setIcon(icon("cross", self._look))
        self._close.setAutoRaise(True)
        self._close.setToolTip("Close the message")
        self._close.setAccessibleName("Close the message")
        self._close.clicked.connect(self._leave)
        for button in (self._more, self._action, self._close):
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 1, 4, 1)
        layout.addWidget(self._sign)
        layout.addWidget(self._text, 1)
        for widget in (self._more, self._others, self._action, self._close):
            layout.addWidget(widget)
        self._look.changed.connect(self._paint)

    def _render(self) -> None:
        message, others = self._message, len(self._staying) - 1
        self._text.setText(message.text)
        self._text.setAccessibleName(message.text)
        self._action.setText(message.action)
        self._action.setAccessibleName(message.action or "Act on the message")
        self._action.setVisible(bool(message.action))
        self._others.setText(f"1 of {others + 1}")
        self._others.setVisible(others > 0 and not message.is_passing)
        self._sign.setVisible(bool(message.text))
        self._close.setVisible(bool(message.text))
        self._paint()
        self._offer_whole_text()

    def _offer_whole_text(self) -> None:
        """A sentence that is cut has a button to read the rest; the button's room is available to the sentence."""
        layout = self.layout()
        assert layout is not None
        layout.activate()
        room = self._text.width()
        if not self._more.isHidden():
            room += self._more.width() + layout.spacing()
        self._more.setVisible(self.fontMetrics().horizontalAdvance(self.text) > room)

    def _show_whole_text(self) -> None:
        whole = _WholeText(self.text, self._look, self)
        whole.adjustSize()
        whole.move(self.mapToGlobal(QPoint(0, -whole.height())))
        whole.show()

    def _pass(self) -> None:
        """Disappear, unless the pointer is on the message."""
        if self._passing is None:
            return
        if self.underMouse():
            self._timer.start(_SHOWN_MS)
        else:
            self._leave()

    def _leave(self) -> None:
        """Close the displayed message; an error that was not closed yet reappears."""
        if self._passing is not None:
            self._passing = None
            self._timer.stop()
        elif self._staying:
            self._staying.pop()
        self._render()

    def _on_action(self) -> None:
        act = self._message.act
        self._leave()
        if act is not None:
            act()

    def _paint(self) -> None:
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.Window, self._ground())
        self.setPalette(palette)
        self.setAutoFillBackground(bool(self.text))
        size = self.fontMetrics().height()
        self._sign.setPixmap(icon(self.severity.value, self._look).pixmap(size, size))

    def _ground(self) -> QColor:
        colours, message = self._look.colours, self._message
        if message.is_passing:
            return _mixed(QColor(colours.text), QColor(colours.raised), 0.08)
        hue = colours.warning if message.severity is Severity.WARNING else colours.bad
        return _mixed(QColor(hue), QColor(colours.surface), 0.2)


class _WholeText(Popover):
    """A message with all its lines, above the bar; a click elsewhere or Escape closes it."""

    def __init__(self, text: str, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        label = QLabel(text, self)
        label.setTextFormat(Qt.TextFormat.PlainText)  # names of runs and servers' messages are not markup
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setFixedWidth(_WHOLE_TEXT_CHARACTERS * self.fontMetrics().averageCharWidth())
        layout = QVBoxLayout(self)
        layout.addWidget(label)


def _is_about(message: _Message, topic: str) -> bool:
    return bool(topic) and message.topic == topic


def _mixed(colour: QColor, ground: QColor, share: float) -> QColor:
    return QColor(
        round(share * colour.red() + (1 - share) * ground.red()),
        round(share * colour.green() + (1 - share) * ground.green()),
        round(share * colour.blue() + (1 - share) * ground.blue()),
    )
