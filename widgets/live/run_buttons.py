"""Extend and Stop: what can be done to a run that goes on. The head line shows them."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QSpinBox, QToolButton, QWidget

from engine.record import RunState
from widgets.parts.icons import icon
from widgets.parts.look import Look

_MINUTES = (1, 5, 15, 30)
_MOST_MINUTES = 1_440


class RunButtons(QWidget):
    """``extend_wished`` tells seconds. Stop itself stops in order; its menu has the sudden way."""

    extend_wished = Signal(int)
    stop_wished = Signal()
    stop_now_wished = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._extend = QToolButton(self)
        self._stop = QToolButton(self)
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
        """What can be done in a state; what has no end can't be extended."""
        goes_on = not state.is_final
        is_stopping = state is RunState.STOPPING
        self._extend.setEnabled(has_end and goes_on and state not in (RunState.PREPARING, RunState.STOPPING))
        self._extend.setToolTip("" if has_end else "This run has no end; it runs until it is stopped.")
        self._stop.setEnabled(goes_on)
        self._stop_in_order.setEnabled(not is_stopping)
        self._stop.setDefaultAction(self._stop_at_once if is_stopping else self._stop_in_order)

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
        menu = QMenu(self._stop)
        self._stop_in_order = QAction(icon("stop", look), "Stop", menu)
        self._stop_in_order.setToolTip("Finish the orders in progress, then save everything")
        self._stop_at_once = QAction(icon("cross", look), "Stop now", menu)
        self._stop_at_once.setToolTip("End the clients without waiting for their orders; the measurements are kept")
        menu.addActions([self._stop_in_order, self._stop_at_once])
        self._stop_in_order.triggered.connect(self._on_stop)
        self._stop_at_once.triggered.connect(self._on_stop_now)
        self._stop.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._stop.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        self._stop.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._stop.setMenu(menu)
        self._stop.setDefaultAction(self._stop_in_order)

    def _on_stop(self) -> None:
        self.stop_wished.emit()

    def _on_stop_now(self) -> None:
        self.stop_now_wished.emit()

    def _chosen(self, action: QAction) -> None:
        seconds = action.data()
        if seconds:
            self.extend_wished.emit(seconds)
        else:
            self._extend.hide()
            self._other.ask()

    def _extend_by(self, minutes: int) -> None:
        self._close_other()
        self.extend_wished.emit(minutes * 60)

    def _close_other(self) -> None:
        self._other.hide()
        self._extend.show()
        self._extend.setFocus()


class _OtherMinutes(QWidget):
    """Any number of minutes, asked for in place; Escape closes it."""

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
