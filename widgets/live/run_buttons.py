"""Extend and Stop of a running run, in the header."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QSpinBox, QToolButton, QWidget

from engine.record.record import RunState
from widgets.live.stop_popover import StopPopover
from widgets.parts.icons import icon
from widgets.parts.look import Look

_MINUTES = (1, 5, 15, 30)
_MOST_MINUTES = 1_440
_STOP, _STOP_NOW = "Stop…", "Stop now…"
_EXTENDABLE = (RunState.RAMPING, RunState.STARTING, RunState.WARMING_UP, RunState.MEASURING)


class RunButtons(QWidget):
    """``extend_requested`` carries seconds. Stop asks whether, and how, before anything is stopped."""

    extend_requested = Signal(int)
    stop_requested = Signal()
    stop_now_requested = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._extend = QToolButton(self)
        self._stop = QPushButton(self)
        self._popover = StopPopover(look, self)
        self._state = RunState.PREPARING
        self._other = _OtherMinutes(self)
        self._build_extend(look)
        self._build_stop(look)
        self._other.chosen.connect(self._extend_by)
        self._other.closed.connect(self._close_other)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for widget in (self._extend, self._other, self._stop):
            layout.addWidget(widget)
        self._other.hide()

    def show_state(self, state: RunState, *, has_end: bool) -> None:
        """Enable what is possible in a state; a run without an end, or whose end its stages set, can't be extended."""
        is_stopping = state is RunState.STOPPING
        if state is not self._state and (is_stopping or state.is_final):
            self._popover.close()  # its question is already decided
        self._state = state
        can_extend = has_end and state in _EXTENDABLE
        self._extend.setEnabled(can_extend)
        if not can_extend and (menu := self._extend.menu()) is not None:
            menu.close()  # open, it would be disabled with its button, and Escape could not close it
        self._extend.setToolTip(
            "" if has_end else "This run has no end to be moved: it runs until it is stopped, or as long as its stages."
        )
        self._stop.setEnabled(not state.is_final)
        self._stop.setText(_STOP_NOW if is_stopping else _STOP)
        self._stop.setAccessibleName(_STOP_NOW if is_stopping else _STOP)

    def _build_extend(self, look: Look) -> None:
        menu = QMenu(self._extend)
        for minutes in _MINUTES:
            action = QAction(f"{minutes} min", menu)
            action.setData(minutes * 60)
            menu.addAction(action)
        menu.addSeparator()
        menu.addAction(QAction("Other…", menu))
        menu.triggered.connect(self._chosen)
        self._extend.setText("Extend")
        self._extend.setAccessibleName("Extend the run by minutes")
        self._extend.setIcon(icon("extend", look))
        self._extend.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._extend.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._extend.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._extend.setMenu(menu)

    def _build_stop(self, look: Look) -> None:
        self._stop.setIcon(icon("stop", look))
        self._stop.setToolTip("Stop the run; asks how")
        self._stop.setText(_STOP_NOW)
        self._stop.setMinimumWidth(self._stop.sizeHint().width())  # keeps the width when the run is stopping
        self._stop.clicked.connect(self._on_stop)
        self._popover.stop_requested.connect(self.stop_requested)
        self._popover.stop_now_requested.connect(self.stop_now_requested)

    def _on_stop(self) -> None:
        self._popover.ask_below(self._stop, is_stopping=self._state is RunState.STOPPING)

    def _chosen(self, action: QAction) -> None:
        seconds = action.data()
        if seconds:
            self.extend_requested.emit(seconds)
        else:
            self._extend.hide()
            self._other.ask()

    def _extend_by(self, minutes: int) -> None:
        self._close_other()
        self.extend_requested.emit(minutes * 60)

    def _close_other(self) -> None:
        self._other.hide()
        self._extend.show()
        self._extend.setFocus()


class _OtherMinutes(QWidget):
    """Any number of minutes, typed in place; Escape closes it."""

    chosen = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._minutes = QSpinBox(self, minimum=1, maximum=_MOST_MINUTES, value=10, suffix=" min")
        self._minutes.setAccessibleName("Minutes to extend by")
        self._take = QPushButton("Extend", self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._minutes)
        layout.addWidget(self._take)
        self._take.clicked.connect(self._choose)

    def ask(self) -> None:
        self.show()
        self._minutes.selectAll()
        self._minutes.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose()
        else:
            super().keyPressEvent(event)

    def _choose(self) -> None:
        self._minutes.interpretText()
        self.chosen.emit(self._minutes.value())
