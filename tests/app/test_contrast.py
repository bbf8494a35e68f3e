"""Contrast of every page, drop-down list, menu and dialog in both themes: at rest, under the pointer, and selected."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QComboBox, QLineEdit, QMenu, QWidget

from app.window.main_window import Place
from app.window.theme import Theme
from tests.app.dialogs import dialogs
from tests.app.pages import Pages
from tests.app.runs import a_run, keep, keep_deleted
from tests.app.window_parts import OpenDesktop, shared_desktop
from tests.doubles.live_runs import a_live_run
from tests.widgets.contrast import colours_of, weak_parts
from tests.widgets.library.host import a_measurement
from widgets.live.head_line import RUN_SIGNS
from widgets.parts.look import LIGHT
from widgets.parts.message_bar import Severity
from widgets.parts.shapes import Shape
from widgets.parts.side_bar import Badge

RUNS = [a_run(minutes_later=minutes, name=f"run {minutes}", tags=("baseline",)) for minutes in (2, 1, 0)]
THEMES = (Theme.LIGHT, Theme.DARK)
CONTROLS = (QAbstractButton, QComboBox, QLineEdit)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("contrast") / "home"
    keep(home, *RUNS)
    keep_deleted(home, a_run(minutes_later=-1, name="deleted"))
    return home


@pytest.fixture(scope="module", params=THEMES)
def opened(request: pytest.FixtureRequest, qapp: QApplication, home: Path) -> Iterator[OpenDesktop]:
    with shared_desktop(qapp, request, home) as opened:
        opened.desktop.themer.choose(request.param)
        yield opened
        opened.desktop.themer.choose(Theme.SYSTEM)


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
        if isinstance(control, CONTROLS):
            control.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, pointed)
            control.update()


def select_everything(window: QWidget) -> None:
    for view in window.findChildren(QAbstractItemView):
        if view.isVisible() and view.selectionModel() is not None:
            view.selectAll()


def seen(where: str, window: QWidget, *kinds: type[QWidget]) -> list[str]:
    """The elements with too little contrast and their places; only in widgets of these kinds, if any are given."""
    return [f"{where}: {weak}" for weak in weak_parts(window, kinds or (QWidget,))]


def seen_pointed_at(where: str, window: QWidget) -> list[str]:
    """The same of the controls that the pointer is on."""
    point_at_everything(window, True)
    weak = seen(f"{where}, pointed at", window, *CONTROLS)
    point_at_everything(window, False)
    return weak


def test_pages_and_their_lists_have_enough_contrast_in_every_state(opened: OpenDesktop) -> None:
    pages, window, weak, lists = pages_of(opened), opened.desktop.window, [], 0
    for name in pages.names:
        shown = pages.show(name)
        weak += seen(name, window)
        weak += seen_pointed_at(name, window)
        for box in shown.findChildren(QComboBox):
            if box.isVisible() and box.isEnabled() and box.count():
                lists += 1
                box.showPopup()
                weak += seen(f"{name}, list of {box.accessibleName()}", box.view().window())
                box.hidePopup()
        if name not in ("library", "report"):  # selecting there opens or changes more than colours
            select_everything(window)
            weak += seen(f"{name}, selected", window, QAbstractItemView)
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
        weak += seen_pointed_at(name, dialog)
        dialog.close()
    assert weak == []


def test_work_strip_has_enough_contrast(opened: OpenDesktop) -> None:
    window, weak = opened.desktop.window, []
    window.status.show_run(Shape.DISC, "good", "Measuring 1:20 of 5:00 · evening load · 186 604 OPM")
    line = window.status.work_strip.make_line("Building stores")
    line.appear()
    line.show_progress("ds2: orders", 0.4)
    for severity in Severity:
        window.bar.show_message(
            f"{severity.name}: marked “Failover” at 1:20.4.", severity, action="Undo", act=lambda: None
        )
        weak += seen(severity.name, window.status)
        weak += seen_pointed_at(severity.name, window.status)
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
    colours = colours_of(view.viewport())
    assert colours[0] == "#ffffff", "the most frequent one"
    assert LIGHT.text in colours
