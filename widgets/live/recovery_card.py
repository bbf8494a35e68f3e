"""One fault and the recovery from it: the state readable from three metres, and the figures below it.

The live panel shows the newest fault with it, the library each fault of a stored run.
"""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from engine.analysis.recovery.figures import Recovery
from engine.figure_text import UNKNOWN
from widgets.live.recovery_values import (
    SIGNS,
    WIDEST_CLOCK,
    WIDEST_VALUES,
    WITH_CLOCK,
    CardFigure,
    LostOrders,
    clock_caption,
    clock_text,
    figures_of,
    remarks_of,
    word_of,
)
from widgets.parts.elided_label import ElidedLabel
from widgets.parts.fonts import scaled, tabular, text_width
from widgets.parts.look import Look
from widgets.parts.shapes import ShapeSign

STATE_FACTOR = 2.7
LEAST_LINES = 3
_COLUMNS = 2
_COLUMN_SHARES = (11, 9)  # the longest figures are in the first column


class RecoveryCard(QWidget):
    """Its width does not change with its numbers; what does not fit is scrolled, or in the tool tips.

    ``upper`` holds the state and the figures, above the sentences.
    """

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state_factor = STATE_FACTOR
        self.upper = QWidget(self)
        self._sign = ShapeSign(look, self)
        self._word, self._clock = QLabel(self), QLabel(self)
        self._clock_caption = QLabel(self)
        self._sentence, self._remarks = QLabel(), QLabel()
        self._figures = [_FigureLine(widest, self) for widest in WIDEST_VALUES]
        self.text_area = self._scroll_text()
        self._lay_out()
        self._set_fonts()
        self.set_least_lines(LEAST_LINES)

    def show_recovery(self, recovery: Recovery, lost: LostOrders) -> None:
        """Show a fault; ``lost`` is what the audit found of its orders."""
        self._sign.show_shape(*SIGNS[recovery.state])
        _put(self._word, word_of(recovery.state), f"Recovery: {word_of(recovery.state)}")
        time, caption = clock_text(recovery), clock_caption(recovery)
        _put(self._clock, time, f"{caption} {time}")
        _put(self._clock_caption, caption)
        self._clock.setVisible(bool(time))
        self._show_caption_where_it_fits()
        _put(self._sentence, recovery.sentence)
        for line, figure in zip(self._figures, figures_of(recovery, lost), strict=True):
            line.show_figure(figure)
        _put(self._remarks, " ".join(remarks_of(recovery)))

    def set_least_lines(self, lines: int) -> None:
        """Keep room for so many lines of the sentences."""
        self.text_area.setMinimumHeight(lines * self.fontMetrics().lineSpacing())

    def limit_state_factor(self, most: float) -> None:
        """Let state and clock be at most so many times as large as the font."""
        if (factor := min(STATE_FACTOR, most)) != self._state_factor:
            self._state_factor = factor
            self._set_fonts()
            layout = self.layout()
            assert layout is not None
            layout.activate()  # so that the height is known at once

    @property
    def word(self) -> str:
        """The word for the state."""
        return self._word.text()

    @property
    def clock(self) -> str:
        """The text of the large clock."""
        return self._clock.text()

    @property
    def sentence(self) -> str:
        return self._sentence.text()

    @property
    def remarks(self) -> str:
        """The sentences below the state's own."""
        return self._remarks.text()

    def value(self, caption: str) -> str:
        """The figure with that caption; raises ``KeyError``."""
        return self._line(caption).value

    def explanation(self, caption: str) -> str:
        """The tool tip of the figure with that caption; raises ``KeyError``."""
        return self._line(caption).toolTip()

    def _line(self, caption: str) -> "_FigureLine":
        return {line.caption: line for line in self._figures}[caption]

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._set_fonts()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._show_caption_where_it_fits()

    def _show_caption_where_it_fits(self) -> None:
        """In a narrow panel only the sentence says what the clock counts."""
        others = (self._sign, self._word, self._clock)
        needed = sum(max(each.minimumWidth(), each.sizeHint().width()) for each in others)
        needed += self._clock_caption.sizeHint().width() + 4 * self._state.spacing()
        self._clock_caption.setVisible(bool(self.clock) and min(self.width(), self.upper.maximumWidth()) >= needed)

    def _lay_out(self) -> None:
        upper = QVBoxLayout(self.upper)
        upper.setContentsMargins(0, 0, 0, 0)
        upper.setSpacing(self.fontMetrics().descent())
        state = self._state = QHBoxLayout()
        state.addWidget(self._sign)
        state.addWidget(self._word)
        state.addStretch(1)
        state.addWidget(self._clock_caption, 0, Qt.AlignmentFlag.AlignBottom)
        state.addWidget(self._clock)
        self._clock.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        grid = QGridLayout()
        grid.setVerticalSpacing(0)
        grid.setHorizontalSpacing(2 * self.fontMetrics().averageCharWidth())
        for place, line in enumerate(self._figures):
            grid.addWidget(line, place // _COLUMNS, place % _COLUMNS)
        for place, share in enumerate(_COLUMN_SHARES):
            grid.setColumnStretch(place, share)
        upper.addLayout(state)
        upper.addLayout(grid)
        left = QHBoxLayout()
        left.addWidget(self.upper, 1)
        left.addStretch(0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(self.fontMetrics().descent())
        layout.addLayout(left)
        layout.addWidget(self.text_area, 1)

    def _scroll_text(self) -> QScrollArea:
        """The sentence and the remarks, which share their lines: below the figures, so that these never move."""
        text = QWidget()
        column = QVBoxLayout(text)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for label in (self._sentence, self._remarks):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setMinimumWidth(1)
            label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
            column.addWidget(label)
        column.addStretch(1)
        self._remarks.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        area = _LinesArea(self)
        area.setWidget(text)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.viewport().setAutoFillBackground(False)
        text.setAutoFillBackground(False)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setAccessibleName("Notes on the recovery")
        area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return area

    def _set_fonts(self) -> None:
        far = tabular(scaled(self.font(), self._state_factor, bold=True))
        for widget in (self._sign, self._word, self._clock):
            widget.setFont(far)
        self._word.setMinimumWidth(text_width(far, *(word_of(state) for state in WITH_CLOCK)))
        self._clock.setMinimumWidth(text_width(far, WIDEST_CLOCK))
        # Aligned with the base line of the large words beside it.
        raised = self._clock.fontMetrics().descent() - self._clock_caption.fontMetrics().descent()
        self._clock_caption.setContentsMargins(0, 0, 0, raised)


class _LinesArea(QScrollArea):
    """Shows whole lines only."""

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.setViewportMargins(0, 0, 0, self.height() % self.fontMetrics().lineSpacing())


class _FigureLine(QWidget):
    """A caption on the left, elided where it has no room, and its value on the right."""

    def __init__(self, widest: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._caption, self._value = ElidedLabel(parent=self), QLabel(UNKNOWN, self)
        self._widest = widest
        self._caption.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._caption, 1)
        layout.addWidget(self._value)
        self._set_fonts()

    @property
    def value(self) -> str:
        return self._value.text()

    @property
    def caption(self) -> str:
        return self._caption.text()

    def show_figure(self, figure: CardFigure) -> None:
        if figure.caption != self.caption:
            self._caption.set_texts(figure.caption, *filter(None, (figure.short,)))
            self._caption.setAccessibleName(figure.caption)
        _put(self._value, figure.value, f"{figure.caption}: {figure.value}")
        if (needed := text_width(self._value.font(), figure.value)) > self._value.minimumWidth():
            self._value.setMinimumWidth(needed)
        if figure.tool_tip != self.toolTip():
            self.setToolTip(figure.tool_tip)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._set_fonts()

    def _set_fonts(self) -> None:
        font = tabular(scaled(self.font(), 1.0, bold=True))
        self._value.setFont(font)
        self._value.setMinimumWidth(text_width(font, self._widest))


def _put(label: QLabel, text: str, accessible_text: str = "") -> None:
    """Setting the same text again would cost time."""
    if text != label.text():
        label.setText(text)
        label.setAccessibleName(accessible_text or text)
