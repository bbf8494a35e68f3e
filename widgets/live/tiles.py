"""The figures of the head line: a caption and a number below it, of a width that does not change with the number."""

from collections.abc import Mapping

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from engine.analysis.figures import USER_STATES, WINDOWS_SECONDS
from engine.figure_text import UNKNOWN, capitalised, milliseconds, whole
from engine.sample import WorkstationLoad
from widgets.parts.fonts import scaled, tabular, text_width
from widgets.parts.look import Look
from widgets.parts.shapes import Shape, ShapeSign

VALUE_FACTOR = 1.35
CAPTION_FACTOR = 0.9
_DRIVER_CAPTIONS = ("driver CPU", "bottleneck: driver CPU", "limiting: driver CPU")


class Tile(QWidget):
    """One figure. ``widest`` is the longest text that it must hold."""

    def __init__(self, caption: str, widest: str, *, factor: float = VALUE_FACTOR, bold: bool = False) -> None:
        super().__init__()
        self._widest, self._factor, self._bold = widest, factor, bold
        self._caption = QLabel(caption)
        self._value = QLabel(UNKNOWN)
        self._value.setAccessibleName(f"{caption}: {UNKNOWN}")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._layout.addWidget(self._caption)
        self._layout.addWidget(self._value)
        self._layout.addStretch(1)
        self._set_fonts()

    def set_caption(self, caption: str) -> None:
        """Say what the figure is."""
        self._caption.setText(caption)
        self._value.setAccessibleName(f"{caption}: {self._value.text()}")

    def show_value(self, text: str, *, explained: str = "") -> None:
        """Show a figure that is written out; ``explained`` is its tool tip."""
        if text != self._value.text():
            self._value.setText(text)
            self._value.setAccessibleName(f"{self._caption.text()}: {text}")
        if explained != self._value.toolTip():
            self._value.setToolTip(explained)

    @property
    def text(self) -> str:
        return self._value.text()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._set_fonts()

    def _set_fonts(self) -> None:
        self._caption.setFont(scaled(self.font(), CAPTION_FACTOR))
        font = tabular(scaled(self.font(), self._factor, bold=self._bold))
        self._value.setFont(font)
        self._value.setMinimumWidth(text_width(font, self._widest))


class WindowTile(Tile):
    """OPM of a sliding window; the caption chooses its length."""

    window_changed = Signal(int)

    def __init__(self, widest: str) -> None:
        super().__init__("OPM window", widest)
        self._choice = QComboBox()
        self._choice.setAccessibleName("Length of the OPM window, s")
        for seconds in WINDOWS_SECONDS:
            self._choice.addItem(f"OPM in {seconds} s", seconds)
        self._choice.setFrame(False)
        self._choice.setFont(scaled(self.font(), CAPTION_FACTOR))
        self._choice.setMaximumHeight(self._caption.sizeHint().height() + 2)
        self._layout.replaceWidget(self._caption, self._choice)
        self._caption.hide()
        self._choice.activated.connect(self._tell)

    @property
    def seconds(self) -> int:
        return int(self._choice.currentData())

    def set_seconds(self, seconds: int) -> None:
        """Choose a window; one that is not offered leaves the choice."""
        place = self._choice.findData(seconds)
        if place >= 0:
            self._choice.setCurrentIndex(place)

    def _tell(self) -> None:
        self.window_changed.emit(self.seconds)


class UsersTile(QWidget):
    """The users by what they do, two by two."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers: dict[str, QLabel] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(self.fontMetrics().averageCharWidth())
        grid.setVerticalSpacing(0)
        for place, state in enumerate(USER_STATES):
            number, word = QLabel(UNKNOWN), QLabel(state)
            number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            number.setFont(tabular(scaled(self.font(), 1.0, bold=True)))
            number.setMinimumWidth(text_width(number.font(), "88 888"))
            row, column = place % 2, 2 * (place // 2)
            grid.addWidget(number, row, column)
            grid.addWidget(word, row, column + 1)
            self._numbers[state] = number
        self.show_users({})

    def show_users(self, users: Mapping[str, int]) -> None:
        """Users by state; what is missing is not known."""
        for state, number in self._numbers.items():
            number.setText(whole(users.get(state)))
            number.setAccessibleName(f"Users {state}: {whole(users.get(state))}")

    def text(self, state: str) -> str:
        return self._numbers[state].text()


class DriverTile(QWidget):
    """How busy the workstation is that drives the load, and whether it limits or distorts the run."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._caption = QLabel("driver CPU")
        self._sign = ShapeSign(look)
        self._value = QLabel(UNKNOWN)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self._caption.setFont(scaled(self.font(), CAPTION_FACTOR))
        for widget in (self._sign, self._value):
            widget.setFont(tabular(scaled(self.font(), VALUE_FACTOR)))
        row = QHBoxLayout()
        row.addWidget(self._sign)
        row.addWidget(self._value, 1)
        layout.addWidget(self._caption)
        layout.addLayout(row)
        layout.addStretch(1)
        self._caption.setMinimumWidth(text_width(self._caption.font(), *_DRIVER_CAPTIONS))
        self.show_load(None)

    def show_load(self, load: WorkstationLoad | None) -> None:
        """Show the load of the moment; ``None`` is not known."""
        calm, bottleneck, in_the_way = _DRIVER_CAPTIONS
        text = UNKNOWN if load is None else f"{load.machine_pct:.0f}\u202f%"
        if load is not None and (load.is_bottleneck or load.remarks):
            caption = bottleneck if load.is_bottleneck else in_the_way
            self._sign.show_shape(Shape.TRIANGLE, "warning")
        else:
            caption = calm
            self._sign.show_shape(Shape.RING if load is None else Shape.DISC, "muted")
        self._caption.setText(caption)
        self._value.setText(text)
        self._value.setAccessibleName(f"{caption}: {text}")
        self.setToolTip("" if load is None else "\n".join(_lines(load)))

    @property
    def text(self) -> str:
        return f"{self._caption.text()} {self._value.text()}"


def _lines(load: WorkstationLoad) -> list[str]:
    """What the tool tip says: what limits or distorts the run first, then the figures."""
    lines = [f"{capitalised(remark)}." for remark in load.remarks]
    lines += [
        f"this workstation: {load.machine_pct:.0f} %",
        f"all clients: {load.clients_pct:.0f} %",
        f"busiest client process: {load.busiest_process_pct:.0f} % of the processor time that it can use",
    ]
    if load.heartbeat_ms:
        latest = milliseconds(max(load.heartbeat_ms.values()))
        lines.append(f"latest heartbeat of a client process: {latest} ms late (p99)")
    return lines
