"""The chart as it is used: by pointer, by keyboard, by pages that set values."""

import re
from dataclasses import replace
from operator import attrgetter

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls
from tests.widgets.parts.charts import (
    MANY,
    TOTAL,
    a_chart,
    carry,
    drag,
    drawn_points,
    has_colour,
    picture,
    plot_picture,
    png_of,
    point_at,
    selected_mark,
    svg_of,
    take,
    viewport_place,
    wheel,
    with_curve,
)
from widgets.parts.chart.layers import Band, Level, Span
from widgets.parts.chart.marks import ChartMark
from widgets.parts.chart.time_chart import TimeChart
from widgets.parts.look import DARK, LIGHT, Look

Key = Qt.Key
NONE, CONTROL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
MARKS = (
    ChartMark(number=1, at_seconds=100, label="Enclosure pulled"),
    ChartMark(number=2, at_seconds=300, label="Restored"),
)


def press(qtbot: QtBot, chart: TimeChart, key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
    qtbot.keyClick(chart.view, key, modifier)


# Curves


def test_values_are_drawn_at_their_seconds_with_gaps(qtbot: QtBot) -> None:
    values = np.array([1.0, 0.0, np.nan, 5.0, 6.0])
    chart = a_chart(qtbot)
    chart.curves.set("total", 10.5, values, TOTAL)
    chart.refresh()

    seconds, drawn = drawn_points(chart, "total")

    assert seconds.tolist() == [10.5, 11.5, 12.5, 13.5, 14.5]
    np.testing.assert_array_equal(drawn, values)


def test_day_is_reduced_and_keeps_a_one_second_outage(qtbot: QtBot) -> None:
    values = np.full(86_400, 1000.0)
    values[40_000] = 0
    chart = with_curve(a_chart(qtbot), values)

    _, drawn = drawn_points(chart, "total")

    assert len(drawn) < 2_000
    assert drawn.min() == 0


def test_every_second_is_drawn_when_zoomed_in(qtbot: QtBot) -> None:
    values = np.arange(86_400.0)
    chart = with_curve(a_chart(qtbot), values)
    chart.show_range(50_000, 50_100)

    seconds, drawn = drawn_points(chart, "total")

    assert set(range(50_000, 50_101)) <= set(drawn.tolist())
    np.testing.assert_array_equal(seconds, drawn)


def test_isolated_known_second_is_visible(qtbot: QtBot) -> None:
    values = np.full(600, np.nan)
    values[300] = 1000
    chart = with_curve(a_chart(qtbot), values)

    assert has_colour(picture(chart), LIGHT.total)


def test_hidden_curves_are_not_drawn_or_scaled(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    with_curve(chart, np.full(600, 10.0), "one", MANY)
    assert chart.amount_range == (0, 1200)

    chart.curves.set_visible("total", False)
    chart.refresh()

    assert not has_colour(plot_picture(chart), LIGHT.total)
    assert has_colour(plot_picture(chart), LIGHT.many)
    assert chart.amount_range == (0, 12)


def test_emphasised_curve_is_raised_and_others_dimmed(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    with_curve(chart, np.full(600, 10.0), "one", MANY)

    chart.curves.highlight("one")
    image = plot_picture(chart)
    assert not has_colour(image, LIGHT.total)
    assert has_colour(image, LIGHT.accent)

    chart.curves.highlight(None)
    assert has_colour(plot_picture(chart), LIGHT.total)


def test_removed_curve_is_deleted_from_the_scene(qtbot: QtBot) -> None:
    chart = a_chart(qtbot)
    before = len(chart.view.scene().items())
    with_curve(chart)
    chart.curves.highlight("total")
    chart.curves.remove("total")

    assert tuple(chart.curves.by_key) == ()
    assert len(chart.view.scene().items()) == before


def test_hidden_chart_draws_when_shown(qtbot: QtBot) -> None:
    chart = a_chart(qtbot)
    chart.hide()
    with_curve(chart)
    assert len(drawn_points(chart, "total")[0]) == 0

    with qtbot.waitExposed(chart):
        chart.show()
    assert len(drawn_points(chart, "total")[0])


def test_look_change_repaints(qtbot: QtBot) -> None:
    look = Look()
    chart = with_curve(a_chart(qtbot, look=look))

    look.set_dark(True)
    image = picture(chart)

    assert has_colour(image, DARK.total)
    assert has_colour(image, DARK.surface)
    assert not has_colour(image, LIGHT.surface)


def test_bands_spans_and_levels_are_painted(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    plain = picture(chart)
    chart.plot.set_bands((Band(first=0, end=60, word="ramp", colour=attrgetter("band_warmup")),))
    banded = picture(chart)
    assert has_colour(banded, LIGHT.band_warmup)
    assert not has_colour(plain, LIGHT.band_warmup)

    chart.plot.set_spans((Span(first=200, end=300, colour=attrgetter("bad")),))
    spanned = picture(chart)
    chart.set_level("baseline", Level(value=1400, label="baseline"))
    levelled = picture(chart)
    assert len({image.constBits().tobytes() for image in (banded, spanned, levelled)}) == 3
    assert chart.amount_range[1] >= 1400
    chart.set_level("baseline", None)
    assert picture(chart) != levelled


def test_another_run_starts_without_levels(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    plain = picture(chart)
    chart.set_level("baseline", Level(value=800, label="baseline"))
    assert picture(chart) != plain
    chart.clear()
    with_curve(chart)
    assert picture(chart) == plain


def test_distant_level_does_not_compress_the_curves(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    chart.set_level("baseline", Level(value=5_000, label="baseline"))

    assert chart.amount_range == (0, 1200)


def test_permanent_level_is_always_in_range(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    chart.set_level("published", Level(value=5_000, label="published", is_always_shown=True))

    assert chart.amount_range[1] >= 5_000


# Range


def test_range_follows_a_growing_run_in_steps(qtbot: QtBot) -> None:
    chart = a_chart(qtbot)
    chart.set_growing(True)
    with_curve(chart, np.ones(59))
    assert chart.visible_range == (0, 60)
    with_curve(chart, np.ones(61))
    assert chart.visible_range == (0, 65)
    chart.set_growing(True, planned_end=180)
    chart.refresh()
    assert chart.visible_range == (0, 180)
    chart.set_growing(False)
    chart.refresh()
    assert chart.visible_range == (0, 61)


def test_the_wheel_zooms_about_the_pointer_and_leaves_live(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))

    with qtbot.waitSignal(chart.live_changed) as left:
        wheel(chart, viewport_place(chart, 300, 500), 2, NONE)

    assert left.args == [False]
    first, last = chart.visible_range
    assert last - first == pytest.approx(600 * 0.64)
    assert (first + last) / 2 == pytest.approx(300, abs=2)
    assert chart.amount_range == (0, 1200)


def test_new_data_keep_a_manual_range(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    chart.show_range(100, 200)
    with_curve(chart, np.full(5_000, 1000.0))

    assert chart.visible_range == (100, 200)


@pytest.mark.parametrize("modifiers", [CONTROL])
def test_the_wheel_with_control_zooms_the_amounts(qtbot: QtBot, modifiers: Qt.KeyboardModifier) -> None:
    chart = with_curve(a_chart(qtbot))

    wheel(chart, viewport_place(chart, 300, 900), 2, modifiers)

    bottom, top = chart.amount_range
    assert top - bottom == pytest.approx(1200 * 0.64)
    assert chart.visible_range == (0, 600)


def test_the_wheel_over_the_y_axis_zooms_the_amounts(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))

    wheel(chart, QPoint(10, viewport_place(chart, 0, 600).y()), 1, NONE)

    bottom, top = chart.amount_range
    assert top - bottom == pytest.approx(1200 * 0.8)


def test_drag_pans(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    chart.show_range(200, 300)

    drag(chart, viewport_place(chart, 250, 500), viewport_place(chart, 230, 500))

    first, last = chart.visible_range
    assert first == pytest.approx(220, abs=1)
    assert last == pytest.approx(320, abs=1)


@pytest.mark.parametrize("key", [Key.Key_Home, Key.Key_0])
def test_key_returns_to_live(qtbot: QtBot, key: Qt.Key) -> None:
    chart = with_curve(a_chart(qtbot))
    chart.show_range(100, 200)

    with qtbot.waitSignal(chart.live_changed) as back:
        press(qtbot, chart, key)

    assert back.args == [True]
    assert chart.is_live
    assert chart.visible_range == (0, 600)


def test_wheel_takes_focus_unless_a_field_is_edited(qtbot: QtBot) -> None:
    page = QWidget()
    chart, button, line = with_curve(a_chart(qtbot)), QPushButton(page), QLineEdit(page)
    layout = QVBoxLayout(page)
    for widget in (chart, button, line):
        layout.addWidget(widget)
    qtbot.addWidget(page)
    with qtbot.waitActive(page):
        page.show()
        page.activateWindow()
    middle = viewport_place(chart, 300, 500)
    for before, now in ((button, chart.view), (line, line)):
        before.setFocus()
        wheel(chart, middle, 1, Qt.KeyboardModifier.NoModifier)
        assert QApplication.focusWidget() is now
    chart.setParent(None)


def test_double_click_returns_to_live(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    chart.show_range(100, 200)

    qtbot.mouseDClick(chart.view.viewport(), Qt.MouseButton.LeftButton, pos=viewport_place(chart, 150, 300))

    assert chart.is_live


@pytest.mark.parametrize(
    ("key", "first", "last"),
    [(Key.Key_Plus, 210, 290), (Key.Key_Minus, 187.5, 312.5), (Key.Key_Left, 190, 290), (Key.Key_Right, 210, 310)],
)
def test_keys_zoom_and_pan(qtbot: QtBot, key: Qt.Key, first: float, last: float) -> None:
    chart = with_curve(a_chart(qtbot))
    chart.show_range(200, 300)

    press(qtbot, chart, key)

    assert chart.visible_range == pytest.approx((first, last))


def test_keys_zoom_the_amounts(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    press(qtbot, chart, Key.Key_Up)
    assert chart.amount_range == pytest.approx((0, 960))
    press(qtbot, chart, Key.Key_Down)
    assert chart.amount_range == pytest.approx((0, 1200))


def test_unhandled_keys_are_passed_to_the_page(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))

    for key in (Key.Key_F9, Key.Key_Delete, Key.Key_Escape):
        press(qtbot, chart, key)

    assert chart.is_live


def test_linked_charts_show_the_same_time(qtbot: QtBot) -> None:
    one, two = with_curve(a_chart(qtbot)), with_curve(a_chart(qtbot))
    one.link_to(two)

    two.show_range(100, 200)
    assert one.visible_range == (100, 200)
    assert not one.is_live

    one.back_to_live()
    assert two.is_live
    assert two.visible_range == (0, 600)


def test_a_chart_that_is_linked_later_shows_the_chosen_time(qtbot: QtBot) -> None:
    one, two = with_curve(a_chart(qtbot)), a_chart(qtbot)
    one.show_range(100, 200)
    one.link_to(two)
    with_curve(two)
    assert two.visible_range == (100, 200)
    two.back_to_live()
    assert one.visible_range == (0, 600)


def test_linked_charts_of_different_lengths_agree_on_a_range(qtbot: QtBot) -> None:
    """Each would limit this range by a rounding error differently from the other."""
    one, two = a_chart(qtbot), a_chart(qtbot)
    for chart, first in ((one, -12.0), (two, -10.0)):
        chart.curves.set("total", first, np.full(100, 1000.0), TOTAL)
        chart.set_growing(True, 130.97)
        chart.refresh()
    one.link_to(two)

    for seconds in np.linspace(-30, 150, 500):
        one.show_range(seconds, seconds + 176.225)
        assert one.visible_range == two.visible_range


# Marks


def marked(qtbot: QtBot, *, editable: bool = True) -> TimeChart:
    chart = with_curve(a_chart(qtbot))
    chart.set_marks(MARKS, editable=editable)
    QApplication.processEvents()  # the strip above the plot grows
    return chart


def test_a_mark_is_painted_from_the_strip_to_the_axis(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    assert not has_colour(picture(chart), LIGHT.mark)

    chart.set_marks(MARKS)

    image = picture(chart)
    at = chart.view.viewport().mapTo(chart, viewport_place(chart, 100, 0)).x()
    rows = [
        y for y in range(image.height()) for x in (at - 1, at, at + 1) if image.pixelColor(x, y).name() == LIGHT.mark
    ]
    assert max(rows) - min(rows) > 0.8 * viewport_place(chart, 100, 0).y()


def test_dragged_mark_emits_its_new_second(qtbot: QtBot) -> None:
    chart = marked(qtbot)

    with qtbot.waitSignal(chart.marking.moved) as moved:
        drag(chart, viewport_place(chart, 100, 500), viewport_place(chart, 150, 500))

    assert moved.args[0] == 1
    assert moved.args[1] == pytest.approx(150, abs=1)
    assert chart.is_live
    assert selected_mark(chart) == 1


def test_read_only_mark_can_only_be_selected(qtbot: QtBot) -> None:
    chart = marked(qtbot, editable=False)
    with qtbot.assertNotEmitted(chart.marking.moved), qtbot.assertNotEmitted(chart.marking.remove_requested):
        drag(chart, viewport_place(chart, 100, 500), viewport_place(chart, 150, 500))
        press(qtbot, chart, Key.Key_Delete)

    assert selected_mark(chart) == 1


def test_fixed_mark_can_only_be_selected_beside_editable_ones(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    chart.set_marks([ChartMark(number=1, at_seconds=100, label="Kill primary", is_fixed=True)], editable=True)
    QApplication.processEvents()
    changes = (chart.marking.moved, chart.marking.rename_requested, chart.marking.remove_requested)
    with qtbot.assertNotEmitted(changes[0]), qtbot.assertNotEmitted(changes[1]), qtbot.assertNotEmitted(changes[2]):
        drag(chart, viewport_place(chart, 100, 500), viewport_place(chart, 150, 500))
        press(qtbot, chart, Key.Key_F2)
        press(qtbot, chart, Key.Key_Delete)
    assert selected_mark(chart) == 1


def test_marks_are_selected_and_moved_by_keyboard(qtbot: QtBot) -> None:
    chart = marked(qtbot)
    press(qtbot, chart, Key.Key_Right, CONTROL)
    assert selected_mark(chart) == 1

    with qtbot.waitSignal(chart.marking.rename_requested) as renamed:
        press(qtbot, chart, Key.Key_F2)
    assert renamed.args == [1]

    with qtbot.waitSignal(chart.marking.moved) as moved:
        press(qtbot, chart, Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert moved.args == [1, 101]

    press(qtbot, chart, Key.Key_Right, CONTROL)
    with qtbot.waitSignal(chart.marking.remove_requested) as removed:
        press(qtbot, chart, Key.Key_Delete)
    assert removed.args == [2]

    press(qtbot, chart, Key.Key_Escape)
    assert selected_mark(chart) is None


def test_double_click_on_a_mark_requests_renaming(qtbot: QtBot) -> None:
    chart = marked(qtbot)

    with qtbot.waitSignal(chart.marking.rename_requested) as renamed:
        qtbot.mouseDClick(chart.view.viewport(), Qt.MouseButton.LeftButton, pos=viewport_place(chart, 300, 500))

    assert renamed.args == [2]


def test_mark_is_selected_by_its_label(qtbot: QtBot) -> None:
    chart = marked(qtbot)
    line = viewport_place(chart, 100, 0)

    qtbot.mouseClick(chart.view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(line.x() + 20, 10))

    assert selected_mark(chart) == 1


# Hover


def test_hover_shows_all_values_and_raises_the_nearest_curve(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    with_curve(chart, np.full(600, 200.0), "one", MANY)
    chart.set_origin(60, "since measuring began")

    point_at(chart, viewport_place(chart, 300, 980))
    expected = "4:00\ntotal  1\u202f000 OPM\na client  200 OPM"
    assert (chart.hover.text, chart.hover.near) == (expected, "total")
    point_at(chart, viewport_place(chart, 300, 230))
    assert (chart.hover.text, chart.hover.near) == (expected, "one")
    point_at(chart, viewport_place(chart, 300.5, 600))
    assert (chart.hover.text, chart.hover.near) == (expected, None)


def test_hover_over_a_gap_shows_only_the_time(qtbot: QtBot) -> None:
    values = np.full(600, 1000.0)
    values[250:350] = np.nan
    chart = with_curve(a_chart(qtbot), values)

    point_at(chart, viewport_place(chart, 300.5, 1000))

    assert chart.hover.text == "5:00"


def test_hover_finds_a_one_second_spike_in_a_pixel(qtbot: QtBot) -> None:
    values = np.full(86_400, 1000.0)
    values[40_000] = 0
    chart = with_curve(a_chart(qtbot), values)

    point_at(chart, viewport_place(chart, 40_000, 0))

    assert chart.hover.text == "11:06:40\ntotal  0 OPM"


@pytest.mark.parametrize("seconds", [2, 300, 597])
@pytest.mark.parametrize("amount", [1000, 20])
def test_hover_text_stays_inside_the_chart(qtbot: QtBot, seconds: int, amount: int) -> None:
    chart = with_curve(a_chart(qtbot), np.full(601, float(amount)))
    with_curve(chart, np.full(601, 1100.0), "one", MANY)

    point_at(chart, viewport_place(chart, seconds, amount))

    assert chart.hover.text
    assert chart.rect().contains(chart.hover.box)
    background = chart.grab(chart.hover.box).toImage().pixelColor(2, 2)  # it lies above the plot
    assert background == chart.palette().toolTipBase().color()


def test_hover_shows_a_marks_time(qtbot: QtBot) -> None:
    chart = marked(qtbot)

    point_at(chart, viewport_place(chart, 100, 500))

    assert chart.hover.text == "Enclosure pulled  1:40.0"


def hovered_mark(chart: TimeChart) -> tuple[str, float]:
    """The label of the mark that the read-out names, and its second."""
    label, time = chart.hover.text.split("  ")
    return label, seconds_of(time)


def seconds_of(time: str) -> float:
    minutes, seconds = time.split(":")
    return 60 * int(minutes) + float(seconds)


def test_hover_shows_the_time_of_a_dragged_mark(qtbot: QtBot) -> None:
    chart = marked(qtbot)
    point_at(chart, viewport_place(chart, 100, 500))

    take(chart, viewport_place(chart, 100, 500))
    carry(chart, viewport_place(chart, 200, 500))
    assert hovered_mark(chart) == ("Enclosure pulled", pytest.approx(200, abs=3))
    carry(chart, viewport_place(chart, 300, 500))  # over another mark, it is still the one that is held
    assert hovered_mark(chart) == ("Enclosure pulled", pytest.approx(300, abs=3))


def test_hover_text_follows_a_renamed_or_removed_mark(qtbot: QtBot) -> None:
    chart = marked(qtbot)
    point_at(chart, viewport_place(chart, 100, 500))

    chart.set_marks([replace(MARKS[0], label="Shelf pulled"), MARKS[1]], editable=True)
    assert chart.hover.text == "Shelf pulled  1:40.0"
    chart.set_marks([MARKS[1]], editable=True)
    assert "pulled" not in chart.hover.text


def test_hover_text_follows_a_growing_chart(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot), np.full(600, 1000.0))
    point_at(chart, viewport_place(chart, 300, 1000))
    assert seconds_of(chart.hover.text.splitlines()[0]) == pytest.approx(300, abs=3)

    with_curve(chart, np.full(1200, 2000.0))
    time, reading = chart.hover.text.splitlines()
    assert seconds_of(time) == pytest.approx(600, abs=6)
    assert reading == "total  2\u202f000 OPM"


def test_hover_includes_new_values_of_a_linked_chart(qtbot: QtBot) -> None:
    page = QWidget()
    layout = QVBoxLayout(page)
    chart, other = a_chart(qtbot), a_chart(qtbot)
    for each in (chart, other):
        layout.addWidget(each)
        with_curve(each, np.full(600, 1000.0))
    chart.link_to(other)
    qtbot.addWidget(page)
    with qtbot.waitExposed(page):
        page.show()
    point_at(chart, viewport_place(chart, 300, 1000))
    with_curve(other, np.full(600, 700.0))
    assert chart.hover.text.splitlines()[-1] == "total  700 OPM"


# Pictures and words


def test_png_has_twice_the_pixels(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))

    image = QImage.fromData(png_of(chart))

    assert image.width() == 2 * chart.view.width()
    assert image.height() > 2 * chart.view.height()  # the legend stands below
    assert has_colour(image, LIGHT.total)


def test_chart_that_was_never_shown_can_be_exported(qtbot: QtBot) -> None:
    chart = TimeChart(Look(), name="Orders", amount="orders per minute", value_text=str)
    qtbot.addWidget(chart)
    chart.resize(700, 300)
    chart.curves.set("total", 0, np.full(600, 1000.0), TOTAL)

    image = QImage.fromData(png_of(chart, 1))

    assert has_colour(image, LIGHT.total)


def test_svg_contains_curve_texts_and_description(qtbot: QtBot) -> None:
    chart = marked(qtbot)

    svg = svg_of(chart).decode()

    assert svg.startswith("<?xml")
    for word in ("<title>Orders</title>", "Enclosure pulled", "orders per minute", LIGHT.total):
        assert word in svg
    assert chart.summary() in svg


def test_picture_has_the_times_that_a_linked_chart_shows_on_the_screen(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    chart.show_time(False)
    with_curve(chart)
    on_screen = picture(chart)

    svg = svg_of(chart).decode()

    assert re.search(r">\d:00</text>", svg)
    assert ">time since the start (m:ss)</text>" in svg
    QApplication.processEvents()
    assert picture(chart) == on_screen


def test_summary_describes_the_visible_range(qtbot: QtBot) -> None:
    values = np.full(600, 1000.0)
    values[200:210] = 0
    chart = with_curve(a_chart(qtbot), values)
    chart.set_origin(60, "since measuring began")
    chart.set_marks(MARKS)

    assert chart.summary() == (
        "Orders, 1 curve from −1:00 to 8:59; total last 1\u202f000 OPM; lowest 0 OPM at 2:20; "
        "highest 1\u202f000 OPM at 0:00; marks: Enclosure pulled at 0:40.0, Restored at 4:00.0."
    )


def test_screen_readers_get_a_name_and_the_summary(qtbot: QtBot) -> None:
    chart = a_chart(qtbot)
    assert chart.accessibleDescription() == "Orders: no data yet."
    with_curve(chart)

    assert nameless_controls(chart) == []
    assert chart.view.accessibleName() == "Orders"
    assert chart.view.accessibleDescription() == chart.summary()
