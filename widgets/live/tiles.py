"""The figures of the header: a caption above a number, with a width that does not change with the number."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from engine.analysis.figures import USER_STATES, WINDOWS_SECONDS, state_word
from engine.analysis.latency.response_limits import LimitRow
from engine.analysis.machine_loads import WORKSTATION, worst_machine
from engine.analysis.workstation_use import ProcessorUse, WorkstationUse
from engine.figure_text import UNKNOWN, capitalised, milliseconds, percent, whole, with_unit
from engine.telemetry.workstation import WorkstationLoad
from widgets.parts.fonts import scaled, tabular, text_width
from widgets.parts.look import Look
from widgets.parts.shapes import Shape, ShapeSign, Tone

VALUE_FACTOR = 1.35
CAPTION_FACTOR = 0.9
_CPU_WORDS = ("driver CPU", "driver limits", "workstation CPU", "workstation full", "workstation disturbs")
_CPU_SIGNS: dict[bool, tuple[Shape, Tone]] = {False: (Shape.DISC, "muted"), True: (Shape.TRIANGLE, "warning")}
_LIMIT_SIGNS: dict[bool, tuple[Shape, Tone]] = {False: (Shape.TICK, "good"), True: (Shape.CROSS, "bad")}
_FULL_PCT = 95.0
_MOST_USERS = 24_000
_MOST_NAME = len("workstation")
_NO_MACHINES: Mapping[str, WorkstationLoad] = MappingProxyType({})
_WHAT_CPU = (
    "Driver CPU is what the client processes of this run use of all processors; workstation CPU is everything on this"
    " machine, an embedded server too. Of a run with load machines, both are of the machine that is named."
)


class Tile(QWidget):
    """One figure. ``widest`` is the longest text that must fit."""

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
        """Set the caption."""
        self._caption.setText(caption)
        self._value.setAccessibleName(f"{caption}: {self._value.text()}")

    def show_value(self, text: str, *, tool_tip: str = "") -> None:
        """Show a formatted figure and its tool tip."""
        if text != self._value.text():
            self._value.setText(text)
            self._value.setAccessibleName(f"{self._caption.text()}: {text}")
        if tool_tip != self.toolTip():
            self.setToolTip(tool_tip)

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
    """The headline metric of a sliding window, whose length is chosen in the caption."""

    window_changed = Signal(int)

    def __init__(self, widest: str) -> None:
        super().__init__("window", widest)
        self._choice = QComboBox()
        # Another run may have a metric of a longer name than the one that was shown first.
        self._choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for seconds in WINDOWS_SECONDS:
            self._choice.addItem("", seconds)
        self.set_metric("")
        self._choice.setFrame(False)
        self._choice.setFont(scaled(self.font(), CAPTION_FACTOR))
        self._choice.setFixedHeight(self._caption.sizeHint().height())
        self._layout.replaceWidget(self._caption, self._choice)
        self._caption.hide()
        self._choice.activated.connect(self._emit_window)

    def set_metric(self, label: str) -> None:
        """Name the metric, such as ``OPM``."""
        self.set_caption(f"{label} window")
        self._choice.setAccessibleName(f"Length of the {label} window, s")
        for place, seconds in enumerate(WINDOWS_SECONDS):
            self._choice.setItemText(place, f"{label} in {seconds} s")

    @property
    def seconds(self) -> int:
        return int(self._choice.currentData())

    def set_seconds(self, seconds: int) -> None:
        """Choose a window; a length that is not offered changes nothing."""
        place = self._choice.findData(seconds)
        if place >= 0:
            self._choice.setCurrentIndex(place)

    def _emit_window(self) -> None:
        self.window_changed.emit(self.seconds)


class LimitsTile(Tile):
    """Whether the 90th percentiles of response times keep to the workload's limits."""

    def __init__(self, look: Look) -> None:
        super().__init__("p90 limits", "8 of 8 missed")
        self._sign = ShapeSign(look, self)
        row = QHBoxLayout()
        row.setSpacing(self.fontMetrics().averageCharWidth() // 2)
        row.addWidget(self._sign)
        row.addWidget(self._value, 1)
        self._layout.insertLayout(1, row)

    def show_limits(self, rows: Sequence[LimitRow]) -> None:
        """Show how many limits are met, and each of them in the tool tip."""
        known = [each for each in rows if each.is_met is not None]
        missed = [each for each in known if not each.is_met]
        text = f"{len(missed)} of {len(known)} missed" if missed else f"{len(known)} met" if known else UNKNOWN
        self._sign.show_shape(*_LIMIT_SIGNS[bool(missed)] if known else (Shape.RING, "muted"))
        self.show_value(text, tool_tip="\n".join(map(_limit_line, rows)))


class UsersTile(QWidget):
    """The users by state, in two columns."""

    def __init__(self) -> None:
        super().__init__()
        self._who = "Users"
        self._numbers = {state: QLabel(UNKNOWN) for state in USER_STATES}
        self._words = {state: QLabel(state) for state in USER_STATES}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(self.fontMetrics().averageCharWidth())
        self._grid.setVerticalSpacing(0)
        for number in self._numbers.values():
            number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            number.setFont(tabular(scaled(self.font(), 1.0, bold=True)))
        self.show_states(self._who, USER_STATES)
        self.set_most(_MOST_USERS)
        self.show_users({})

    def show_states(self, who: str, states: Sequence[str], *, is_open_loop: bool = False) -> None:
        """Show these of the states, and call users ``who``."""
        self._who = who
        for state, word in self._words.items():
            word.setText(state_word(state, is_open_loop=is_open_loop))
        places = {state: (place % 2, 2 * (place // 2)) for place, state in enumerate(states)}
        for state, number in self._numbers.items():
            for widget, beside in ((number, 0), (self._words[state], 1)):
                self._grid.removeWidget(widget)
                widget.setVisible(state in places)
                if state in places:
                    row, column = places[state]
                    self._grid.addWidget(widget, row, column + beside)

    def set_most(self, users: int) -> None:
        """Reserve room for this many users in each state."""
        widest = "8" * len(str(users)) + " " * (users > 999)
        for number in self._numbers.values():
            number.setMinimumWidth(text_width(number.font(), widest, UNKNOWN))

    def show_users(self, users: Mapping[str, int]) -> None:
        """Users by state; a missing state is unknown."""
        for state, number in self._numbers.items():
            number.setText(whole(users.get(state)))
            number.setAccessibleName(f"{self._who} {self._words[state].text()}: {whole(users.get(state))}")

    def text(self, state: str) -> str:
        return self._numbers[state].text()


class DriverTile(QWidget):
    """The processor use of the run's own clients and of their whole machine, and which of them is the limit.

    That is the workstation, or of all machines that drive the run the one that limits it most, with its name.
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.driver = _CpuRow(look, self)
        self.workstation = _CpuRow(look, self)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(self.fontMetrics().averageCharWidth() // 2)
        grid.setVerticalSpacing(0)
        for row, widgets in enumerate((self.driver, self.workstation)):
            grid.addWidget(widgets.sign, row, 0)
            grid.addWidget(widgets.number, row, 1)
            grid.addWidget(widgets.word, row, 2)
        grid.setRowStretch(2, 1)
        self.show_load(None)

    def show_load(
        self, load: WorkstationLoad | None, load_machines: Mapping[str, WorkstationLoad] = _NO_MACHINES
    ) -> None:
        """Show the present load of the workstation, and those of load machines; ``None`` is unknown."""
        if load is None:
            self.driver.show_share(None, "driver CPU", is_loud=False)
            self.workstation.show_share(None, "workstation CPU", is_loud=False)
            self.setToolTip(_WHAT_CPU)
            return
        machine = worst_machine({WORKSTATION: load, **load_machines})
        others = [_machine_line(name, each) for name, each in load_machines.items()]
        load = load_machines.get(machine, load)
        name = _short(machine) if machine else "workstation"
        word = "driver limits" if load.is_bottleneck else "driver CPU"
        self.driver.show_share(load.clients_pct, word, is_loud=load.is_bottleneck)
        disturbs = bool(load.remarks) and not load.is_bottleneck
        is_full = load.machine_pct >= _FULL_PCT
        word = f"{name} {'disturbs' if disturbs else 'full' if is_full else 'CPU'}"
        self.workstation.show_share(load.machine_pct, word, is_loud=disturbs or is_full)
        first = [f"Load machine {machine} is shown, which limits the run most."] if machine else []
        self.setToolTip("\n".join((*first, *_lines(load), *others)))

    def show_use(self, use: WorkstationUse) -> None:
        """Show what a run that is over used on average."""
        self.driver.show_share(use.clients.mean_pct, "driver CPU", is_loud=False)
        self.workstation.show_share(use.machine.mean_pct, "workstation CPU", is_loud=use.machine.mean_pct >= _FULL_PCT)
        self.setToolTip("\n".join(("Means of the measured seconds.", _WHAT_CPU, *map(_use_line, _uses(use)))))

    @property
    def text(self) -> str:
        return f"{self.driver.text}, {self.workstation.text}"


class _CpuRow:
    """A sign, a share in per cent and its label, which becomes a warning when the share is too high."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        self.sign, self.number, self.word = ShapeSign(look, parent), QLabel(parent), QLabel(parent)
        self._look = look
        self._is_loud = False
        self.number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.number.setFont(tabular(scaled(parent.font(), 1.0, bold=True)))
        self.number.setMinimumWidth(text_width(self.number.font(), "100\u202f%"))
        self.word.setMinimumWidth(text_width(self.word.font(), *_CPU_WORDS))
        look.changed.connect(self._paint)

    def show_share(self, pct: float | None, word: str, *, is_loud: bool) -> None:
        number = percent(pct, 0)
        self.sign.show_shape(*_CPU_SIGNS[is_loud] if pct is not None else (Shape.RING, "muted"))
        self.number.setText(number)
        self.number.setAccessibleName(f"{word}: {number}")
        self.word.setText(word)
        self._is_loud = is_loud
        self._paint()

    @property
    def text(self) -> str:
        return f"{self.word.text()} {self.number.text()}"

    def _paint(self) -> None:
        palette = QPalette()
        if self._is_loud:
            palette.setColor(QPalette.ColorRole.WindowText, QColor(self._look.colours.warning))
        for label in (self.number, self.word):
            label.setPalette(palette)


def _limit_line(row: LimitRow) -> str:
    measured = with_unit(milliseconds(row.p90_ms), "ms")
    return f"{row.name}: p90 {measured}, limit {with_unit(milliseconds(row.limit_ms), 'ms')}: {row.verdict}"


def _uses(use: WorkstationUse) -> tuple[tuple[str, ProcessorUse], ...]:
    return (
        ("Driver", use.clients),
        ("Busiest client process, of the processor time that it can use", use.busiest_process),
        ("Workstation", use.machine),
    )


def _use_line(named: tuple[str, ProcessorUse]) -> str:
    name, use = named
    return f"{name}: {percent(use.mean_pct, 0)} on average, {percent(use.highest_pct, 0)} at most."


def _short(name: str) -> str:
    """A machine's name, no longer than the word that stands there otherwise."""
    return name if len(name) <= _MOST_NAME else f"{name[: _MOST_NAME - 1]}…"


def _machine_line(name: str, load: WorkstationLoad) -> str:
    return f"{name}: driver {percent(load.clients_pct, 0)}, all programs {percent(load.machine_pct, 0)}."


def _lines(load: WorkstationLoad) -> list[str]:
    """The tool tip: what limits or distorts the run first, then the meaning of the figures, then other figures."""
    lines = [f"{capitalised(remark)}." for remark in load.remarks]
    lines += [
        _WHAT_CPU,
        f"Busiest client process: {percent(load.busiest_process_pct, 0)} of the processor time that it can use.",
    ]
    if load.heartbeat_ms:
        latest = with_unit(milliseconds(max(load.heartbeat_ms.values())), "ms")
        lines.append(f"Latest heartbeat of a client process: {latest} late (p99).")
    return lines
