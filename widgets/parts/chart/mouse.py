"""Pointer control of a chart: wheel and drag become signals in the units of the data; marks can be dragged."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QLineEdit

from widgets.parts.chart.plot import ChartView

_ZOOM_A_NOTCH = 0.8
_NOTCH = 120


class ChartMouse(QObject):
    """An event filter for the chart's view, so that pyqtgraph's own handling is never used.

    The wheel zooms the time about the pointer, with Ctrl or over the value axis the values. A drag pans, or moves the
    mark where it began. A double click goes back to live, or on a mark asks for its new name.
    """

    zoom_requested = Signal(float, float)
    zoom_y_requested = Signal(float, float)
    pan_requested = Signal(float, float)
    back_requested = Signal()
    pointed = Signal(object)
    mark_chosen = Signal(object)
    mark_dragged = Signal(int, float)
    mark_dropped = Signal(int)
    mark_opened = Signal(int)

    def __init__(self, view: ChartView, mark_at: Callable[[QPointF], int | None]) -> None:
        super().__init__(view)
        self._view = view
        self._box = view.getViewBox()
        self._mark_at = mark_at
        self._pressed: QPointF | None = None
        self._mark: int | None = None
        self._dragging = False
        self._handlers: dict[QEvent.Type, Callable[..., None]] = {
            QEvent.Type.MouseButtonPress: self._press,
            QEvent.Type.MouseMove: self._move,
            QEvent.Type.MouseButtonRelease: self._release,
            QEvent.Type.MouseButtonDblClick: self._double_click,
            QEvent.Type.Wheel: self._wheel,
            QEvent.Type.Leave: self._leave,
        }
        view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        handler = self._handlers.get(event.type())
        if handler is None:
            return False
        handler(event)
        return True

    def _press(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        self._pressed, self._dragging = event.position(), False
        self._mark = self._mark_at(self._scene(event.position()))
        self.mark_chosen.emit(self._mark)

    def _move(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            self.pointed.emit(self._scene(event.position()))
            return
        moved = event.position() - self._pressed
        if not self._dragging and moved.manhattanLength() < QApplication.startDragDistance():
            return
        self._dragging = True
        now, before = self._data(event.position()), self._data(self._pressed)
        if self._mark is not None:
            self.mark_dragged.emit(self._mark, now.x())
            self.pointed.emit(self._scene(event.position()))
        else:
            self._pressed = event.position()
            self.pointed.emit(None)
            self.pan_requested.emit(before.x() - now.x(), before.y() - now.y())

    def _release(self, event: QMouseEvent) -> None:
        if self._dragging and self._mark is not None:
            self.mark_dropped.emit(self._mark)
        self._pressed, self._mark, self._dragging = None, None, False

    def _double_click(self, event: QMouseEvent) -> None:
        number = self._mark_at(self._scene(event.position()))
        if number is None:
            self.back_requested.emit()
        else:
            self.mark_opened.emit(number)

    def _wheel(self, event: QWheelEvent) -> None:
        notches = event.angleDelta().y() / _NOTCH
        if not notches:
            return
        place, factor = self._data(event.position()), _ZOOM_A_NOTCH**notches
        over_axis = self._scene(event.position()).x() < self._box.sceneBoundingRect().left()
        if over_axis or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_y_requested.emit(factor, place.y())
        else:
            self.zoom_requested.emit(factor, place.x())
        if not isinstance(QApplication.focusWidget(), QLineEdit):  # does not interrupt typing
            self._view.setFocus(Qt.FocusReason.MouseFocusReason)  # so that Home works
        event.accept()

    def _leave(self, _: QEvent) -> None:
        self.pointed.emit(None)

    def _scene(self, place: QPointF) -> QPointF:
        return QPointF(self._view.mapToScene(place.toPoint()))

    def _data(self, place: QPointF) -> QPointF:
        return QPointF(self._box.mapSceneToView(self._scene(place)))
