"""Work in progress is shown on every page: badges, title and status area of the whole window."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.window.main_window import Place
from engine.plan.plan import RunPlan
from engine.record.record import RunState
from tests.app.window_parts import WHILE_MS, OpenDesktop, open_desktop
from widgets.parts.message_bar import Severity
from widgets.parts.shapes import Shape
from widgets.parts.work_strip import WorkLine


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[OpenDesktop]:
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    yield opened
    opened.end()


def start(opened: OpenDesktop, store: str, minutes: float = 10, name: str = "R630 SSD") -> None:
    load = {"threads": 1, "think_time_ms": 100, "ramp_rate": 100}
    plan = {"targets": [store], **load, "warmup_minutes": 0.0, "minutes": minutes, "name": name}
    opened.desktop.start_run(RunPlan.from_dict(plan), reset=False)


def show(opened: OpenDesktop, key: Qt.Key) -> None:
    opened.qtbot.keyClick(opened.desktop.window, key, Qt.KeyboardModifier.ControlModifier)


def test_active_run_is_shown_on_every_page(opened: OpenDesktop, store: str) -> None:
    window = opened.desktop.window
    assert window.windowTitle() == "Spindle"
    start(opened, store)
    assert window.windowTitle() == "Preparing 0\u202f%, R630 SSD – Spindle"
    opened.wait_for(lambda: window.windowTitle().startswith("Measuring 0:"))
    assert window.windowTitle().endswith(" of 10:00, R630 SSD – Spindle")
    badge = window.side_bar.badge(Place.LIVE)
    assert badge is not None
    assert badge.shape is Shape.DISC
    assert badge.text.startswith("9:") or badge.text == "10:00"
    assert window.status.run_text == ""  # Live itself shows it
    for key in (Qt.Key.Key_1, Qt.Key.Key_3):
        show(opened, key)
        assert window.status.run_text.startswith("Measuring 0:")
        assert "R630 SSD" in window.status.run_text
    opened.qtbot.mouseClick(window.status._run, Qt.MouseButton.LeftButton)
    assert window.place == Place.LIVE


def test_end_of_run_is_a_message_on_other_pages(opened: OpenDesktop, store: str) -> None:
    window = opened.desktop.window
    start(opened, store, minutes=0.03)
    show(opened, Qt.Key.Key_3)
    opened.wait_for(lambda: window.bar.text == "Run R630 SSD: completed; it is in the library.")
    assert window.bar.severity is Severity.SUCCESS
    assert window.windowTitle() == "Spindle"
    assert (window.side_bar.badge(Place.LIVE), window.status.run_text) == (None, "")
    opened.qtbot.mouseClick(window.bar.action_button, Qt.MouseButton.LeftButton)
    assert window.place == Place.LIVE


def test_end_of_run_has_no_message_on_its_own_page(opened: OpenDesktop, store: str) -> None:
    start(opened, store, minutes=0.03)
    opened.wait_for(lambda: opened.desktop.live.widget.ended.isVisible())
    opened.wait_for(lambda: not opened.desktop.live_run.is_busy)
    assert "completed" not in opened.desktop.window.bar.text


def test_run_is_stopping_until_it_is_stored(opened: OpenDesktop, store: str) -> None:
    start(opened, store)
    live_run, window = opened.desktop.live_run, opened.desktop.window
    opened.wait_for(lambda: live_run.data is not None and live_run.data.state is RunState.MEASURING)
    titles: set[str] = set()
    live_run.ticked.connect(lambda: titles.add(window.windowTitle()))
    live_run.stop()
    opened.wait_for(lambda: not live_run.is_busy)
    assert "Stopping, R630 SSD – Spindle" in titles


def test_build_is_shown_and_can_be_cancelled_on_every_page(
    opened: OpenDesktop, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()

    def slow(*_: object, on_progress: object, cancelled: object, **__: object) -> object:
        on_progress("customers", 0.42)  # type: ignore[operator]
        while not cancelled():  # type: ignore[operator]
            gate.wait(0.01)
        from engine.errors import Cancelled

        raise Cancelled

    monkeypatch.setattr("app.new_run.jobs.build_stores", slow)
    window, wizard = opened.desktop.window, opened.desktop.new_run.widget
    wizard.page_list.setCurrentRow(1)
    plan = RunPlan.from_dict({"targets": [store], "db_size": "1MB"})
    wizard.database.build_requested.emit(plan, False, None)
    opened.wait_for(lambda: window.windowTitle() == "Building a store 42\u202f% – Spindle")
    badge = window.side_bar.badge(Place.NEW_RUN)
    assert badge is not None
    assert (badge.text, badge.sentence) == ("42\u202f%", "Building a store, 42\u202f%")
    (line,) = window.status.work_strip.findChildren(WorkLine)
    assert not line.isVisible()  # the page shows it with its own progress and Cancel
    show(opened, Qt.Key.Key_3)
    opened.qtbot.waitUntil(line.isVisible, timeout=WHILE_MS)
    assert line.text == "Building a store: customers"
    opened.qtbot.mouseClick(line.cancel_button, Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: window.windowTitle() == "Spindle")
    assert window.side_bar.badge(Place.NEW_RUN) is None
    assert "Cancelled" in wizard.database.work.note.text
    opened.wait_for(lambda: "Cancelled" in window.bar.text)  # the user is elsewhere
