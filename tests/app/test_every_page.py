"""The whole window by keyboard and for screen readers: every page of it, with something to show."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QListWidget, QWidget
from pytestqt.qtbot import QtBot

from tests.app.dialogs import dialogs
from tests.app.pages import NAMES, Pages
from tests.app.runs import a_run, keep, keep_deleted
from tests.app.window_parts import OpenDesktop, open_desktop, shared_desktop
from tests.doubles.live_runs import a_live_run
from tests.widgets.accessibility import nameless_controls
from tests.widgets.library.host import a_measurement
from tests.widgets.wizard.keys import reached_by_tab
from widgets.parts.shapes import Shape

RUNS = [a_run(minutes_later=minutes, name=f"run {minutes}") for minutes in range(3)]
_SMALL_SCREEN = QSize(1024, 768)
_LOW_WINDOW = QSize(1366, 740)
_COMMON_WINDOW = QSize(1280, 800)
_FRAME_AND_PANEL = QSize(12, 66)  # what a desktop takes of it


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("every-page") / "home"
    keep(home, *RUNS)
    keep_deleted(home, a_run(minutes_later=-1, name="deleted"))
    return home


@pytest.fixture(scope="module")
def opened(qapp: QApplication, request: pytest.FixtureRequest, home: Path) -> Iterator[OpenDesktop]:
    with shared_desktop(qapp, request, home) as opened:
        yield opened


def every_page(opened: OpenDesktop, *names: str) -> Iterator[tuple[str, QWidget]]:
    """Bring one page after the other to the front, as the user comes to it; those of ``names``, by default all."""
    pages = Pages(
        desktop=opened.desktop,
        wait_for=opened.wait_for,
        run_ids=[run.run_id for run in RUNS],
        live_run=a_live_run(3, 30),
        host=a_measurement(),
    )
    return ((name, pages.show(name)) for name in names or NAMES)


def test_every_control_has_a_name(opened: OpenDesktop) -> None:
    nameless = {name: nameless_controls(opened.desktop.window) for name, _ in every_page(opened)}
    assert nameless == {name: [] for name in NAMES}


def test_tab_reaches_every_visible_control(opened: OpenDesktop) -> None:
    with opened.qtbot.waitActive(opened.desktop.window):
        opened.desktop.window.activateWindow()
    missed = {name: _missed_by_tab(shown) for name, shown in every_page(opened)}
    assert missed == {name: [] for name in NAMES}


def test_nothing_is_wider_or_higher_than_a_small_screen(qapp: QApplication, qtbot: QtBot, home: Path) -> None:
    """In a window of its own, since a wide one shows more, and is less narrow at its least."""
    opened = open_desktop(qapp, qtbot, home)
    opened.desktop.window.resize(_SMALL_SCREEN - _FRAME_AND_PANEL)
    fits = {name: _fits_a_small_screen(opened.desktop.window) for name, _ in every_page(opened)}
    assert fits == dict.fromkeys(NAMES, True)
    opened.end()


def test_no_button_is_lower_than_its_text_where_charts_have_little_room(opened: OpenDesktop) -> None:
    window = opened.desktop.window
    before = window.size()
    window.resize(_LOW_WINDOW)
    cut = {name: _cut_buttons(window) for name, _ in every_page(opened, "live", "run", "response times")}
    window.resize(before)
    assert cut == {"live": [], "run": [], "response times": []}


def test_the_clients_of_a_stored_run_are_not_scrolled_sideways(opened: OpenDesktop) -> None:
    window = opened.desktop.window
    before = window.size()
    window.resize(_COMMON_WINDOW)
    list(every_page(opened, "clients"))
    table = opened.desktop.library.run_page.totals.view
    opened.wait_for(lambda: table.viewport().width() < _COMMON_WINDOW.width())
    needed = table.horizontalHeader().length(), table.viewport().width()
    window.resize(before)
    assert needed[0] <= needed[1]


def test_no_dialog_is_larger_than_a_small_screen(opened: OpenDesktop) -> None:
    too_large = []
    for name, make in dialogs(opened.desktop).items():
        dialog = make()
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()
        if not _fits_a_small_screen(dialog):
            too_large.append(name)
        dialog.close()
    assert too_large == []


@pytest.mark.parametrize("name", ["idle watts", "load machines", "tags"])
def test_rows_of_a_dialog_do_not_overlap(opened: OpenDesktop, name: str) -> None:
    dialog = dialogs(opened.desktop)[name]()
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.show()
    rows = dialog.findChild(QListWidget)
    first, second = rows.item(0), rows.item(1)
    opened.wait_for(lambda: rows.visualItemRect(first).bottom() < rows.visualItemRect(second).top())
    dialog.close()


def test_controls_of_the_status_area_fit_its_height(opened: OpenDesktop) -> None:
    status = opened.desktop.window.status
    status.show_run(Shape.DISC, "good", "Measuring 1:20 of 5:00")
    status.bar.show_message("Marked “Failover” at 1:20.4.", action="Undo", act=lambda: None)
    status.question.ask("Note at 1:20.4: what happened?", lambda _text: None)
    line = status.work_strip.make_line("Building stores")
    line.appear()
    shown = [each for each in status.findChildren(QWidget) if isinstance(each, QAbstractButton | QLineEdit)]
    shown = [each for each in shown if each.isVisible()]
    assert len(shown) >= 5
    assert [each.accessibleName() for each in shown if each.minimumSizeHint().height() > status.height()] == []


def _cut_buttons(window: QWidget) -> list[str]:
    shown = [each for each in window.findChildren(QAbstractButton) if each.isVisible()]
    return [each.accessibleName() or each.text() for each in shown if each.height() < each.sizeHint().height()]


def _missed_by_tab(shown: QWidget) -> list[str]:
    first = next(each for each in shown.findChildren(QWidget) if _takes_tab(each))
    reached = reached_by_tab(first)
    missed = [each for each in shown.findChildren(QWidget) if _takes_tab(each) and each not in reached]
    return [f"{type(each).__name__} {each.accessibleName()}" for each in missed if not _in_group(each, reached)]


def _fits_a_small_screen(window: QWidget) -> bool:
    """Whether it can be made small enough; what is left of a screen then is at least the frame and a panel."""
    least, room = window.minimumSizeHint().expandedTo(window.minimumSize()), _SMALL_SCREEN - _FRAME_AND_PANEL
    return least.width() <= room.width() and least.height() <= room.height()


def _takes_tab(widget: QWidget) -> bool:
    """Whether Tab stops at it by itself; one with a proxy hands the keyboard to that."""
    takes = widget.isVisible() and widget.isEnabled() and widget.focusProxy() is None
    return takes and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


def _in_group(widget: QWidget, reached: list[QWidget]) -> bool:
    """One of several exclusive buttons: Tab reaches the group, the arrow keys go through it."""
    group = getattr(widget, "group", None)
    buttons = group().buttons() if callable(group) and group() is not None else []
    return any(button in reached for button in buttons)
