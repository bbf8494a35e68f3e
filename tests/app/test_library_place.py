"""The library's place in the whole window: what is read for its pages can be cancelled."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.library_place import LibraryPlace
from tests.app.runs import a_run, keep
from tests.app.window_parts import OpenDesktop, open_desktop
from widgets.library.library_actions import Do
from widgets.live.waiting_panel import PreparingPanel

RUNS = [a_run(minutes_later=minutes, name=f"run {minutes}") for minutes in (1, 2)]
IDS = [run.run_id for run in RUNS]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, home: Path) -> Iterator[OpenDesktop]:
    keep(home, *RUNS)
    opened = open_desktop(qapp, qtbot, home)
    opened.desktop.window.show_place(2)
    opened.wait_for(lambda: opened.desktop.library.page.table.shown == len(RUNS))
    yield opened
    opened.end()


def open_one(place: LibraryPlace) -> PreparingPanel:
    place.page.open_wished.emit(IDS[0])
    return place.run_page.loading


def compare(place: LibraryPlace) -> PreparingPanel:
    place.page.compare_wished.emit(IDS)
    return place.compare_page.loading


def report(place: LibraryPlace) -> PreparingPanel:
    place.page.select_runs(IDS)
    place.page.actions_of[Do.REPORT].trigger()
    return place.report_page.loading


@pytest.mark.parametrize("begin", [open_one, compare, report])
def test_who_has_cancelled_a_reading_can_cancel_the_next(
    opened: OpenDesktop, begin: Callable[[LibraryPlace], PreparingPanel]
) -> None:
    place = opened.desktop.library
    for _ in range(2):
        loading = begin(place)
        assert loading.isVisible()
        assert loading.cancel.isEnabled()
        loading.cancel.click()
        assert place.widget.currentWidget() is place.page
