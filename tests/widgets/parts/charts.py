"""Charts to try: shown, with curves whose values a test can foretell."""

from collections.abc import Hashable
from operator import attrgetter

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.analysis.series.rates import Rates
from engine.figure_text import whole
from widgets.parts.chart.amounts import LOGARITHMIC
from widgets.parts.chart.curves import CurveStyle
from widgets.parts.chart.picture import PNG_SCALE
from widgets.parts.chart.time_chart import TimeChart
from widgets.parts.look import Look

TOTAL = CurveStyle(name="total", colour=attrgetter("total"), rank=1, width=2)  # a pixel of it has its full colour
MANY = CurveStyle(name="a client", colour=attrgetter("many"), width=2)


def orders_text(value: float) -> str:
    return f"{whole(value)} OPM"


def a_chart(qtbot: QtBot, *, look: Look | None = None) -> TimeChart:
    """An empty chart on the screen."""
    chart = TimeChart(look or Look(), name="Orders", amount="orders per minute", value_text=orders_text)
    chart.resize(900, 400)
    qtbot.addWidget(chart)
    with qtbot.waitExposed(chart):
        chart.show()
    return chart


def with_curve(
    chart: TimeChart, values: Rates | None = None, key: str = "total", style: CurveStyle = TOTAL
) -> TimeChart:
    """A curve of 600 seconds, 1000 at each second unless the test gives other values."""
    chart.curves.set(key, 0.0, np.full(600, 1000.0) if values is None else values, style)
    chart.refresh()
    QApplication.processEvents()
    return chart


def viewport_place(chart: TimeChart, seconds: float, amount: float) -> QPoint:
    """Where a point of the data is on the screen."""
    view = chart.view
    scene = view.getViewBox().mapViewToScene(QPointF(seconds, amount))
    return QPoint(view.mapFromScene(scene))


def point_at(chart: TimeChart, place: QPoint) -> None:
    """Move the pointer there; offscreen, the system's pointer does not move."""
    _send(chart, QEvent.Type.MouseMove, place, Qt.MouseButton.NoButton, Qt.MouseButton.NoButton)


def drag(chart: TimeChart, begin: QPoint, end: QPoint) -> None:
    """Press, move and release the left button."""
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    _send(chart, QEvent.Type.MouseButtonPress, begin, left, left)
    for part in (0.5, 1.0):
        _send(chart, QEvent.Type.MouseMove, begin + (end - begin) * part, none, left)
    _send(chart, QEvent.Type.MouseButtonRelease, end, left, none)


def take(chart: TimeChart, place: QPoint) -> None:
    """Press the left button and hold it."""
    _send(chart, QEvent.Type.MouseButtonPress, place, Qt.MouseButton.LeftButton, Qt.MouseButton.LeftButton)


def carry(chart: TimeChart, place: QPoint) -> None:
    """Move with the left button held."""
    _send(chart, QEvent.Type.MouseMove, place, Qt.MouseButton.NoButton, Qt.MouseButton.LeftButton)


def wheel(chart: TimeChart, place: QPoint, notches: int, modifiers: Qt.KeyboardModifier) -> None:
    viewport = chart.view.viewport()
    event = QWheelEvent(
        QPointF(place),
        QPointF(viewport.mapToGlobal(place)),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(viewport, event)


def picture(chart: TimeChart) -> QImage:
    return chart.grab().toImage()


def plot_picture(chart: TimeChart) -> QImage:
    """What is inside the axes: the words around them have the colours of curves, too."""
    inside = chart.view.mapFromScene(chart.view.getViewBox().sceneBoundingRect()).boundingRect()
    return chart.view.viewport().grab(inside).toImage()


def png_of(chart: TimeChart, scale: float = PNG_SCALE) -> bytes:
    with chart.picture(scale) as made:
        return made.png(scale)


def svg_of(chart: TimeChart) -> bytes:
    with chart.picture() as made:
        return made.svg()


def drawn_points(chart: TimeChart, key: Hashable) -> tuple[Rates, Rates]:
    """The drawn points of a curve, as seconds and positions on the value scale."""
    item = chart.curves.by_key[key].item
    return item.seconds, item.positions


def is_logarithmic(chart: TimeChart) -> bool:
    return chart.plot.amounts is LOGARITHMIC


def selected_mark(chart: TimeChart) -> int | None:
    """The number of the mark whose line is drawn as selected."""
    second = chart.plot.overlay.chosen_second
    return next((mark.number for mark in chart.marks if mark.at_seconds == second), None)


def has_colour(image: QImage, colour: str) -> bool:
    wanted = QColor(colour).rgb()
    return any(image.pixel(x, y) == wanted for x in range(image.width()) for y in range(image.height()))


def _send(chart: TimeChart, kind: QEvent.Type, place: QPoint, button: Qt.MouseButton, buttons: Qt.MouseButton) -> None:
    viewport = chart.view.viewport()
    at = QPointF(place)
    event = QMouseEvent(kind, at, QPointF(viewport.mapToGlobal(place)), button, buttons, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(viewport, event)
