"""The whole window by keyboard and for screen readers: every page of it, with something to show."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.app.runs import a_run, keep
from tests.app.window_parts import OpenDesktop, open_desktop
from tests.doubles.live_runs import a_live_run
from tests.widgets.accessibility import nameless_controls
from tests.widgets.library.host import a_measurement
from tests.widgets.wizard.keys import reached_by_tab
from widgets.library.library_actions import Do

RUNS = [a_run(minutes_later=minutes, name=f"run {minutes}") for minutes in range(3)]
PAGES = ("wizard", "live", "no run", "library", "bin", "run", "host", "comparison", "report")


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[OpenDesktop]:
    keep(tmp_path / "home", *RUNS)
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    yield opened
    opened.end()


def show(opened: OpenDesktop, page: str) -> QWidget:
    """Bring a page to the front, as the user comes to it."""
    desktop, library = opened.desktop, opened.desktop.library
    if page == "wizard":
        return desktop.new_run.widget
    if page == "no run":
        opened.qtbot.keyClick(desktop.window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
        return desktop.live.widget
    if page == "live":
        desktop.live.widget.show_run(a_live_run(3, 30))
        opened.qtbot.keyClick(desktop.window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
        return desktop.live.widget
    opened.qtbot.keyClick(desktop.window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    opened.wait_for(lambda: library.page.table.shown == len(RUNS))
    if page == "bin":
        library.page.select_runs([RUNS[0].run_id])
        library.page.actions_of[Do.DELETE].trigger()
        library.page.bin_button.click()
        opened.wait_for(lambda: library.bin_page.table.model().rowCount() == 1)
    if page in ("run", "host"):
        library.page.open_wished.emit(RUNS[0].run_id)
        opened.wait_for(lambda: library.run_page.run_id == RUNS[0].run_id)
    if page == "host":
        library.run_page.tabs.setCurrentWidget(library.run_page.host)
        library.run_page.host.show_measurements([a_measurement()])
    if page == "report":
        library.page.select_runs([run.run_id for run in RUNS])
        library.page.actions_of[Do.REPORT].trigger()
        opened.wait_for(lambda: library.report_page.document is not None)
    if page == "comparison":
        library.page.compare_wished.emit([run.run_id for run in RUNS])
        opened.wait_for(lambda: library.widget.currentWidget() is library.compare_page)
        opened.wait_for(lambda: desktop.background.is_idle)
    current = library.widget.currentWidget()
    assert current is not None
    return current


@pytest.mark.parametrize("page", PAGES)
def test_every_control_has_a_name(opened: OpenDesktop, page: str) -> None:
    show(opened, page)
    assert nameless_controls(opened.desktop.window) == []


@pytest.mark.parametrize("page", PAGES)
def test_tab_goes_round_and_reaches_every_control_that_is_shown(opened: OpenDesktop, page: str) -> None:
    shown = show(opened, page)
    with opened.qtbot.waitActive(opened.desktop.window):
        opened.desktop.window.activateWindow()
    first = next(each for each in shown.findChildren(QWidget) if _takes_tab(each))
    reached = reached_by_tab(first)
    missed = [each for each in shown.findChildren(QWidget) if _takes_tab(each) and each not in reached]
    assert [f"{type(each).__name__} {each.accessibleName()}" for each in missed if not _in_group(each, reached)] == []


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_wider_or_higher_than_a_small_screen(opened: OpenDesktop, page: str) -> None:
    show(opened, page)
    hint = opened.desktop.window.minimumSizeHint()
    assert hint.width() <= 1280
    assert hint.height() <= 760


def _takes_tab(widget: QWidget) -> bool:
    """Whether Tab stops at it by itself; one with a proxy hands the keyboard to that."""
    takes = widget.isVisible() and widget.isEnabled() and widget.focusProxy() is None
    return takes and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


def _in_group(widget: QWidget, reached: list[QWidget]) -> bool:
    """One of several exclusive buttons: Tab reaches the group, the arrow keys go through it."""
    group = getattr(widget, "group", None)
    buttons = group().buttons() if callable(group) and group() is not None else []
    return any(button in reached for button in buttons)
