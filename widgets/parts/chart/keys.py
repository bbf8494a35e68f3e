"""Keyboard control of a chart: everything that the pointer can do. ``CHART_KEYS`` lists it for the table of
shortcuts."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from widgets.parts.key_help import KeyHelp

CHART_KEYS = (
    KeyHelp("+, −", "Zoom the time"),
    KeyHelp("←, →", "Move along the time"),
    KeyHelp("↑, ↓", "Zoom the amounts"),
    KeyHelp("Home, 0", "Show the whole run"),
    KeyHelp("Ctrl+←, Ctrl+→", "Choose a mark"),
    KeyHelp("Shift+←, Shift+→", "Move the chosen mark by a second"),
    KeyHelp("F2", "Rename the chosen mark"),
    KeyHelp("Delete", "Remove the chosen mark"),
    KeyHelp("Esc", "Choose no mark; leave the full screen"),
    KeyHelp("Space", "In the legend: show the curve alone, and again all"),
)
_ZOOM_A_KEY = 0.8
_PAN_A_KEY = 0.1
_Key = Qt.Key
_SIDEWAYS: dict[int, int] = {_Key.Key_Left: -1, _Key.Key_Right: 1}
_CONTROL, _SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class ChartKeys(QObject):
    """An event filter for the chart's view; keys without a meaning here go on to the page."""

    zoom_requested = Signal(float)
    zoom_y_requested = Signal(float)
    pan_requested = Signal(float)
    back_requested = Signal()
    mark_step_requested = Signal(int)
    mark_move_requested = Signal(int)
    mark_open_requested = Signal()
    mark_remove_requested = Signal()
    mark_deselect_requested = Signal()
    focus_changed = Signal()

    def __init__(self, view: QWidget, has_mark: Callable[[], bool]) -> None:
        super().__init__(view)
        self._has_mark = has_mark
        self._plain: dict[int, tuple[Callable[..., None], tuple[float, ...]]] = {
            _Key.Key_Plus: (self.zoom_requested.emit, (_ZOOM_A_KEY,)),
            _Key.Key_Equal: (self.zoom_requested.emit, (_ZOOM_A_KEY,)),
            _Key.Key_Minus: (self.zoom_requested.emit, (1 / _ZOOM_A_KEY,)),
            _Key.Key_Left: (self.pan_requested.emit, (-_PAN_A_KEY,)),
            _Key.Key_Right: (self.pan_requested.emit, (_PAN_A_KEY,)),
            _Key.Key_Up: (self.zoom_y_requested.emit, (_ZOOM_A_KEY,)),
            _Key.Key_Down: (self.zoom_y_requested.emit, (1 / _ZOOM_A_KEY,)),
            _Key.Key_Home: (self.back_requested.emit, ()),
            _Key.Key_0: (self.back_requested.emit, ()),
        }
        self._of_mark: dict[int, SignalInstance] = {
            _Key.Key_F2: self.mark_open_requested,
            _Key.Key_Delete: self.mark_remove_requested,
            _Key.Key_Escape: self.mark_deselect_requested,
        }
        view.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.focus_changed.emit()
        return isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress and self._take(event)

    def _take(self, event: QKeyEvent) -> bool:
        key, modifiers = event.key(), event.modifiers() & (_CONTROL | _SHIFT)
        sideways = _SIDEWAYS.get(key, 0)
        if sideways and modifiers == _CONTROL:
            self.mark_step_requested.emit(sideways)
        elif sideways and modifiers == _SHIFT and self._has_mark():
            self.mark_move_requested.emit(sideways)
        elif key in self._of_mark and self._has_mark():
            self._of_mark[key].emit()
        elif key in self._plain and not modifiers & _CONTROL:
            emit, arguments = self._plain[key]
            emit(*arguments)
        else:
            return False
        return True
