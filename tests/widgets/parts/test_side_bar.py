"""Badges of the side bar: work in progress on a page is shown and read out, and the layout does not move."""

from PySide6.QtGui import QIcon, QKeySequence
from pytestqt.qtbot import QtBot

from widgets.parts.look import Look
from widgets.parts.shapes import Shape
from widgets.parts.side_bar import Badge, SideBar

BADGE = Badge(Shape.DISC, "accent", "17:19", "Measuring 12:41 of 30:00, R630 SSD #2")


def a_bar(qtbot: QtBot) -> SideBar:
    bar = SideBar(Look())
    qtbot.addWidget(bar)
    for number, name in enumerate(("New run", "Live", "Library"), start=1):
        bar.add_place(name, "live", QKeySequence(f"Ctrl+{number}"))
    bar.resize(bar.sizeHint().width(), 500)
    with qtbot.waitExposed(bar):
        bar.show()
    return bar


def test_badge_is_painted_without_moving_buttons(qtbot: QtBot) -> None:
    bar = a_bar(qtbot)
    button = bar.button(1)
    before, places = button.grab().toImage(), [bar.button(number).geometry() for number in range(3)]
    bar.set_badge(1, BADGE)
    assert button.grab().toImage() != before
    assert [bar.button(number).geometry() for number in range(3)] == places
    bar.set_badge(1, None)
    assert button.grab().toImage() == before


def test_a_place_shows_its_icon_and_its_name(qtbot: QtBot) -> None:
    bar = a_bar(qtbot)
    button = bar.button(1)
    whole = button.grab().toImage()
    button.setIcon(QIcon())
    without_icon = button.grab().toImage()
    button.setText("")
    assert whole != without_icon != button.grab().toImage()


def test_badge_has_tool_tip_and_accessible_description(qtbot: QtBot) -> None:
    bar = a_bar(qtbot)
    bar.set_badge(1, BADGE)
    assert bar.button(1).toolTip() == "Live (Ctrl+2)\nMeasuring 12:41 of 30:00, R630 SSD #2"
    assert bar.button(1).accessibleDescription() == BADGE.sentence
    assert (bar.badge(0), bar.badge(1)) == (None, BADGE)
    bar.set_badge(1, None)
    assert (bar.button(1).toolTip(), bar.button(1).accessibleDescription()) == ("Live (Ctrl+2)", "")
