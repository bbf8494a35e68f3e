"""The legend below a chart: it wraps, and shows and hides curves by pointer and by keyboard."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls
from tests.widgets.parts.charts import a_chart, with_curve
from widgets.parts.chart.curves import CurveStyle
from widgets.parts.chart.time_chart import TimeChart
from widgets.parts.look import Hue

LONG = "a very long name of a very long host in a very long domain"


class Shows(QObject):
    """Counts how often a widget is shown."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        self.count += event.type() is QEvent.Type.Show
        return False


def with_clients(chart: TimeChart, count: int, *, name: str = "client") -> TimeChart:
    for number in range(count):
        style = CurveStyle(name=f"{name} {number}", colour=Hue(number))
        with_curve(chart, np.full(60, 10.0 + number), f"{number}", style)
    return chart


def shown(chart: TimeChart) -> list[object]:
    return [key for key in chart.curves.by_key if chart.curves.by_key[key].is_visible]


def button(chart: TimeChart, place: int) -> QAbstractButton:
    return chart.legend.buttons[place]


def test_low_chart_shows_names_before_the_title(qtbot: QtBot) -> None:
    chart = with_clients(a_chart(qtbot), 6)
    title = chart.legend.findChild(QLabel)
    assert title.isVisible()
    chart.resize(560, 130)
    QApplication.processEvents()
    assert chart.legend.isVisible()
    assert not title.isVisible()
    chart.resize(520, 60)
    QApplication.processEvents()
    assert not chart.legend.isVisible()
    chart.resize(520, 400)
    QApplication.processEvents()
    assert title.isVisible()


def test_title_that_has_no_place_is_not_even_shown_for_a_moment(qtbot: QtBot) -> None:
    """Showing it may resize the chart, which would decide again while the first decision is being carried out."""
    chart = with_clients(a_chart(qtbot), 6)
    shown = Shows(chart.legend.findChild(QLabel))
    for height in range(130, 110, -2):
        chart.resize(560, height)
        chart.refresh()
        QApplication.processEvents()
    assert shown.count == 0


def test_shorter_title_is_shown_where_the_longer_one_has_no_room(qtbot: QtBot) -> None:
    chart = with_clients(a_chart(qtbot), 6)
    chart.legend.set_titles((LONG, "time"))
    for width, title in ((1500, LONG), (700, "time")):
        chart.legend.fit(width, 40)
        assert chart.legend.findChild(QLabel).text() == title
    chart.legend.fit(300, 40)
    assert not chart.legend.findChild(QLabel).isVisible()


def test_click_toggles_isolation_of_a_curve(qtbot: QtBot) -> None:
    chart = with_clients(a_chart(qtbot), 3)
    qtbot.mouseClick(button(chart, 1), Qt.MouseButton.LeftButton)
    assert shown(chart) == ["1"]
    qtbot.mouseClick(button(chart, 2), Qt.MouseButton.LeftButton)
    assert shown(chart) == ["2"]
    qtbot.mouseClick(button(chart, 2), Qt.MouseButton.LeftButton)
    assert shown(chart) == ["0", "1", "2"]


def test_ctrl_click_toggles_one_curve(qtbot: QtBot) -> None:
    chart = with_clients(a_chart(qtbot), 3)
    for expected in (["0", "2"], ["0", "1", "2"]):
        qtbot.mouseClick(button(chart, 1), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier)
        assert shown(chart) == expected


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return])
def test_arrow_keys_move_and_enter_isolates(qtbot: QtBot, key: Qt.Key) -> None:
    chart = with_clients(a_chart(qtbot), 3)
    button(chart, 0).setFocus()
    qtbot.keyClick(button(chart, 0), Qt.Key.Key_Left)
    assert button(chart, 2).hasFocus()
    qtbot.keyClick(button(chart, 2), Qt.Key.Key_Right)
    qtbot.keyClick(button(chart, 0), Qt.Key.Key_Right)
    qtbot.keyClick(button(chart, 1), key)
    assert shown(chart) == ["1"]


def test_tab_stops_at_one_name(qtbot: QtBot) -> None:
    chart = with_clients(a_chart(qtbot), 3)
    stops = [bool(each.focusPolicy() & Qt.FocusPolicy.TabFocus) for each in chart.legend.buttons]
    assert stops == [True, False, False]
    assert nameless_controls(chart) == []


def test_hovering_a_name_raises_its_curve(qtbot: QtBot) -> None:
    chart = with_clients(a_chart(qtbot), 3)
    place = QPointF(2, 2)
    QApplication.sendEvent(button(chart, 2), QEnterEvent(place, place, place))
    assert chart.hover.near == "2"
    QApplication.sendEvent(button(chart, 2), QEvent(QEvent.Type.Leave))
    assert chart.hover.near is None


def test_names_wrap_and_stay_readable(qtbot: QtBot) -> None:
    chart = with_clients(a_chart(qtbot), 6)
    chart.resize(900, 400)
    rows = {each.y() for each in chart.legend.buttons}
    assert len(rows) == 1
    chart.resize(330, 400)
    QApplication.processEvents()
    assert len({each.y() for each in chart.legend.buttons}) > 1
    assert {each.text() for each in chart.legend.buttons} == {f"client {number}" for number in range(6)}


def test_low_chart_hides_a_legend_that_does_not_fit(qtbot: QtBot) -> None:
    chart = with_clients(a_chart(qtbot), 6, name=LONG)
    chart.resize(330, 700)
    QApplication.processEvents()
    assert chart.legend.isVisible()
    chart.resize(330, 160)
    assert not chart.legend.isVisible()


def test_low_chart_lists_the_solid_curves_alone(qtbot: QtBot) -> None:
    chart = with_clients(a_chart(qtbot), 3)
    for number in (3, 4, 5):
        style = CurveStyle(name=f"client {number}", colour=Hue(number), dashed=True)
        with_curve(chart, np.full(60, 10.0 + number), f"{number}", style)
    for height, listed in ((140, 3), (400, 6)):
        chart.resize(330, height)
        QApplication.processEvents()
        assert chart.legend.isVisible()
        assert [each.text() for each in chart.legend.buttons] == [f"client {number}" for number in range(listed)]
    chart.resize(330, 140)
    QApplication.processEvents()
    last = button(chart, 2)
    last.setFocus()
    qtbot.keyClick(last, Qt.Key.Key_Right)
    assert button(chart, 0).hasFocus()


def test_long_name_is_elided_in_the_middle(qtbot: QtBot) -> None:
    chart = with_clients(a_chart(qtbot), 2, name=LONG)
    text = button(chart, 1).text()
    assert text.startswith("a very")
    assert text.endswith("1")
    assert LONG in button(chart, 1).toolTip()
