"""What can be done with a chart as a whole: its picture on the clipboard, and the chart alone on a screen."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QSplitter, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.widgets.parts.charts import has_colour, is_logarithmic, orders_text, selected_mark, with_curve
from widgets.parts.chart.marks import ChartMark
from widgets.parts.chart.picture import Caption
from widgets.parts.chart.time_chart import TimeChart
from widgets.parts.chart.window import ChartWindow
from widgets.parts.look import LIGHT, Look

Key = Qt.Key


@pytest.fixture
def chart() -> TimeChart:
    """A chart that its page owns."""
    return TimeChart(Look(), name="Orders", amount="orders per minute", value_text=orders_text)


@pytest.fixture(params=["layout", "splitter"])
def page(request: pytest.FixtureRequest, qtbot: QtBot, chart: TimeChart) -> QWidget:
    """A page that has the chart between two other things."""
    page, splitter = QWidget(), QSplitter(Qt.Orientation.Vertical)
    qtbot.addWidget(page)
    layout = QVBoxLayout(page)
    for widget in (QWidget(), chart, QWidget()):
        if request.param == "splitter":
            splitter.addWidget(widget)
        else:
            layout.addWidget(widget, 1)
    if request.param == "splitter":
        layout.addWidget(splitter)
    page.resize(900, 600)
    with qtbot.waitActive(page):
        page.show()
        page.activateWindow()
    with_curve(chart)
    chart.view.setFocus()
    return page


def actions(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if not action.isSeparator()]


def test_image_with_caption_is_copied_to_the_clipboard(qtbot: QtBot, page: QWidget, chart: TimeChart) -> None:
    chart.caption = lambda: Caption("R630", ("20261121-043017-aaaa", "second line"))
    plain = chart.to_image(1).height()
    chart.caption = lambda: Caption("R630")
    assert plain > chart.to_image(1).height()

    qtbot.keyClick(chart.view, Key.Key_C, Qt.KeyboardModifier.ControlModifier)

    image = QGuiApplication.clipboard().image()
    assert image.width() == 2 * chart.view.width()
    assert has_colour(image, LIGHT.total)


def test_key_shows_the_chart_full_screen_and_escape_ends_it(qtbot: QtBot, page: QWidget, chart: TimeChart) -> None:
    before = chart.geometry()
    qtbot.keyClick(chart.view, Key.Key_F)
    window = chart.window()
    assert isinstance(window, ChartWindow)
    assert window.isFullScreen()
    assert chart.isVisible()

    qtbot.keyClick(chart.view, Key.Key_Escape)
    QApplication.processEvents()
    assert chart.window() is page
    assert chart.isVisible()
    assert abs(chart.geometry().top() - before.top()) <= 2
    assert abs(chart.height() - before.height()) <= 2


def test_full_screen_chart_has_axis_and_title_of_linked_charts(page: QWidget, chart: TimeChart) -> None:
    chart.set_marks([ChartMark(number=1, at_seconds=100, label="Enclosure pulled")])
    chart.show_time(False)
    chart.show_words(False)
    strip = chart.view.getAxis("top")
    assert (chart.legend.title, strip.fixedHeight) == ("", 0)
    chart.menu.show_alone()
    assert chart.legend.title.startswith("time since")
    assert strip.fixedHeight > 0
    chart.menu.show_alone()
    assert (chart.legend.title, strip.fixedHeight) == ("", 0)


def test_escape_deselects_a_mark_before_leaving_full_screen(qtbot: QtBot, page: QWidget, chart: TimeChart) -> None:
    """Escape belongs to the mark first."""
    chart.set_marks([ChartMark(number=1, at_seconds=100, label="Enclosure pulled")])
    chart.menu.show_alone()
    qtbot.keyClick(chart.view, Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert selected_mark(chart) == 1
    qtbot.keyClick(chart.view, Key.Key_Escape)
    assert selected_mark(chart) is None
    assert isinstance(chart.window(), ChartWindow)
    chart.menu.show_alone()
    assert chart.window() is page


def test_menu_lists_actions_with_keys(page: QWidget, chart: TimeChart) -> None:
    menu = chart.menu.menu()
    assert actions(menu) == ["Copy picture", "Show the whole run", "Full screen"]
    assert {action.shortcut().toString() for action in menu.actions()} >= {"Ctrl+C", "F"}
    chart.menu.offer_scale(chart.set_logarithmic, is_logarithmic=False).trigger()
    assert is_logarithmic(chart)
    assert "Logarithmic scale" in actions(chart.menu.menu())
    chart.menu.show_alone()
    assert "Back to the page" in actions(chart.menu.menu())


def test_full_screen_window_closes_with_its_page(page: QWidget, chart: TimeChart) -> None:
    chart.menu.show_alone()
    assert chart.window().parentWidget() is page
