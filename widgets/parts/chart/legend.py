"""The line below a chart: the origin of its time axis, and the names of the curves, wrapped as needed.

A click on a name, or Space, shows that curve alone, and again all of them; the pointer on a name brings its curve to
the front. Tab moves to one name, the arrow keys to the others.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QFocusEvent, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QLabel, QSizePolicy, QWidget

from widgets.parts.flow_layout import FlowLayout, filled
from widgets.parts.look import Look

_MOST_WITH_TITLE = 0.75
_SAMPLE_EMS = 1.4
_GAP_EMS = 0.4
_SAMPLE_HEIGHT = 2.5
_WIDEST_EMS = 26
_SIDEWAYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


@dataclass(frozen=True)
class LegendEntry:
    """A curve's name and its present colour; a hidden curve is listed as well."""

    key: Hashable
    name: str
    colour: str
    dashed: bool = False
    is_shown: bool = True


class ChartLegend(QWidget):
    """``isolate_requested`` carries the key of the curve to show alone, or to show with all again; ``toggle_requested``
    that of the curve to show or hide; ``pointed`` that of the curve under the pointer or the keyboard focus, or
    ``None``."""

    isolate_requested = Signal(object)
    toggle_requested = Signal(object)
    pointed = Signal(object)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._entries: tuple[LegendEntry, ...] = ()
        self._buttons: list[_EntryButton] = []
        self._titles: tuple[str, ...] = ()
        self._title = QLabel(self)
        self._title.hide()
        self._title.setForegroundRole(self._title.palette().ColorRole.PlaceholderText)
        self._flow = FlowLayout(row_spacing=0)
        self._flow.setSpacing(round(0.8 * self.fontMetrics().height()))
        layout = self._layout = QHBoxLayout(self)
        layout.setContentsMargins(round(0.4 * self.fontMetrics().height()), 0, 0, 2)
        layout.setSpacing(round(1.5 * self.fontMetrics().height()))
        layout.addWidget(self._title, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(self._flow, 1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Maximum)

    def set_titles(self, titles: tuple[str, ...]) -> None:
        """The origin of the time axis, its unit, and more; the first of these that ``fit`` has room for is shown."""
        self._titles = titles

    def fit(self, width: int, room: int) -> None:
        """Limit the height to ``room``, and with a title that needs another line to three quarters of it: the names
        have priority. Dashed curves are not listed where only the others have room.

        Computed before anything is shown or hidden: either may resize the chart, which calls this again meanwhile.
        """
        margins = self._layout.contentsMargins()
        width -= margins.left() + margins.right()
        around = margins.top() + margins.bottom()
        listed = self._buttons[: len(self._entries)]
        if self._height_of(listed, width) + around > room:
            solid = [button for button in listed if not button.entry.dashed]
            if self._height_of(solid, width) + around <= room:
                listed = solid
        height = without = self._height_of(listed, width)
        chosen = ""
        for title in self._titles:
            size = self._title.fontMetrics().size(0, title)
            with_title = max(size.height(), self._height_of(listed, width - size.width() - self._layout.spacing()))
            if with_title <= without or with_title + around <= _MOST_WITH_TITLE * room:
                height, chosen = with_title, title
                break
        if chosen:
            self._title.setText(chosen)
        self._title.setVisible(bool(chosen))
        for button in self._buttons:
            button.setVisible(button in listed)
        self.setVisible(height + around <= room)

    def _height_of(self, buttons: Sequence["_EntryButton"], width: int) -> int:
        """What the flow would have with these buttons, whether they are shown now or not."""
        rows = filled(buttons, width, self._flow.spacing())
        return sum(row[0].sizeHint().height() for row in rows)

    @property
    def title(self) -> str:
        """The title that is shown where there is room."""
        return self._titles[0] if self._titles else ""

    def set_entries(self, entries: Sequence[LegendEntry]) -> None:
        """List these curves, or none."""
        if tuple(entries) == self._entries:
            return
        self._entries = tuple(entries)
        while len(self._buttons) < len(entries):
            self._add_button()
        for place, button in enumerate(self._buttons):
            button.setVisible(place < len(entries))
            if place < len(entries):
                button.show_entry(entries[place])
        self._choose_tab_stop(0)
        self.updateGeometry()

    @property
    def entries(self) -> tuple[LegendEntry, ...]:
        return self._entries

    @property
    def buttons(self) -> list[QAbstractButton]:
        """The buttons of the listed curves, but those that have no room."""
        return list(self._listed())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        by = _SIDEWAYS.get(Qt.Key(event.key()), 0)
        here = next((place for place, button in enumerate(self.buttons) if button.hasFocus()), None)
        if not by or here is None:
            super().keyPressEvent(event)
            return
        buttons = self._listed()
        button = buttons[(here + by) % len(buttons)]
        self._choose_tab_stop(self._buttons.index(button))
        button.setFocus(Qt.FocusReason.TabFocusReason)

    def _listed(self) -> list["_EntryButton"]:
        return [button for button in self._buttons[: len(self._entries)] if not button.isHidden()]

    def _add_button(self) -> None:
        button = _EntryButton(self._look, self)
        button.clicked.connect(self._on_clicked)
        button.pointed.connect(self.pointed)
        self._buttons.append(button)
        self._flow.addWidget(button)

    def _choose_tab_stop(self, place: int) -> None:
        for other, button in enumerate(self._buttons):
            is_stop = other == place and place < len(self._entries)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus if is_stop else Qt.FocusPolicy.ClickFocus)

    def _on_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, _EntryButton):
            signal = self.toggle_requested if button.has_control else self.isolate_requested
            signal.emit(button.entry.key)


class _EntryButton(QAbstractButton):
    """A sample of the line, and the name, which is struck out while the curve is hidden."""

    pointed = Signal(object)

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.entry = LegendEntry(None, "", "")
        self.has_control = False
        self._look = look
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.pressed.connect(self._on_pressed)

    def show_entry(self, entry: LegendEntry) -> None:
        self.entry = entry
        self.setText(self._shortened(entry.name))
        self.setToolTip(f"{entry.name}: click to show it alone, Ctrl and click to show or hide it")
        self.setAccessibleName(f"{entry.name}, {'shown' if entry.is_shown else 'hidden'}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        em = self.fontMetrics().height()
        width = QFontMetricsF(self.font()).horizontalAdvance(self.text()) + (_SAMPLE_EMS + 2 * _GAP_EMS) * em
        return QSize(round(width) + 2, self.fontMetrics().height() + 4)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter, colours = QPainter(self), self._look.colours
        em, middle = self.fontMetrics().height(), self.rect().center().y() + 0.5
        if self.underMouse() or self.hasFocus():
            painter.fillRect(self.rect(), QColor(colours.hover))
        if self.hasFocus():
            painter.setPen(QColor(colours.accent))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        sample = QRectF(_GAP_EMS * em / 2, middle - _SAMPLE_HEIGHT / 2, _SAMPLE_EMS * em, _SAMPLE_HEIGHT)
        paint_sample(painter, sample, self.entry)
        font = self.font()
        font.setStrikeOut(not self.entry.is_shown)
        painter.setFont(font)
        painter.setPen(QColor(colours.text if self.entry.is_shown else colours.muted))
        left = round(sample.right() + _GAP_EMS * em)
        painter.drawText(self.rect().adjusted(left, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self.text())

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802
        super().enterEvent(event)
        self._emit_pointed(self.entry.key)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        super().leaveEvent(event)
        self._emit_pointed(None)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusInEvent(event)
        self._emit_pointed(self.entry.key)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusOutEvent(event)
        self._emit_pointed(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.has_control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            self.click()
        elif event.key() in _SIDEWAYS:
            event.ignore()  # QAbstractButton would move among all buttons of the page
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QEvent) -> None:  # noqa: N802
        self.has_control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)  # type: ignore[attr-defined]
        super().mouseReleaseEvent(event)  # type: ignore[arg-type]

    def _on_pressed(self) -> None:
        self.has_control = False

    def _emit_pointed(self, key: Hashable) -> None:
        self.update()
        self.pointed.emit(key)

    def _shortened(self, name: str) -> str:
        widest = round(_WIDEST_EMS * self.fontMetrics().horizontalAdvance("m"))
        return self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, widest)


def paint_sample(painter: QPainter, box: QRectF, entry: LegendEntry) -> None:
    """The sample of a curve's line; only its outline for a hidden curve."""
    if not entry.is_shown:
        painter.setPen(QPen(QColor(entry.colour), 1))
        painter.drawLine(QPointF(box.left(), box.center().y()), QPointF(box.right(), box.center().y()))
        return
    paint_line(painter, box, entry.colour, dashed=entry.dashed)


def paint_line(painter: QPainter, box: QRectF, colour: str, *, dashed: bool) -> None:
    """A short piece of a curve's line, which fills the box."""
    parts = (0.0, 0.4, 0.8) if dashed else (0.0,)
    width = 0.2 if dashed else 1.0
    for part in parts:
        left = box.left() + part * box.width()
        painter.fillRect(QRectF(left, box.top(), width * box.width(), box.height()), QColor(colour))
