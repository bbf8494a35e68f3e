"""What can be read: every page, drop-down list, menu and dialog in both themes, at rest, pointed at, selected."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QComboBox, QLineEdit, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.window.main_window import Place
from app.window.theme import Theme
from tests.app.dialogs import dialogs
from tests.app.pages import Pages
from tests.app.runs import a_run, keep, keep_deleted
from tests.app.window_parts import OpenDesktop, open_desktop
from tests.doubles.live_runs import a_live_run
from tests.widgets.contrast import weak_parts
from tests.widgets.library.host import a_measurement
from widgets.live.head_line import RUN_SIGNS
from widgets.parts.look import LIGHT
from widgets.parts.message_bar import Tone
from widgets.parts.shapes import Shape
from widgets.parts.side_bar import Badge

RUNS = [a_run(minutes_later=minutes, name=f"run {minutes}", tags=("baseline",)) for minutes in (2, 1, 0)]
THEMES = (Theme.LIGHT, Theme.DARK)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("contrast") / "home"
    keep(home, *RUNS)
    keep_deleted(home, a_run(minutes_later=-1, name="deleted"))
    return home


@pytest.fixture(params=THEMES)
def opened(request: pytest.FixtureRequest, qapp: QApplication, qtbot: QtBot, home: Path) -> Iterator[OpenDesktop]:
    opened = open_desktop(qapp, qtbot, home)
    opened.desktop.themer.choose(request.param)
    yield opened
    opened.desktop.themer.choose(Theme.SYSTEM)
    opened.end()


def pages_of(opened: OpenDesktop) -> Pages:
    return Pages(
        desktop=opened.desktop,
        wait_for=opened.wait_for,
        run_ids=[run.run_id for run in RUNS],
        live_run=a_live_run(3, 240),
        host=a_measurement(),
    )


def point_at_everything(window: QWidget, pointed: bool) -> None:
    for control in window.findChildren(QWidget):
        if isinstance(control, QAbstractButton | QComboBox | QLineEdit):
            control.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, pointed)
            control.update()


def select_everything(window: QWidget) -> None:
    for view in window.findChildren(QAbstractItemView):
        if view.isVisible() and view.selectionModel() is not None:
            view.selectAll()


def seen(where: str, window: QWidget) -> list[str]:
    """What is seen too badly, with where it is."""
    return [f"{where}: {weak}" for weak in weak_parts(window)]


def test_pages_have_enough_contrast_in_every_state(opened: OpenDesktop) -> None:
    pages, window, weak = pages_of(opened), opened.desktop.window, []
    for name in pages.names:
        pages.show(name)
        weak += seen(name, window)
        point_at_everything(window, True)
        weak += seen(f"{name}, pointed at", window)
        point_at_everything(window, False)
        if name not in ("library", "report"):  # selecting there opens or changes more than colours
            select_everything(window)
            weak += seen(f"{name}, selected", window)
    assert weak == []


def test_drop_down_lists_have_enough_contrast(opened: OpenDesktop) -> None:
    pages, weak, lists = pages_of(opened), [], 0
    for name in pages.names:
        shown = pages.show(name)
        for box in shown.findChildren(QComboBox):
            if box.isVisible() and box.isEnabled() and box.count():
                lists += 1
                box.showPopup()
                weak += seen(f"{name}, list of {box.accessibleName()}", box.view().window())
                box.hidePopup()
    assert lists > 10
    assert weak == []


def test_menus_have_enough_contrast(opened: OpenDesktop) -> None:
    pages, weak, shown_menus = pages_of(opened), [], 0
    for name in ("live", "library", "run", "comparison"):
        pages.show(name)
        for menu in opened.desktop.window.findChildren(QMenu):
            if menu.isEmpty():
                continue
            shown_menus += 1
            menu.popup(QPoint())
            weak += seen(f"{name}, menu {menu.title()}", menu)
            for action in menu.actions():
                menu.setActiveAction(action)
                weak += seen(f"{name}, menu {menu.title()} at {action.text()}", menu)
            menu.close()
    assert shown_menus > 10
    assert weak == []


def test_dialogs_have_enough_contrast(opened: OpenDesktop) -> None:
    weak = []
    for name, make in dialogs(opened.desktop).items():
        dialog = make()
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, True)
        dialog.show()
        weak += seen(name, dialog)
        point_at_everything(dialog, True)
        weak += seen(f"{name}, pointed at", dialog)
        dialog.close()
    assert weak == []


def test_work_strip_has_enough_contrast(opened: OpenDesktop) -> None:
    window, weak = opened.desktop.window, []
    window.status.show_run(Shape.DISC, "good", "Measuring 1:20 of 5:00 · evening load · 186 604 OPM")
    line = window.status.work_strip.make_line("Building stores")
    line.appear()
    line.show_progress("ds2: orders", 0.4)
    for tone in Tone:
        window.bar.show_message(f"{tone.name}: marked “Failover” at 1:20.4.", tone, action="Undo", act=lambda: None)
        weak += seen(tone.name, window.status)
        point_at_everything(window.status, True)
        weak += seen(f"{tone.name}, pointed at", window.status)
        point_at_everything(window.status, False)
    for shape, colour in RUN_SIGNS.values():
        window.side_bar.set_badge(Place.LIVE, Badge(shape, colour, "3:40", "evening load"))
        for place in Place:
            window.show_place(place)
            weak += seen(f"{colour} badge at {place.name}", window.side_bar)
    window.status.question.ask("Note at 1:20.4: what happened?", lambda _text: None)
    weak += seen("question", window.status)
    assert weak == []


def test_a_report_is_dark_on_white_paper(opened: OpenDesktop) -> None:
    pages_of(opened).show("report")
    view = opened.desktop.library.report_page.view
    picture = view.viewport().grab().toImage()
    pixels = {picture.pixelColor(x, y).name() for x in range(0, picture.width(), 3) for y in range(picture.height())}
    assert picture.pixelColor(1, 1).name() == "#ffffff"
    assert LIGHT.text in pixels
